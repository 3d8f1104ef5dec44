/** `svc login` in a separate process, approved in a browser: the whole flow, and what follows. */
import { stat } from 'node:fs/promises'
import { expect } from 'chai'
import { axeFindings } from '../support/browser/axe.ts'
import {
  newPage,
  virtualAuthenticator,
  type PageOptions,
  type WatchedPage,
} from '../support/browser/browser.ts'
import { deviceWorld, type DeviceWorld } from '../support/sign-in/device-authorization.ts'
import { oidcWorld, type OidcWorld } from '../support/oidc/oidc.ts'
import { testService, type TestPerson, type TestService } from '../support/service/service.ts'
import { computer, firstLine, type Computer } from '../support/oidc/svc-client.ts'
import { setupLink } from '../../cli/server/setup-link.ts'
import { firstAdministrator, introduce } from '../support/sign-in/first-administrator.ts'

describe('CLI-02 OIDC-09 signing in at a terminal', function () {
  this.timeout(180_000)
  let service: TestService
  let device: DeviceWorld
  let world: OidcWorld
  let browser: WatchedPage
  let admin: TestPerson
  let laptop: Computer
  const opened: WatchedPage[] = []

  before(async () => {
    service = await testService(undefined, { devicePollSeconds: 1 })
    device = deviceWorld(service)
    world = oidcWorld(service)
    browser = await newPage()
    opened.push(browser)
    await virtualAuthenticator(browser.page)
    // The first administrator has a passkey on this browser.
    await browser.page.goto((await setupLink(service.core)) ?? '')
    await introduce(browser.page)
    await browser.page.click('button:has-text("Create a passkey")')
    await browser.page.waitForURL(`${service.publicUrl}/account`)
    admin = await service.person({ name: 'Second administrator' }, ['global_admin'])
  })
  beforeEach(async () => {
    laptop = await computer()
  })
  afterEach(() => laptop.remove())
  after(async () => {
    for (const each of opened) await each.close()
    await service.stop()
  })

  const sound = async ({ page, faults }: WatchedPage): Promise<void> => {
    expect(await axeFindings(page), page.url()).to.deep.equal([])
    const [wide, screen] = await page.evaluate<[number, number]>(
      '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
    )
    expect(wide, `${page.url()} scrolls sideways`).to.be.at.most(screen)
    expect(faults).to.deep.equal([])
  }

  /** Signs a computer in, with approval over the API. */
  const signedIn = async (as: TestPerson, at: Computer = laptop) => {
    const run = at.run('login', '--server', service.publicUrl, '--json')
    const { userCode = '' } = await firstLine(run)
    await device.approve(userCode, as)
    const ended = await run.ended
    expect(ended.code, ended.err).to.equal(0)
    return ended
  }

  it('CLI-02 OIDC-09 svc login, approved in a browser that has to sign in first', async () => {
    await browser.page.goto(`${service.publicUrl}/account`)
    await browser.page.click('button:has-text("Sign out")')
    await browser.page.waitForURL(`${service.publicUrl}/signed-out`)

    const run = laptop.run('login', '--server', `${service.publicUrl}/`, '--no-browser')
    const { page } = browser
    const link = /^ {2}(\S+)$/m
    for (; !link.test(run.out());) await new Promise((resolve) => setTimeout(resolve, 20))
    const address = link.exec(run.out())?.[1] ?? ''
    const code = new URL(address).searchParams.get('code') ?? ''
    expect(run.out()).to.contain(`check that it shows the code ${code}`)

    await page.goto(address)
    await page.waitForURL(`${service.publicUrl}/sign-in?**`)
    expect(await page.innerText('main')).to.contain('to approve a sign-in on another device')
    await sound(browser)
    await page.click('button:has-text("Sign in with a passkey")')
    await page.waitForURL(address)
    await sound(browser)
    const shown = await page.innerText('main')
    for (const words of [
      'Command line',
      code,
      'Approve only if you started this sign-in yourself',
      'see your email address',
      '127.0.0.1',
    ])
      expect(shown).to.contain(words)
    await page.focus('[data-action="approve"]')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${service.publicUrl}/device/approved`)
    await sound(browser)

    const { code: exit, out, err } = await run.ended
    expect([exit, err]).to.deep.equal([0, ''])
    expect(out).to.match(/You are signed in to \S+ as Ada Lovelace \(ada\.lovelace@example\.com\)\.\n$/)
    expect((await stat(laptop.credentials)).mode & 0o777).to.equal(0o600)
    const stored = await laptop.read()
    expect(stored).to.include({
      server: service.publicUrl,
      clientId: 'svc-cli',
      email: firstAdministrator.email,
    })
    expect(Object.keys(stored).sort()).to.deep.equal([
      'accessToken',
      'clientId',
      'email',
      'expiresAt',
      'idToken',
      'refreshToken',
      'server',
      'userId',
    ])

    const whoami = await laptop.svc('whoami')
    expect(whoami.code, whoami.err).to.equal(0)
    expect(whoami.out).to.equal(
      [
        `Name     ${firstAdministrator.name}`,
        `Email    ${firstAdministrator.email}`,
        `User id  ${String(stored['userId'])}`,
        'Groups   none',
        `Server   ${service.publicUrl}`,
        '',
      ].join('\n'),
    )
  })

  it('OIDC-09 the page asks for the code and explains if it is wrong, and a sign-in can be denied', async () => {
    const { page } = browser
    await page.goto(`${service.publicUrl}/device`)
    if (page.url().includes('/sign-in')) {
      await page.click('button:has-text("Sign in with a passkey")')
      await page.waitForURL(`${service.publicUrl}/device`)
    }
    await sound(browser)
    await page.fill('input[name="code"]', 'BCDF-GHJK')
    await page.keyboard.press('Enter')
    await page.waitForSelector('[data-code="ERR_DEVICE_CODE"]')
    await sound(browser)

    const run = laptop.run('login', '--server', service.publicUrl, '--json')
    const { userCode = '' } = await firstLine(run)
    await page.fill('input[name="code"]', userCode.replace('-', '').toLowerCase())
    await page.keyboard.press('Enter')
    await page.waitForSelector('[data-action="deny"]')
    await page.click('[data-action="deny"]')
    await page.waitForURL(`${service.publicUrl}/device/denied`)
    await sound(browser)
    const { code, err } = await run.ended
    expect([code, err]).to.deep.equal([4, 'svc: The sign-in was denied.\n'])
    expect((await laptop.svc('whoami')).code).to.equal(3)
  })

  it('CLI-02 OIDC-09 svc login --admin says what the terminal may do, and needs a recent sign-in', async () => {
    const old = await service.signIn(admin.userId, admin.email, { age: 660 })
    const other = await newPage()
    opened.push(other)
    const { page } = other
    const [cookie, value = ''] = old.cookie.split('=')
    await page.context().addCookies([{ name: cookie!, value, url: service.publicUrl }])
    const run = laptop.run('login', '--admin', '--server', service.publicUrl, '--json')
    const { verificationUriComplete = '', userCode = '' } = await firstLine(run)
    await page.goto(verificationUriComplete)
    await sound(other)
    const shown = await page.innerText('main')
    for (const words of [
      userCode,
      '127.0.0.1',
      'Approve only if you started this sign-in yourself',
      'For 15 minutes, the terminal will be able to do everything that your administrator roles allow',
      'administer the service with your roles, for 15 minutes',
    ])
      expect(shown).to.contain(words)
    await page.click('[data-action="approve"]')
    await page.waitForURL(`${service.publicUrl}/sign-in?**`)
    const { searchParams } = new URL(page.url())
    expect(Object.fromEntries(searchParams)).to.include({ again: '1', device: userCode })
    await sound(other)

    const fresh = await service.signIn(admin.userId, admin.email)
    await page
      .context()
      .addCookies([{ name: cookie!, value: fresh.cookie.split('=')[1] ?? '', url: service.publicUrl }])
    await page.goto(verificationUriComplete)
    await page.click('[data-action="approve"]')
    await page.waitForURL(`${service.publicUrl}/device/approved`)
    const { code, err } = await run.ended
    expect([code, err]).to.deep.equal([0, ''])
    const groups = await laptop.svc('api', 'GET', '/groups')
    expect([groups.code, groups.err]).to.deep.equal([0, ''])

    const { body } = await device.begin({ scope: 'openid admin' })
    const person = await service.person()
    await page
      .context()
      .addCookies([{ name: cookie!, value: person.cookie.split('=')[1] ?? '', url: service.publicUrl }])
    await page.goto(`${service.publicUrl}/device?code=${String(body.user_code)}`)
    expect(await page.innerText('main')).to.contain('You have no administrator role')
    expect(await page.locator('[data-action="approve"]').count()).to.equal(0)
    await sound(other)
  })

  const looks: readonly (PageOptions & { readonly name: string })[] = [
    { name: 'on a phone', viewport: { width: 320, height: 568 } },
    { name: 'in the dark', theme: 'dark' },
    { name: 'with more contrast', contrast: 'more' },
  ]
  for (const { name, ...look } of looks)
    it(`OIDC-09 the pages are accessible ${name}`, async () => {
      const other = await newPage(look)
      opened.push(other)
      const [cookie, value = ''] = admin.cookie.split('=')
      await other.page.context().addCookies([{ name: cookie!, value, url: service.publicUrl }])
      const { body } = await device.begin()
      for (const path of ['', `?code=${String(body.user_code)}`, '?code=nonsense', '/approved', '/denied']) {
        await other.page.goto(`${service.publicUrl}/device${path}`)
        await sound(other)
      }
    })

  it('CLI-02 refreshes an expired token automatically, and ten concurrent shells share one refresh', async () => {
    const group = await world.group('Engineers')
    await world.join(group, admin.userId)
    const ended = await signedIn(admin)
    expect(JSON.parse(ended.out.trim().split('\n').at(-1) ?? '')).to.deep.equal({
      status: 'signed_in',
      server: service.publicUrl,
      userId: admin.userId,
      name: 'Second administrator',
      email: admin.email,
    })
    const first = await laptop.read()
    await laptop.age()
    const whoami = await laptop.svc('whoami', '--json')
    expect(JSON.parse(whoami.out)).to.deep.equal({
      name: 'Second administrator',
      email: admin.email,
      userId: admin.userId,
      groups: ['Engineers'],
      server: service.publicUrl,
    })
    const second = await laptop.read()
    expect(second['refreshToken']).not.to.equal(first['refreshToken'])

    await laptop.age()
    const shells = await Promise.all(Array.from({ length: 10 }, () => laptop.svc('whoami', '--json')))
    expect(shells.map(({ code, err }) => [code, err])).to.deep.equal(
      Array.from({ length: 10 }, () => [0, '']),
    )
    const { rows } = await service.core.services.pool.query<{ revoked: number }>(
      'select count(*)::int as revoked from revoked_grants where user_id = $1',
      [admin.userId],
    )
    expect(rows[0]?.revoked, 'no reuse was seen').to.equal(0)
    expect((await laptop.read())['refreshToken']).not.to.equal(second['refreshToken'])
    expect((await stat(laptop.credentials)).mode & 0o777).to.equal(0o600)
  })

  it('CLI-02 a token with a lifetime of a minute is renewed when less than half of it is left, and not before', async () => {
    const { id } = await device.application(admin)
    const path = `/applications/${String(id)}`
    const set = async (accessTokenLifetimeSeconds: number) =>
      expect(
        (await service.api('PATCH', path, { as: admin, body: { accessTokenLifetimeSeconds } })).status,
      ).to.equal(200)
    await set(60)
    try {
      await signedIn(admin)
    } finally {
      await set(900)
    }
    const before = await laptop.read()
    expect(Date.parse(before['expiresAt'] ?? '') - Date.now()).to.be.within(30_000, 60_000)
    expect((await laptop.svc('whoami')).code).to.equal(0)
    expect((await laptop.read())['accessToken'], 'there is time left').to.equal(before['accessToken'])
    await laptop.age(29)
    expect((await laptop.svc('whoami')).code).to.equal(0)
    expect((await laptop.read())['accessToken']).not.to.equal(before['accessToken'])
  })

  it('CLI-02 logout revokes and deletes the sign-in', async () => {
    const grace = await service.person({ name: 'Grace' })
    await signedIn(grace)
    const { accessToken = '', refreshToken = '' } = await laptop.read()
    expect((await world.userinfo(accessToken)).status).to.equal(200)
    const { code, out, err } = await laptop.svc('logout')
    expect([code, out, err]).to.deep.equal([0, `You are signed out of ${service.publicUrl}.\n`, ''])
    expect((await world.userinfo(accessToken)).status).to.equal(401)
    const refreshed = await world.token({
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
      client_id: 'svc-cli',
    })
    expect(refreshed.body.error).to.equal('invalid_grant')
    const after = await laptop.svc('whoami')
    expect([after.code, after.out]).to.deep.equal([3, ''])
    expect(after.err).to.match(/not signed in/)
    expect((await laptop.svc('logout')).code).to.equal(0)
  })

  it('CLI-02 ASG-03 whoami ends with 3 once the user loses access', async () => {
    const grace = await service.person()
    await signedIn(grace)
    expect(
      (await service.api('POST', `/users/${grace.userId}/suspend`, { as: admin, body: {} })).status,
    ).to.equal(204)
    const { code, err } = await laptop.svc('whoami')
    expect(code).to.equal(3)
    expect(err).to.match(/has expired\. Run "svc login --server http:\/\/localhost:\d+"/)
  })
})
