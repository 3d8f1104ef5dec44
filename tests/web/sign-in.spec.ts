import { expect } from 'chai'
import pg from 'pg'
import { userCommands } from '../../adapters/application/commands/users.ts'
import { setupLink } from '../../cli/server/setup-link.ts'
import { firstAdministrator, introduce } from '../support/sign-in/first-administrator.ts'
import { axeFindings } from '../support/browser/axe.ts'
import {
  newPage,
  virtualAuthenticator,
  type VirtualAuthenticator,
  type WatchedPage,
} from '../support/browser/browser.ts'
import { CALLBACK, oidcWorld, pkce } from '../support/oidc/oidc.ts'
import { system, testService, type TestPerson, type TestService } from '../support/service/service.ts'
import { READ_MODELS } from '../../read-models/schema.ts'

describe('signing in', function () {
  this.timeout(120_000)
  let service: TestService
  let browser: WatchedPage
  let device: VirtualAuthenticator
  let invited = 0

  before(async () => {
    service = await testService()
  })
  after(() => service.stop())
  beforeEach(async () => {
    browser = await newPage()
    device = await virtualAuthenticator(browser.page)
  })
  afterEach(async () => {
    const { faults } = browser
    await browser.close()
    expect(faults).to.deep.equal([])
  })

  const users = () => userCommands(service.core.services)
  const go = (path: string) => browser.page.goto(service.publicUrl + path)
  const at = (path: string) => browser.page.waitForURL(`${service.publicUrl}${path}`)
  const press = (name: string) => browser.page.click(`button:has-text("${name}")`)
  const said = (text: string) => browser.page.waitForSelector(`[data-report]:has-text("${text}")`)
  const cookieNames = async () => (await browser.page.context().cookies()).map(({ name }) => name)
  const accessible = async () => expect(await axeFindings(browser.page)).to.deep.equal([])
  const sql = async (text: string, values: readonly unknown[] = []): Promise<object[]> => {
    const client = new pg.Client({
      connectionString: service.databaseUrl,
      options: `-c search_path=${READ_MODELS}`,
    })
    await client.connect()
    try {
      return (await client.query(text, [...values])).rows
    } finally {
      await client.end()
    }
  }

  const invite = () =>
    users().invite(
      {
        profile: { name: 'Ada Lovelace', email: `ada${String(++invited)}@example.com` },
        source: 'local',
      },
      system,
    )

  /** A new user, enrolled with the page's device and signed in. */
  const enrolled = async (): Promise<{ userId: string; enrollUrl: string }> => {
    const { userId, enrollUrl } = await invite()
    await browser.page.goto(enrollUrl)
    await press('Create a passkey')
    await at('/account')
    return { userId, enrollUrl }
  }

  const inBrowser = async (): Promise<TestPerson> => {
    const cookies = await browser.page.context().cookies()
    const cookie = cookies.find(({ name }) => name === 'svc_session')
    return { userId: '', email: '', sessionId: '', cookie: `svc_session=${cookie?.value ?? ''}` }
  }

  const signOut = async () => {
    await press('Sign out')
    await at('/signed-out')
  }
  const signIn = async () => {
    await go('/sign-in')
    await press('Sign in with a passkey')
  }

  it('SGN-01 AUT-01 the setup link lets the first administrator create a passkey and open their account', async () => {
    const links = await Promise.all([setupLink(service.core), setupLink(service.core)])
    const administrators = await sql(`select email, status from users where roles @> '{global_admin}'`)
    expect(administrators).to.deep.equal([{ email: 'first-administrator@setup.invalid', status: 'invited' }])
    // The later of the two replaced the earlier one.
    const open = await Promise.all(links.map((each) => fetch(each ?? '')))
    expect(open.map(({ status }) => status).sort()).to.deep.equal([200, 404])

    await browser.page.goto(links[open.findIndex(({ status }) => status === 200)] ?? '')
    await accessible()
    expect(await browser.page.innerText('main')).not.to.contain('setup.invalid')
    await press('Create a passkey')
    await browser.page.waitForSelector('[data-report]:has-text("Enter your name.")')
    await browser.page.fill('#profile-name', firstAdministrator.name)
    await press('Create a passkey')
    await browser.page.waitForSelector('[data-report]:has-text("Enter your email address.")')
    await accessible()
    await introduce(browser.page)
    await press('Create a passkey')
    await at('/account')
    await accessible()
    expect(await browser.page.innerText('h1')).to.equal(firstAdministrator.name)
    expect(await browser.page.innerText('main')).to.contain(
      'We send sign-in links only to a verified address.',
    )
    expect(await browser.page.innerText('main')).to.contain('Global administrator')
    expect(await setupLink(service.core)).to.equal(null)

    const [cookie] = await browser.page.context().cookies()
    expect(cookie).to.include({ name: 'svc_session', httpOnly: true, sameSite: 'Lax', path: '/' })
    const hours = ((cookie?.expires ?? 0) - Date.now() / 1000) / 3600
    expect(hours).to.be.within(11.9, 12)
    const me = await service.api('GET', '/me', { as: await inBrowser() })
    expect(me.body).to.include({ ...firstAdministrator, status: 'active', mfaStrength: 'phishing_resistant' })
    const named = await service.api('PATCH', '/me', {
      as: await inBrowser(),
      body: { name: 'Grace Hopper', timeZone: 'Europe/London' },
    })
    expect(named.body).to.include({ name: 'Grace Hopper', timeZone: 'Europe/London' })
    const sessions = await service.api('GET', '/me/sessions', { as: await inBrowser() })
    expect(sessions.body).to.have.length(1)
    expect(sessions.body[0]).to.deep.include({
      current: true,
      status: 'active',
      methods: ['enrollment_link', 'passkey'],
      amr: ['hwk', 'user'],
      strength: 'phishing_resistant',
    })
  })

  it('SGN-03 an enrolment link works once; then both page and API report that it has expired', async () => {
    const { enrollUrl } = await enrolled()
    const again = await browser.page.goto(enrollUrl)
    expect(again?.status()).to.equal(404)
    await accessible()
    expect(await browser.page.innerText('main')).to.contain('ERR_LINK_EXPIRED')
    const token = enrollUrl.split('/').at(-1) ?? ''
    const answer = await service.api('POST', `/auth/enroll/${token}/passkey/options`)
    expect(answer).to.deep.include({ status: 404 })
    expect(answer.body.error.code).to.equal('ERR_LINK_EXPIRED')
  })

  it('SGN-01 AUT-01 signs out, and in again without typing a name', async () => {
    await enrolled()
    const before = await inBrowser()
    await signOut()
    await accessible()
    expect(await cookieNames()).to.deep.equal(['svc_device'])
    expect((await service.api('GET', '/me', { as: before })).status).to.equal(401)
    await go('/account')
    await at('/sign-in')
    await accessible()
    await press('Sign in with a passkey')
    await at('/account')
    await go('/sign-in')
    await at('/account')
    await go('/')
    await at('/account')
  })

  it('AUT-01 a new sign-in in the same browser ends the previous session', async () => {
    await enrolled()
    const first = await inBrowser()
    await go('/sign-in?again=1')
    await browser.page.waitForSelector('text=You are signed in as')
    await press('Sign in with a passkey')
    await at('/account')
    const second = await inBrowser()
    expect(second.cookie).not.to.equal(first.cookie)
    expect((await service.api('GET', '/me', { as: first })).status).to.equal(401)
    expect((await service.api('GET', '/me', { as: second })).status).to.equal(200)
  })

  it('SGN-01 SGN-05 adds a second passkey, renames and removes the first, and keeps the last', async () => {
    await enrolled()
    await go('/account/security')
    await press('Add a passkey')
    await browser.page.click('#add-dialog button[type="submit"]')
    await said('This device already has a passkey for your account')
    await browser.page.click('#add-dialog [data-action="close"]')
    await device.remove()
    await virtualAuthenticator(browser.page, 'usb')
    await press('Add a passkey')
    await browser.page.fill('#add-name', 'Blue key')
    await browser.page.click('#add-dialog button[type="submit"]')
    await said('Your new passkey is ready')
    const as = await inBrowser()
    const { body } = await service.api('GET', '/me/methods', { as })
    expect(body.map(({ name, type }: { name: string; type: string }) => [name, type])).to.deep.equal([
      ['Linux computer', 'passkey'],
      ['Blue key', 'security_key'],
    ])

    await press('Rename Linux computer')
    await browser.page.fill('#rename-name', 'Old laptop')
    await browser.page.click('#rename-dialog button[type="submit"]')
    await said('The sign-in method was renamed')
    await press('Remove Old laptop')
    await browser.page.click('#remove-dialog button[type="submit"]')
    // This browser was signed in with it.
    await at('/sign-in?return=**')
    await press('Sign in with a passkey')
    await said('The sign-in method was removed')
    await press('Remove Blue key')
    await browser.page.click('#remove-dialog button[type="submit"]')
    await said('last sign-in method')
    const last = await service.api('DELETE', `/me/methods/${String(body[1].id)}`, { as: await inBrowser() })
    expect([last.status, last.body.error.code]).to.deep.equal([409, 'ERR_LAST_METHOD'])

    await go('/account')
    await signOut()
    await signIn()
    await at('/account')
  })

  it('SGN-05 requires a new sign-in before sign-in methods are changed, and returns afterwards', async () => {
    const { userId } = await enrolled()
    await sql(`update sessions set auth_time = auth_time - interval '11 minutes' where user_id = $1`, [
      userId,
    ])
    const as = await inBrowser()
    const answer = await service.api('POST', '/me/methods/passkey/options', { as })
    expect([answer.status, answer.body.error.code]).to.deep.equal([401, 'ERR_REAUTH_REQUIRED'])
    const { body } = await service.api('GET', '/me/methods', { as })
    const removal = await service.api('DELETE', `/me/methods/${String(body[0].id)}`, { as })
    expect(removal.body.error.code).to.equal('ERR_REAUTH_REQUIRED')
    await go('/account/security')
    await press('Add a passkey')
    await browser.page.click('#add-dialog button[type="submit"]')
    await press('Sign in again')
    await at('/sign-in?again=1&return=**')
    await accessible()
    await press('Sign in with a passkey')
    await at('/account/security')
    const renewed = await service.api('POST', '/me/methods/passkey/options', { as: await inBrowser() })
    expect(renewed.status).to.equal(200)
  })

  it('API-09 ends another session, all other sessions, and none of other users', async () => {
    const { userId } = await enrolled()
    const other = await service.signIn(userId, '')
    const third = await service.signIn(userId, '')
    const stranger = await service.person()
    const as = await inBrowser()
    const foreign = await service.api('DELETE', `/me/sessions/${stranger.sessionId}`, { as })
    expect([foreign.status, foreign.body.error.code]).to.deep.equal([404, 'ERR_NOT_FOUND'])

    await go('/account/activity')
    await browser.page.click(`[data-action="end-session"][data-id="${other.sessionId}"]`)
    await said('The session was ended')
    expect((await service.api('GET', '/me', { as: other })).status).to.equal(401)
    expect((await service.api('GET', '/me', { as: third })).status).to.equal(200)
    await press('End all others')
    await said('All your other sessions were ended')
    expect((await service.api('GET', '/me', { as: third })).status).to.equal(401)
    expect((await service.api('GET', '/me', { as })).status).to.equal(200)
    expect((await service.api('GET', '/me', { as: stranger })).status).to.equal(200)
  })

  it('SGN-05 a suspended user sees the suspension only after authenticating', async () => {
    const { userId } = await enrolled()
    await signOut()
    await users().suspend(userId, undefined, 'system', system)
    await signIn()
    await said('This account is suspended')
    expect(await cookieNames()).to.deep.equal(['svc_device'])
    await users().reactivate(userId, 'system', system)
    await press('Sign in with a passkey')
    await at('/account')
  })

  it('SGN-01 a replayed sign-in is rejected: by the counter, or by the log if there are no counters', async () => {
    const { userId } = await enrolled()
    await signOut()
    const sent = browser.page.waitForRequest('**/auth/passkey/verify')
    await signIn()
    await at('/account')
    const body: unknown = (await sent).postDataJSON()
    const again = await service.api('POST', '/auth/passkey/verify', { body })
    expect([again.status, again.body.error.code]).to.deep.equal([401, 'ERR_PASSKEY_REJECTED'])
    // As for a passkey without a counter.
    await sql(`delete from work.method_use where method_id in (select id from methods where user_id = $1)`, [
      userId,
    ])
    await sql('update methods set initial_sign_count = 0 where user_id = $1', [userId])
    const third = await service.api('POST', '/auth/passkey/verify', { body })
    expect([third.status, third.body.error.code]).to.deep.equal([400, 'ERR_CEREMONY_EXPIRED'])
    expect(third.headers.get('set-cookie')).to.equal(null)
  })

  it('AUT-04 requests of another origin are rejected on every sign-in route', async () => {
    await enrolled()
    const as = await inBrowser()
    const headers = { Origin: 'https://evil.example' }
    for (const path of ['/auth/passkey/options', '/auth/sign-out', '/me/sessions/revoke-others']) {
      const { status, body } = await service.api('POST', path, { as, headers })
      expect([status, body.error.code], path).to.deep.equal([403, 'ERR_CROSS_SITE'])
    }
    const posted = await fetch(`${service.publicUrl}/sign-out`, {
      method: 'POST',
      redirect: 'manual',
      headers: { ...headers, Cookie: as.cookie },
    })
    expect(posted.status).to.equal(403)
    expect((await service.api('GET', '/me', { as })).status).to.equal(200)
  })

  it('AUT-01 signs out without JavaScript', async () => {
    const plain = await newPage({ javaScript: false })
    const person = await service.person()
    await plain.page
      .context()
      .addCookies([{ name: 'svc_session', value: person.cookie.split('=')[1] ?? '', url: service.publicUrl }])
    await plain.page.goto(`${service.publicUrl}/account`)
    await plain.page.click('text=Sign out')
    await plain.page.waitForURL('**/signed-out')
    await plain.close()
    expect((await service.api('GET', '/me', { as: person })).status).to.equal(401)
  })

  it('SGN-01 the requesting application is named, and receives the response after the sign-in', async () => {
    const world = oidcWorld(service)
    const app = await world.application()
    const { userId } = await enrolled()
    await world.join(app.groupId, userId)
    await signOut()
    const query = new URLSearchParams({
      client_id: app.clientId,
      redirect_uri: CALLBACK,
      response_type: 'code',
      scope: 'openid',
      state: 'xyz',
      login_hint: 'ada@example.com',
      code_challenge: pkce().challenge,
      code_challenge_method: 'S256',
    })
    await go(`/oauth2/authorize?${query.toString()}`)
    await accessible()
    const text = await browser.page.innerText('main')
    expect(text).to.contain(app.name).and.to.contain('ada@example.com')
    const id = new URL(browser.page.url()).searchParams.get('authRequest') ?? ''
    const waiting = await service.api('GET', `/auth/requests/${id}`)
    expect(waiting.body).to.deep.include({ applicationName: app.name, loginHint: 'ada@example.com' })
    const answered = browser.page.waitForRequest((request) => request.url().startsWith(CALLBACK))
    await press('Sign in with a passkey')
    const { searchParams } = new URL((await answered).url())
    expect(searchParams.get('state')).to.equal('xyz')
    expect(searchParams.get('code')).to.be.a('string')

    const used = await service.api('POST', '/auth/passkey/options', { body: { authRequestId: id } })
    expect([used.status, used.body.error.code]).to.deep.equal([404, 'ERR_AUTH_REQUEST_EXPIRED'])
    // The first page is still trying to reach the application, which does not exist.
    const late = await newPage()
    const answer = await late.page.goto(`${service.publicUrl}/sign-in?authRequest=${id}`)
    expect(answer?.status()).to.equal(404)
    expect(await axeFindings(late.page)).to.deep.equal([])
    await late.close()
  })

  it('API-09 the account shows applications and groups, and an unknown path shows an error page', async () => {
    const world = oidcWorld(service)
    const app = await world.application()
    const { userId } = await enrolled()
    await world.join(app.groupId, userId)
    await go('/account')
    expect(await browser.page.innerText('main')).to.contain(app.name)
    const as = await inBrowser()
    const { body: applications } = await service.api('GET', '/me/applications', { as })
    expect(applications.map(({ id }: { id: string }) => id)).to.deep.equal([app.applicationId])
    const { body: groups } = await service.api('GET', '/me/groups', { as })
    expect(groups).to.have.length(1)
    expect(groups[0]).to.deep.include({ id: app.groupId, via: ['assigned'] })

    const nowhere = await go('/nowhere')
    expect(nowhere?.status()).to.equal(404)
    expect(nowhere?.headers()['content-security-policy']).to.contain("default-src 'none'")
    await accessible()
    const json = await fetch(`${service.publicUrl}/nowhere`, { headers: { Accept: 'application/json' } })
    expect(await json.json()).to.nested.include({ 'error.code': 'ERR_NO_ROUTE' })
    expect(Object.fromEntries(json.headers)).to.include({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
    expect(json.headers.get('x-request-id')).to.match(/^\S+$/)
  })
})
