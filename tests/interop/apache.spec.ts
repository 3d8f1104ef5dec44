/** A third-party relying party, a browser and the service: one complete sign-in, as users do it. */
import { expect } from 'chai'
import { userCommands } from '../../adapters/application/commands/users.ts'
import { newPage, virtualAuthenticator, type WatchedPage } from '../support/browser/browser.ts'
import { oidcWorld, type OidcWorld, type TestApplication } from '../support/oidc/oidc.ts'
import { system, testService, type TestService } from '../support/service/service.ts'
import { apachePlace, startApache, type ApachePlace } from './apache.ts'
import type { ApacheServer } from './apache-server.ts'

type Headers = Readonly<Record<string, string | undefined>>

for (const tokenEndpointAuth of ['client_secret_basic', 'client_secret_post'] as const)
  describe(`Apache with mod_auth_openidc, ${tokenEndpointAuth}`, function () {
    this.timeout(120_000)
    let service: TestService
    let world: OidcWorld
    let app: TestApplication
    let place: ApachePlace
    let apache: ApacheServer | undefined
    let browser: WatchedPage
    /** Functions that stop what was started, in reverse order. */
    const ends: (() => Promise<unknown>)[] = []
    let userId: string

    before(async () => {
      service = await testService()
      ends.unshift(() => service.stop())
      world = oidcWorld(service)
      place = await apachePlace()
      app = await world.application('web', {
        redirectUris: [place.redirectUri],
        postLogoutRedirectUris: [`${place.origin}/open`],
      })
      apache = await startApache(place, {
        issuer: service.publicUrl,
        clientId: app.clientId,
        clientSecret: app.secret,
        tokenEndpointAuth,
      })
      ends.unshift(apache.stop)
      browser = await newPage()
      ends.unshift(browser.close)
      await virtualAuthenticator(browser.page)
      const invited = await userCommands(service.core.services).invite(
        { profile: { name: 'Grace Hopper', email: 'grace@example.com' }, source: 'local' },
        system,
      )
      userId = invited.userId
      await world.join(app.groupId, userId)
      await browser.page.goto(invited.enrollUrl)
      await press('Create a passkey')
      await browser.page.waitForURL(`${service.publicUrl}/account`)
      await press('Sign out')
      await browser.page.waitForURL(`${service.publicUrl}/signed-out`)
    })
    after(async () => {
      for (const end of ends) await end()
    })
    afterEach(async function () {
      if (this.currentTest?.state !== 'failed') return
      console.error(`At ${browser.page.url()}: ${await browser.page.innerText('body')}`)
      console.error(await apache?.errorLog())
    })

    const press = (words: string) => browser.page.click(`button:has-text("${words}")`)
    const visit = (path: string) => browser.page.goto(`${place.origin}${path}`)
    const signIn = async (path: string): Promise<void> => {
      await visit(path)
      await browser.page.waitForURL(`${service.publicUrl}/sign-in?**`)
      await press('Sign in with a passkey')
      await browser.page.waitForURL(`${place.origin}${path}`)
    }

    /** Returns the request's headers as the application behind Apache received them. */
    const passedOn = async (): Promise<Headers> =>
      (JSON.parse(await browser.page.innerText('body')) as { headers: Headers }).headers

    const tokenPassedOn = async (): Promise<string> => (await passedOn())['oidc_access_token'] ?? ''

    const isSignedIn = async () => {
      await signIn('/people')
      const headers = await passedOn()
      expect(headers).to.deep.include({
        oidc_claim_sub: userId,
        oidc_claim_iss: service.publicUrl,
        oidc_claim_aud: app.clientId,
        oidc_claim_email: 'grace@example.com',
        oidc_claim_name: 'Grace Hopper',
        oidc_claim_amr: 'hwk,user',
        oidc_claim_acr: 'phr',
      })
      expect(headers['oidc_claim_groups']).to.match(/^Group \d+$/)
      expect((await world.userinfo(headers['oidc_access_token'] ?? '')).body.sub).to.equal(userId)
    }

    const isRefreshed = async () => {
      const first = await tokenPassedOn()
      await visit('/fresh')
      const second = await tokenPassedOn()
      await visit('/fresh')
      const third = await tokenPassedOn()
      expect(new Set([first, second, third])).to.have.property('size', 3)
      expect((await world.userinfo(third)).body.sub).to.equal(userId)
    }

    const isRefreshedOnDemand = async () => {
      await visit('/people')
      const before = await tokenPassedOn()
      const query = new URLSearchParams({ refresh: `${place.origin}/people`, access_token: before })
      await visit(`/oidc?${query.toString()}`)
      await browser.page.waitForURL(`${place.origin}/people`)
      const after = await tokenPassedOn()
      expect(after).not.to.equal(before)
      expect((await world.userinfo(after)).status).to.equal(200)
    }

    const asApi = async (token: string) => {
      const response = await fetch(`${place.origin}/api`, { headers: { Authorization: `Bearer ${token}` } })
      const text = await response.text()
      const headers = response.ok ? (JSON.parse(text) as { headers: Headers }).headers : {}
      return { status: response.status, headers }
    }

    const isIntrospected = async () => {
      await visit('/people')
      const { status, headers } = await asApi(await tokenPassedOn())
      expect(status).to.equal(200)
      expect(headers).to.include({ oidc_claim_sub: userId, oidc_claim_username: 'grace@example.com' })
      expect(headers['oidc_claim_scope']).to.contain('openid')
      expect(await asApi('made-up')).to.have.property('status', 401)
    }

    const isSignedOut = async () => {
      await visit('/people')
      const token = await tokenPassedOn()
      expect(await asApi(token)).to.have.property('status', 200)
      await visit(`/oidc?${new URLSearchParams({ logout: `${place.origin}/open` }).toString()}`)
      await browser.page.waitForURL((url) => url.href.startsWith(`${place.origin}/open`))
      expect((await world.userinfo(token)).status).to.equal(401)
      expect(await asApi(token)).to.have.property('status', 401)
      await visit('/people')
      await browser.page.waitForURL(`${service.publicUrl}/sign-in?**`)
      await press('Sign in with a passkey')
      await browser.page.waitForURL(`${place.origin}/people`)
      expect((await passedOn())['oidc_claim_sub']).to.equal(userId)
    }

    it('OIDC-02 OIDC-06 OIDC-11 OIDC-12 OIDC-13 OIDC-14 OIDC-18 signs a user in, refreshes and introspects their tokens and signs them out', async () => {
      await isSignedIn()
      await isRefreshed()
      await isRefreshedOnDemand()
      await isIntrospected()
      await isSignedOut()
    })
  })
