import { expect } from 'chai'
import { userCommands } from '../../adapters/application/commands/users.ts'
import { virtualAuthenticator } from '../support/browser/browser.ts'
import { ageTries } from '../support/sign-in/code-tries.ts'
import { CALLBACK, oidcWorld, pkce, type TestApplication } from '../support/oidc/oidc.ts'
import { system, testService, type TestService } from '../support/service/service.ts'
import {
  appHolder,
  authenticatorApp,
  invite,
  signInWorld,
  type AppHolder,
  type SignInWorld,
} from '../support/sign-in/sign-in-world.ts'
import { READ_MODELS } from '../../read-models/schema.ts'

describe('signing in with a code in the browser', function () {
  this.timeout(120_000)
  let service: TestService
  let world: SignInWorld

  before(async () => {
    service = await testService()
  })
  after(() => service.stop())
  beforeEach(async () => {
    world = await signInWorld(service)
  })
  afterEach(() => world.close())

  /** The app's last code is accepted again, as if time had passed. */
  const later = async ({ userId }: AppHolder) => {
    await service.core.services.pool.query(
      `delete from work.method_use where method_id in (select id from ${READ_MODELS}.methods where user_id = $1)`,
      [userId],
    )
  }
  const typeCode = async (email: string, code: string) => {
    await world.page.fill('#email', email)
    if (!(await world.page.isVisible('#code'))) await world.press('Use a code instead')
    await world.page.fill('#code', code)
    await world.press('Sign in with this code')
  }
  const signInWithCode = async (holder: AppHolder) => {
    await later(holder)
    await typeCode(holder.email, authenticatorApp(holder.secret).code())
  }
  const authorize = (app: TestApplication, extra: Record<string, string> = {}) =>
    world.go(
      `/oauth2/authorize?${new URLSearchParams({
        client_id: app.clientId,
        redirect_uri: CALLBACK,
        response_type: 'code',
        scope: 'openid',
        state: 'xyz',
        code_challenge: pkce().challenge,
        code_challenge_method: 'S256',
        ...extra,
      }).toString()}`,
    )
  const answered = () => world.page.waitForRequest((request) => request.url().startsWith(CALLBACK))

  it('SGN-02 signs in with the code of an app; the same code is rejected the second time', async () => {
    const holder = await appHolder(service)
    await later(holder)
    const code = authenticatorApp(holder.secret).code()
    await world.go('/sign-in')
    await typeCode(holder.email, code)
    await world.at('/account')
    await world.press('Sign out')
    await world.at('/signed-out')
    await world.go('/sign-in')
    await typeCode(holder.email, code)
    await world.said('The code is wrong or was already used.')
    await world.sound()
  })

  it('SGN-02 signs in with each recovery code once', async () => {
    const holder = await appHolder(service)
    const [code = ''] = holder.recoveryCodes
    await world.go('/sign-in')
    await typeCode(holder.email, code.toUpperCase().replace('-', ' '))
    await world.at('/account')
    await world.page.context().clearCookies()
    await world.go('/sign-in')
    await typeCode(holder.email, code)
    await world.said('The code is wrong or was already used.')
    expect(await world.page.inputValue('#email')).to.equal(holder.email)
    expect(await world.page.inputValue('#code')).to.equal(code)
    expect(await world.focused()).to.equal('code')
  })

  it('SGN-02 shows after wrong codes how long to wait, equally for known and unknown addresses', async () => {
    const holder = await appHolder(service)
    const wrong = authenticatorApp(holder.secret).wrong()
    for (const email of [holder.email, 'nobody@example.com']) {
      await world.go('/sign-in')
      for (let tries = 0; tries < 5; tries++) {
        const answer = world.page.waitForResponse('**/auth/code')
        await typeCode(email, wrong)
        expect((await answer).status()).to.equal(401)
        await world.page.waitForSelector('[data-action="code"]:not([aria-busy])')
      }
      await world.press('Sign in with this code')
      await world.said('Too many wrong codes. You can try again in 15 minutes, at ')
      await world.sound()
    }
    await ageTries(service, holder.userId, 16)
    await world.go('/sign-in')
    await signInWithCode(holder)
    await world.at('/account')
  })

  it('SGN-02 reports a suspension only after a correct code', async () => {
    const holder = await appHolder(service)
    await userCommands(service.core.services).suspend(holder.userId, undefined, 'system', system)
    await world.go('/sign-in')
    await typeCode(holder.email, authenticatorApp(holder.secret).wrong())
    await world.said('The code is wrong or was already used.')
    await signInWithCode(holder)
    await world.said('This account is suspended.')
    await world.sound()
    expect(await world.page.context().cookies()).to.deep.equal([])
  })

  it('SGN-02 continues to the application, and explains if the user may not use it', async () => {
    const oidc = oidcWorld(service)
    const app = await oidc.application()
    const holder = await appHolder(service)
    await authorize(app, { login_hint: holder.email })
    expect(await world.page.inputValue('#email')).to.equal(holder.email)
    expect(await world.text()).to.contain(app.name)
    await signInWithCode(holder)
    await world.page.waitForSelector('text=ERR_NOT_ASSIGNED')
    await world.sound()
    expect(await world.page.context().cookies()).to.deep.equal([])
    await oidc.join(app.groupId, holder.userId)
    await authorize(app, { login_hint: holder.email })
    const sent = answered()
    // No server runs at the application's address.
    await signInWithCode(holder).catch(() => undefined)
    expect(new URL((await sent).url()).searchParams.get('code')).to.be.a('string')
  })

  it('SGN-02 reports when the request of the application has expired', async () => {
    const app = await oidcWorld(service).application()
    const holder = await appHolder(service)
    await authorize(app)
    const id = new URL(world.page.url()).searchParams.get('authRequest') ?? ''
    await world.page.route('**/auth/code', (route) =>
      route.continue({
        postData: JSON.stringify({ ...(route.request().postDataJSON() as object), authRequestId: `${id}x` }),
      }),
    )
    await signInWithCode(holder)
    await world.said("The application's sign-in request has expired or was already used.")
    await world.go(`/sign-in?authRequest=${id}x`)
    await world.page.waitForSelector('text=ERR_AUTH_REQUEST_EXPIRED')
    await world.sound()
  })

  it('SGN-02 SGN-05 hides weaker methods if the application requires a stronger one, and explains why', async () => {
    const oidc = oidcWorld(service)
    const app = await oidc.application()
    const holder = await appHolder(service)
    await oidc.join(app.groupId, holder.userId)
    await world.go('/sign-in')
    await signInWithCode(holder)
    await world.at('/account')
    await authorize(app, { acr_values: 'phr' })
    await world.page.waitForSelector('[data-code="ERR_STRONGER_AUTH_REQUIRED"]')
    expect(await world.text())
      .to.contain('requires a passkey or security key')
      .and.to.match(/You are signed in as\s+Grace Hopper/)
    expect(await world.page.$$('input:visible')).to.deep.equal([])
    expect(await world.page.isVisible('[data-action="passkey"]')).to.equal(true)
    await world.sound()
    const sent = answered()
    await world.press(`Back to ${app.name}`)
    expect(new URL((await sent).url()).searchParams.get('error')).to.equal('access_denied')
  })

  it('SGN-05 signs in again with a code and returns to the page before', async () => {
    const holder = await appHolder(service)
    await world.go('/sign-in')
    await signInWithCode(holder)
    await world.at('/account')
    const before = await world.inBrowser()
    await world.go('/sign-in?again=1&return=/account%23methods')
    await world.sound()
    expect(await world.text()).to.match(/You are signed in as\s+Grace Hopper/)
    expect(await world.page.inputValue('#email')).to.equal(holder.email)
    await signInWithCode(holder)
    await world.at('/account#methods')
    expect((await world.inBrowser()).cookie).not.to.equal(before.cookie)
    // As in a link that does not escape the fragment of the page.
    await world.go('/sign-in?again=1&return=/account#sessions')
    await signInWithCode(holder)
    await world.at('/account#sessions')
  })

  it('SGN-05 does not redirect outside the service', async () => {
    const { cookie } = await service.person()
    const landing = async (to: string, headers: Record<string, string>) => {
      const answer = await fetch(`${service.publicUrl}/sign-in?${to}`, { redirect: 'manual', headers })
      return answer.headers.get('location') ?? (await answer.text())
    }
    const out = [
      '//evil.example',
      '///evil.example',
      '/\\evil.example',
      '/\t/evil.example',
      '/\n/evil.example',
      '/..//evil.example',
      '/.//evil.example',
      '/x/..//evil.example',
      'https://evil.example/',
      'javascript:alert(1)',
      'evil.example',
      ' /account',
      '@evil.example',
      '\\\\evil.example',
      'http:evil.example',
    ]
    for (const path of out) {
      const query = `return=${encodeURIComponent(path)}`
      expect(await landing(query, { cookie }), path).to.equal('/account')
      const page = await landing(`again=1&${query}`, { cookie })
      expect(page, path).to.contain('You are signed in as').and.not.to.contain('data-next')
    }
    const twice = await landing('return=/account&return=//evil.example', { cookie })
    expect(twice).to.equal('/account')
    expect(await landing('return=/account/../device%3Fcode=1', { cookie })).to.equal('/device?code=1')
    expect(await landing('again=1&return=%22%3E%3Cscript%3E', { cookie })).not.to.contain('<script>')
  })

  it('SGN-02 a passkey still works for a user locked out of codes', async () => {
    await virtualAuthenticator(world.page)
    const { email, enrollUrl } = await invite(service)
    await world.page.goto(enrollUrl)
    await world.press('Create a passkey')
    await world.at('/account')
    await world.page.context().clearCookies()
    for (let tries = 0; tries < 6; tries++)
      await service.api('POST', '/auth/code', { body: { email, code: '000000' } })
    await world.go('/sign-in')
    await typeCode(email, '000000')
    await world.said('Too many wrong codes.')
    await world.press('Sign in with a passkey')
    await world.at('/account')
  })
})
