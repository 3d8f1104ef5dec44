import { expect } from 'chai'
import { updateSettings } from '../../adapters/application/commands/organization.ts'
import { virtualAuthenticator } from '../support/browser/browser.ts'
import { screens } from '../support/browser/screens.ts'
import { system, testPlace, testService, type TestService } from '../support/service/service.ts'
import { askingApplication, type AskingApplication } from '../support/sign-in/asking-application.ts'
import { calmStep, codeAt, invitation } from '../support/sign-in/authenticator.ts'
import { policyWorld } from '../support/sign-in/policies.ts'
import { invite, signInWorld, type SignInWorld } from '../support/sign-in/sign-in-world.ts'
import { until } from '../support/until.ts'

/** Registered in Germany and in Japan. */
const BERLIN = { 'X-Forwarded-For': '193.99.144.80' }
const TOKYO = { 'X-Forwarded-For': '133.11.0.1' }

for (const [name, screen] of Object.entries(screens))
  describe(`what users see of policies, ${name}`, function () {
    this.timeout(120_000)
    let place: Awaited<ReturnType<typeof testPlace>>
    let service: TestService
    let app: AskingApplication
    let policies: ReturnType<typeof policyWorld>
    let world: SignInWorld

    before(async () => {
      place = await testPlace({ trustedProxies: ['127.0.0.1/32', '::1/128'] })
      service = await testService(place)
      policies = policyWorld(service)
      app = await askingApplication(service)
      await updateSettings(service.core.services)({ supportEmail: 'help@example.com' }, system)
    })
    after(async () => {
      await app.close()
      await service.stop()
      await place.drop()
    })
    beforeEach(async () => {
      world = await signInWorld(service, screen)
    })
    afterEach(() => world.close())

    /** A user with a passkey in this browser, whose session was started with a code. */
    const withCodeSession = async () => {
      const { userId, email, enrollUrl } = await invite(service)
      await app.admit(userId)
      await virtualAuthenticator(world.page)
      await world.page.goto(enrollUrl)
      await world.press('Create a passkey')
      await world.at('/account')
      await codeSession(userId, email)
      return { userId, email }
    }
    const codeSession = async (userId: string, email: string): Promise<void> => {
      const { cookie } = await service.signIn(userId, email, { methods: ['authenticator_code'] })
      const value = cookie.replace('svc_session=', '')
      await world.page.context().addCookies([{ name: 'svc_session', value, url: service.publicUrl }])
    }

    it('SGN-06 a stronger sign-in leads back to the application with one click', async () => {
      await withCodeSession()
      await policies.under({ action: 'require_strong' }, async () => {
        await app.ask(world.page)
        expect(await world.text()).to.contain(`${app.name} requires a passkey or security key.`)
        expect(await world.page.getAttribute('a:has-text("Ask for help")', 'href')).to.equal(
          'mailto:help@example.com',
        )
        expect(await world.page.isVisible('[name="code"]')).to.equal(false)
        await world.sound()
        await world.press('Sign in with a passkey')
        await app.answered(world.page)
        // The session is now strong enough for everything else.
        await world.go('/account')
        await world.at('/account')
      })
    })

    it('SGN-06 the account page asks for a stronger or a recent sign-in, and then opens', async () => {
      const { userId, email } = await withCodeSession()
      const portal = { applications: { include: ['portal'], exclude: [] } }
      await policies.under({ action: 'require_strong', conditions: portal }, async () => {
        await world.go('/account/security')
        await world.page.waitForSelector('[data-code="ERR_STRONGER_AUTH_REQUIRED"]')
        expect(await world.text()).to.contain('Identity service requires a passkey or security key.')
        await world.sound()
        await world.press('Sign in with a passkey')
        await world.at('/account/security')
      })
      const old = await service.signIn(userId, email, { age: 3600 })
      const value = old.cookie.replace('svc_session=', '')
      await world.page.context().addCookies([{ name: 'svc_session', value, url: service.publicUrl }])
      await policies.under({ action: 'require_reauth', conditions: portal }, async () => {
        await world.go('/account')
        await world.page.waitForSelector('[data-code="ERR_REAUTH_REQUIRED"]')
        await world.press('Sign in with a passkey')
        await world.at('/account')
      })
    })

    it('SGN-06 a blocked user reads why, and can go back, ask for help or sign out', async () => {
      await withCodeSession()
      await policies.under({ action: 'block' }, async () => {
        await app.ask(world.page)
        expect(await world.text())
          .to.contain('This sign-in was blocked')
          .and.contain('ERR_BLOCKED_BY_POLICY')
        await world.sound()
        expect(await world.page.getAttribute('a:has-text("Ask for help")', 'href')).to.equal(
          'mailto:help@example.com',
        )
        await world.press(`Back to ${app.name}`)
        expect(await app.refused(world.page)).to.equal('access_denied')
        await world.go('/account')
        await world.sound()
        await world.press('Sign out')
        await world.at('/signed-out')
      })
    })

    it('SGN-06 a code is refused where a passkey is required, and the passkey is offered', async () => {
      const { email, userId, enrollUrl } = await invite(service)
      await app.admit(userId)
      const path = `/auth/enroll/${enrollUrl.split('/').at(-1) ?? ''}/authenticator`
      await calmStep()
      const { ceremonyId, secret } = (await service.api('POST', path)).body
      await service.api('POST', `${path}/verify`, { body: { ceremonyId, code: codeAt(secret, -1) } })
      await policies.under(
        { action: 'require_strong', conditions: { devices: 'unregistered' } },
        async () => {
          await app.ask(world.page)
          await world.page.fill('[name="email"]', email)
          await world.press('Use a code')
          await world.page.fill('[name="code"]', codeAt(secret))
          await world.page.click('[data-action="code"]')
          await world.page.waitForSelector('[data-code="ERR_STRONGER_AUTH_REQUIRED"]')
          expect(await world.text()).to.contain('Ask for help')
          await world.sound()
        },
      )
    })

    it('SGN-06 SGN-07 a user in Berlin who appears in Tokyo reads why a passkey is required', async () => {
      const { email, userId, path } = await invitation(service)
      await app.admit(userId)
      await calmStep()
      const inBerlin = { headers: BERLIN }
      const { ceremonyId, secret } = (await service.api('POST', `${path}/authenticator`, inBerlin)).body
      const body = { ceremonyId, code: codeAt(secret, -1) }
      await service.api('POST', `${path}/authenticator/verify`, { body, ...inBerlin })
      await world.page.setExtraHTTPHeaders(TOKYO)
      const conditions = { riskAtLeast: 'medium' } as const
      await policies.under({ action: 'require_strong', conditions }, async () => {
        await app.ask(world.page)
        await world.page.fill('[name="email"]', email)
        await world.press('Use a code')
        await world.page.fill('[name="code"]', codeAt(secret))
        await world.page.click('[data-action="code"]')
        await world.page.waitForSelector('[data-code="ERR_STRONGER_AUTH_REQUIRED"]')
        expect(await world.text()).to.contain('too far apart for the time between them')
        await world.sound()
      })
    })

    it('SGN-06 SGN-07 a session whose user is at risk reads why, at an application and in the portal', async () => {
      const { userId, email } = await withCodeSession()
      const reporter = await service.signIn(userId, email)
      const listed = async () => (await service.api('GET', '/me/sign-ins', { as: reporter })).body
      await until(async () => (await listed()).length > 0)
      const body = { signInId: (await listed())[0].id }
      const report = await service.api('POST', '/me/report-activity', { as: reporter, body })
      expect(report.status, JSON.stringify(report.body)).to.be.oneOf([200, 201, 204])
      await codeSession(userId, email)
      const conditions = { riskAtLeast: 'medium' } as const
      await policies.under({ action: 'require_strong', conditions }, async () => {
        await app.ask(world.page)
        expect(await world.text()).to.contain('you reported a sign-in that was not yours')
        await world.go('/account')
        await world.page.waitForSelector('[data-code="ERR_STRONGER_AUTH_REQUIRED"]')
        expect(await world.text()).to.contain('you reported a sign-in that was not yours')
      })
    })
  })
