/**
 * The complete first day of an organization, in a browser, from the setup link to an application that signs users in.
 */
import { once } from 'node:events'
import type { Server } from 'node:http'
import { expect } from 'chai'
import { setupLink } from '../../cli/server/setup-link.ts'
import { firstAdministrator, introduce } from '../support/sign-in/first-administrator.ts'
import { demoApp } from '../../infra/demo-app/app.ts'
import { axeFindings } from '../support/browser/axe.ts'
import { newPage, virtualAuthenticator, type WatchedPage } from '../support/browser/browser.ts'
import { journeyScreens } from '../support/browser/screens.ts'
import { freePort, testService, type TestService } from '../support/service/service.ts'

/** Responses of every shape are inspected. */
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any

for (const [name, look] of Object.entries(journeyScreens))
  describe(`the journey ${name}`, function () {
    this.timeout(120_000)
    let service: TestService
    let administrator: WatchedPage
    let application: Json
    let demo: Server | undefined
    let origin: string
    const opened: WatchedPage[] = []

    before(async () => {
      service = await testService()
      origin = `http://localhost:${String(await freePort())}`
    })
    after(async () => {
      for (const each of opened) await each.close()
      demo?.closeAllConnections()
      demo?.close()
      await service.stop()
    })

    /** A new user with a browser and a device that keeps passkeys. */
    const arrive = async (): Promise<WatchedPage> => {
      const browser = await newPage(look)
      opened.push(browser)
      await virtualAuthenticator(browser.page)
      return browser
    }

    /** Checks that nothing forbidden happened, and that the page is accessible and fits the screen. */
    const sound = async ({ page, faults }: WatchedPage): Promise<void> => {
      expect(await axeFindings(page), page.url()).to.deep.equal([])
      const [wide, screen] = await page.evaluate<[number, number]>(
        '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
      )
      expect(wide, `${page.url()} scrolls sideways`).to.be.at.most(screen)
      expect(faults).to.deep.equal([])
    }

    const press = ({ page }: WatchedPage, words: string) =>
      page.click(`button:has-text("${words}"), a:has-text("${words}")`)

    const enroll = async (browser: WatchedPage, link: string, isFirst = false): Promise<void> => {
      await browser.page.goto(link)
      if (isFirst) await introduce(browser.page)
      await sound(browser)
      await press(browser, 'Create a passkey')
      await browser.page.waitForURL(`${service.publicUrl}/account`)
      await sound(browser)
    }

    /** Calls the API as the page's own scripts do: same origin, with the browser's cookie. */
    const call = async (method: string, path: string, body?: unknown): Promise<Json> => {
      const url = `${service.publicUrl}/api/v1${path}`
      if (!administrator.page.url().startsWith(service.publicUrl))
        await administrator.page.goto(`${service.publicUrl}/account`)
      const { status, text } = await administrator.page.evaluate(
        async ([verb, to, sent]) => {
          const answer = await fetch(to!, {
            method: verb!,
            ...(sent === undefined ? {} : { headers: { 'Content-Type': 'application/json' }, body: sent }),
          })
          return { status: answer.status, text: await answer.text() }
        },
        [method, url, body === undefined ? undefined : JSON.stringify(body)],
      )
      expect(status, `${method} ${path}: ${text}`).to.be.within(200, 204)
      return text === '' ? null : JSON.parse(text)
    }

    const invite = async (person: object): Promise<{ id: string; enrollUrl: string }> => {
      const { id, enrollUrl } = await call('POST', '/users', person)
      return { id, enrollUrl }
    }

    const atDemo = async (browser: WatchedPage, path: string): Promise<void> => {
      await browser.page.goto(`${origin}${path}`)
    }

    /** What the demo application shows of the user; it has checked the ID token and its nonce. */
    const claimsShown = async ({ page }: WatchedPage): Promise<Record<string, string>> => {
      await page.waitForURL(`${origin}/`)
      const rows = await page.$$eval('tr', (elements) =>
        elements.map((row) => [...row.children].map((cell) => cell.textContent)),
      )
      return Object.fromEntries(rows) as Record<string, string>
    }

    const notAssigned = async (browser: WatchedPage): Promise<void> => {
      await browser.page.waitForSelector('text=ERR_NOT_ASSIGNED')
      await sound(browser)
      await press(browser, 'Back to Demo application')
      await browser.page.waitForSelector('text=access_denied')
      expect(new URL(browser.page.url()).origin).to.equal(origin)
    }

    const setUp = async () => {
      administrator = await arrive()
      await enroll(administrator, (await setupLink(service.core)) ?? '', true)
      const shown = await administrator.page.innerText('main')
      expect(shown).to.contain(firstAdministrator.name).and.to.contain('Global administrator')
    }

    const registration = async () => {
      application = await call('POST', '/applications', {
        protocol: 'oidc',
        type: 'web',
        name: 'Demo application',
        redirectUris: [`${origin}/callback`],
      })
      expect(application.clientId).to.match(/^sv_/)
      expect(application.clientSecret).to.match(/^svs_/)
      const { clientId, clientSecret } = application
      const redirectUri = `${origin}/callback`
      demo = demoApp({ issuer: service.publicUrl, clientId, clientSecret, redirectUri }).listen(
        Number(new URL(origin).port),
        'localhost',
      )
      await once(demo, 'listening')
    }

    const notYetAssigned = async () => {
      await atDemo(administrator, '/')
      await press(administrator, 'Sign in')
      await notAssigned(administrator)
    }

    const assigned = async () => {
      const me = await call('GET', '/me')
      const { id: groupId } = await call('POST', '/groups', { name: 'Operators' })
      await call('PUT', `/groups/${String(groupId)}/members/${String(me.id)}`, {})
      await call('PUT', `/applications/${String(application.id)}/groups/${String(groupId)}`)
      await atDemo(administrator, '/sign-in')
      const claims = await claimsShown(administrator)
      const session = (await call('GET', '/me/sessions'))[0]
      expect(claims).to.include({
        iss: service.publicUrl,
        aud: application.clientId,
        sub: me.id,
        ...firstAdministrator,
        groups: '["Operators"]',
        sid: session.id,
      })
      expect(JSON.parse(claims['amr'] ?? '')).to.include('hwk')
      // Only an emailed link verifies an address; the setup link was printed.
      expect(claims['email_verified']).to.equal('false')
      expect(claims).to.have.property('nonce')
    }

    const signedOutAndBack = async () => {
      await administrator.page.goto(`${service.publicUrl}/account`)
      await press(administrator, 'Sign out')
      await administrator.page.waitForURL(`${service.publicUrl}/signed-out`)
      await sound(administrator)
      await atDemo(administrator, '/sign-out')
      await atDemo(administrator, '/sign-in')
      await administrator.page.waitForURL(`${service.publicUrl}/sign-in?**`)
      await sound(administrator)
      expect(await administrator.page.innerText('main')).to.contain('Demo application')
      // The user does not have to type anything.
      expect(await administrator.page.inputValue('#email')).to.equal('')
      await press(administrator, 'Sign in with a passkey')
      expect(await claimsShown(administrator)).to.include({ email: firstAdministrator.email })
    }

    const secondPerson = async () => {
      const { id, enrollUrl } = await invite({ email: 'grace@example.com', name: 'Grace Hopper' })
      const grace = await arrive()
      await enroll(grace, enrollUrl)
      await atDemo(grace, '/sign-in')
      await notAssigned(grace)

      const { data } = await call('GET', '/groups').then((body: Json) => ({ data: body.data ?? body }))
      await call('PUT', `/groups/${String(data[0].id)}/members/${id}`, {})
      await atDemo(grace, '/sign-in')
      expect(await claimsShown(grace)).to.include({
        sub: id,
        email: 'grace@example.com',
        name: 'Grace Hopper',
        groups: '["Operators"]',
      })

      await call('POST', `/users/${id}/suspend`, {})
      await atDemo(grace, '/sign-in')
      await grace.page.waitForURL(`${service.publicUrl}/sign-in?**`)
      await press(grace, 'Sign in with a passkey')
      await grace.page.waitForSelector('text=This account is suspended')
      await sound(grace)
      await grace.page.goto(`${service.publicUrl}/account`)
      await grace.page.waitForURL(`${service.publicUrl}/sign-in`)
    }

    it('SGN-01 AUT-01 API-01 API-07 ID-02 ASG-01 ASG-02 OIDC-02 OIDC-03 OIDC-14 OIDC-18 OIDC-19 SGN-05 from the setup link to an application that admits the right users', async () => {
      await setUp()
      await registration()
      await notYetAssigned()
      await assigned()
      await signedOutAndBack()
      await secondPerson()
    })
  })
