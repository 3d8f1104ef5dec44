/** Attacks between a device, its user and a third party (RFC 8628 §5, RFC 9700). */
import { expect } from 'chai'
import { oidcWorld, type OidcWorld } from '../../support/oidc/oidc.ts'
import { deviceWorld, type DeviceWorld } from '../../support/sign-in/device-authorization.ts'
import { ageTries } from '../../support/sign-in/code-tries.ts'
import { testService, type TestPerson, type TestService } from '../../support/service/service.ts'

describe('OIDC-09 API-01 approving sign-ins on other devices', () => {
  let service: TestService
  let device: DeviceWorld
  let world: OidcWorld
  let ada: TestPerson

  before(async () => {
    service = await testService()
    device = deviceWorld(service)
    world = oidcWorld(service)
  })
  beforeEach(async () => {
    ada = await service.person({ name: 'Ada Lovelace' })
  })
  after(() => service.stop())

  const isPending = async (deviceCode: string): Promise<boolean> => {
    const { body } = await device.poll(deviceCode)
    return body.error === 'authorization_pending' || body.error === 'slow_down'
  }
  const wrongTries = async (n: number, as: TestPerson) => {
    const answers: number[] = []
    for (let i = 0; i < n; i++) answers.push((await service.api('GET', '/device/BCDF-GHJK', { as })).status)
    return answers
  }

  it('OIDC-09 shows the pending request of a code, in any notation', async () => {
    const { body } = await device.begin()
    for (const code of [body.user_code, body.user_code.toLowerCase(), body.user_code.replace('-', '')]) {
      const shown = await service.api('GET', `/device/${String(code)}`, { as: ada })
      expect(shown.status).to.equal(200)
      expect(shown.body).to.deep.include({
        userCode: body.user_code,
        applicationName: 'Command line',
        scopes: ['openid', 'profile', 'email', 'groups', 'offline_access'],
        ip: '127.0.0.1',
        location: null,
      })
      expect(Date.parse(shown.body.expiresAt) - Date.parse(shown.body.requestedAt)).to.equal(600_000)
    }
  })

  it('OIDC-09 needs a session', async () => {
    const { body } = await device.begin()
    for (const [method, path] of [
      ['GET', ''],
      ['POST', '/approve'],
      ['POST', '/deny'],
    ] as const) {
      const { status, body: answer } = await service.api(method, `/device/${String(body.user_code)}${path}`)
      expect([status, answer.error.code], path).to.deep.equal([401, 'ERR_UNAUTHENTICATED'])
    }
    expect(await isPending(body.device_code)).to.equal(true)
  })

  it('OIDC-09 another website cannot approve (CSRF)', async () => {
    const { body } = await device.begin()
    const attempts: Record<string, string>[] = [
      { 'Sec-Fetch-Site': 'cross-site' },
      { Origin: 'https://evil.example' },
      { Origin: 'null' },
      { 'Sec-Fetch-Site': 'same-site', Origin: `${service.publicUrl}.evil.example` },
    ]
    for (const headers of attempts) {
      const refused = await device.tryApprove(body.user_code, ada, headers)
      expect([refused.status, refused.body.error.code]).to.deep.equal([403, 'ERR_CROSS_SITE'])
    }
    expect(await isPending(body.device_code)).to.equal(true)
  })

  it('OIDC-09 a GET never approves anything', async () => {
    const { body } = await device.begin()
    const code = String(body.user_code)
    for (const path of [
      `/device?code=${code}`,
      `/device?code=${code}&approve=1&action=approve`,
      `/device/approved?code=${code}`,
      `/device/${code}/approve`,
      `/api/v1/device/${code}/approve`,
    ])
      await fetch(service.publicUrl + path, { headers: { Cookie: ada.cookie }, redirect: 'manual' })
    const form = await fetch(`${service.publicUrl}/device`, {
      method: 'POST',
      headers: { Cookie: ada.cookie, 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ code, action: 'approve' }),
    })
    expect(form.status, 'the page accepts no form').to.equal(405)
    expect(await isPending(body.device_code)).to.equal(true)
  })

  it('OIDC-09 the page cannot be framed, runs only its own script, and is not cached', async () => {
    const { body } = await device.begin()
    for (const path of ['/device', `/device?code=${String(body.user_code)}`, '/device/approved']) {
      const page = await fetch(service.publicUrl + path, { headers: { Cookie: ada.cookie } })
      expect(page.status).to.equal(200)
      expect(page.headers.get('content-security-policy')).to.match(/frame-ancestors 'none'/)
      expect(page.headers.get('content-security-policy')).to.match(/script-src 'self'(?:;|$)/)
      expect(page.headers.get('x-frame-options')).to.match(/^deny$/i)
      expect(page.headers.get('cache-control')).to.equal('no-store')
      expect(page.headers.get('referrer-policy')).to.equal('no-referrer')
      expect(await page.text()).not.to.match(/<script(?![^>]* src=)/)
    }
  })

  it('OIDC-09 a user who signs in first comes back to the code, and never to another site', async () => {
    const to = async (path: string) => {
      const { headers } = await fetch(service.publicUrl + path, { redirect: 'manual' })
      return headers.get('location')
    }
    expect(await to('/device?code=bcdfghjk')).to.equal('/sign-in?device=BCDF-GHJK')
    expect(await to('/device')).to.equal('/sign-in?device=ask')
    for (const evil of ['https://evil.example', '//evil.example', 'BCDF-GHJK%0d%0aX: y', '"><script>']) {
      expect(await to(`/device?code=${encodeURIComponent(evil)}`)).to.equal('/sign-in?device=ask')
      const page = await fetch(`${service.publicUrl}/sign-in?device=${encodeURIComponent(evil)}`)
      expect(await page.text()).to.contain('data-next="/device"')
      const { headers } = await fetch(`${service.publicUrl}/sign-in?device=${encodeURIComponent(evil)}`, {
        headers: { Cookie: ada.cookie },
        redirect: 'manual',
      })
      expect(headers.get('location')).to.equal('/device')
    }
  })

  it('OIDC-09 wrong, expired, decided and malformed codes all get the same response', async () => {
    const { body: decided } = await device.begin()
    await device.approve(decided.user_code, ada)
    for (const code of ['BCDF-GHJK', decided.user_code, 'nonsense', 'A'.repeat(90)])
      for (const [method, path] of [
        ['GET', ''],
        ['POST', '/approve'],
        ['POST', '/deny'],
      ] as const) {
        const person = await service.person()
        const { status, body } = await service.api(method, `/device/${String(code)}${path}`, { as: person })
        expect([status, body.error.code], `${method} ${String(code)}`).to.deep.equal([404, 'ERR_DEVICE_CODE'])
      }
  })

  it('OIDC-09 of many concurrent decisions one takes effect', async () => {
    const { body } = await device.begin()
    const people = await Promise.all(Array.from({ length: 4 }, () => service.person()))
    const answers = await Promise.all(people.map((person) => device.tryApprove(body.user_code, person)))
    expect(answers.filter(({ status }) => status === 204).length).to.equal(1)
    expect(answers.filter(({ status }) => status === 404).length).to.equal(3)
    const winner = people[answers.findIndex(({ status }) => status === 204)]
    const tokens = await device.poll(body.device_code)
    expect(world.claimsIn(tokens.body.access_token).sub).to.equal(winner?.userId)
  })

  it('OIDC-09 SGN-02 five wrong codes lock the user out, for correct codes too, and no other user', async () => {
    expect(await wrongTries(6, ada)).to.deep.equal([404, 404, 404, 404, 404, 429])
    const { body } = await device.begin()
    const locked = await device.tryApprove(body.user_code, ada)
    expect([locked.status, locked.body.error.code]).to.deep.equal([429, 'ERR_TOO_MANY_ATTEMPTS'])
    expect(Number(locked.headers.get('retry-after'))).to.be.within(890, 900)
    const page = await fetch(`${service.publicUrl}/device?code=${String(body.user_code)}`, {
      headers: { Cookie: ada.cookie },
    })
    expect([page.status, page.headers.get('retry-after') !== null]).to.deep.equal([429, true])
    const again = await service.signIn(ada.userId, ada.email)
    expect((await device.tryApprove(body.user_code, again)).status, 'in another session').to.equal(429)
    const grace = await service.person()
    await device.approve(body.user_code, grace)
  })

  it('OIDC-09 the lock ends after its time, and so does the window', async () => {
    const age = (minutes: number) => ageTries(service, ada.userId, minutes)
    await wrongTries(5, ada)
    await age(14)
    expect(await wrongTries(1, ada)).to.deep.equal([429])
    await age(1)
    expect(await wrongTries(4, ada)).to.deep.equal([404, 404, 404, 404])
    await age(1440)
    expect(await wrongTries(4, ada)).to.deep.equal([404, 404, 404, 404])
    await age(16)
    expect(await wrongTries(6, ada)).to.deep.equal([404, 404, 404, 404, 404, 429])
  })

  it('OIDC-09 entering your own codes gives no additional guesses at those of others', async () => {
    const answers: number[] = []
    for (let i = 0; i < 6; i++) {
      const { body } = await device.begin()
      const own = await service.api('GET', `/device/${String(body.user_code)}`, { as: ada })
      answers.push(own.status, ...(await wrongTries(1, ada)))
    }
    expect(answers).to.deep.equal([200, 404, 200, 404, 200, 404, 200, 404, 200, 404, 429, 429])
  })

  it('OIDC-09 concurrent guesses have the same limit as sequential ones', async () => {
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => service.api('GET', '/device/BCDF-GHJK', { as: ada })),
    )
    expect(answers.filter(({ status }) => status === 404).length).to.equal(5)
    expect(answers.filter(({ status }) => status === 429).length).to.equal(25)
  })
})

describe('API-09 access tokens of the command line on the JSON API', () => {
  let service: TestService
  let device: DeviceWorld
  let world: OidcWorld
  let admin: TestPerson

  before(async () => {
    service = await testService()
    device = deviceWorld(service)
    world = oidcWorld(service)
    admin = await service.person({ name: 'Ada' }, ['global_admin'])
  })
  after(() => service.stop())

  const withToken = (token: string, method: string, path: string, as?: TestPerson) =>
    service.api(method, path, {
      headers: { Authorization: `Bearer ${token}` },
      ...(as === undefined ? {} : { as }),
    })

  it('API-09 are accepted on personal routes', async () => {
    const { body } = await device.signIn(admin)
    for (const path of ['/me/groups', '/me/applications', '/me/sessions', '/me/methods'])
      expect((await withToken(body.access_token, 'GET', path)).status, path).to.equal(200)
  })

  it('API-09 are not accepted on /me itself, nor on any route of administrators, nor to approve another sign-in', async () => {
    const { body } = await device.signIn(admin)
    const next = (await device.begin()).body
    for (const [method, path] of [
      ['GET', '/me'],
      ['PATCH', '/me'],
      ['GET', '/users'],
      ['GET', '/applications'],
      ['GET', '/groups'],
      ['GET', `/device/${String(next.user_code)}`],
      ['POST', `/device/${String(next.user_code)}/approve`],
    ] as const) {
      const { status, body: answer } = await withToken(body.access_token, method, path)
      expect([status, answer.error.code], path).to.deep.equal([401, 'ERR_UNAUTHENTICATED'])
    }
  })

  it('API-09 other tokens are rejected', async () => {
    const app = await world.application('web')
    const person = await world.member(app)
    const other = await world.redeem(app, await world.code(app, person, { scope: 'openid offline_access' }))
    const { body } = await device.signIn(admin)
    const cli = String(body.access_token)
    const [head = '', payload = '', signature = ''] = cli.split('.')
    for (const token of [
      other.body.access_token,
      other.body.id_token,
      body.id_token,
      body.refresh_token,
      `${head}.${payload}.`,
      `${head}.${payload}.${signature.slice(0, -4)}AAAA`,
      `${Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url')}.${payload}.`,
    ])
      expect((await withToken(String(token), 'GET', '/me/groups')).status).to.equal(401)
  })

  it('API-09 ASG-03 are invalid immediately when the user is suspended, signs out there, or revokes them', async () => {
    const changes: readonly ((person: TestPerson, refreshToken: string) => Promise<unknown>)[] = [
      ({ userId }) => service.api('POST', `/users/${userId}/suspend`, { as: admin, body: {} }),
      (person) => service.api('POST', '/auth/sign-out', { as: person }),
      (_, token) =>
        fetch(`${service.publicUrl}/oauth2/revoke`, {
          method: 'POST',
          body: new URLSearchParams({ token, client_id: 'svc-cli' }),
        }),
    ]
    for (const change of changes) {
      const person = await service.person()
      const { body } = await device.signIn(person)
      expect((await withToken(body.access_token, 'GET', '/me/groups')).status).to.equal(200)
      await change(person, body.refresh_token)
      expect((await withToken(body.access_token, 'GET', '/me/groups')).status).to.equal(401)
    }
  })

  it('API-09 actions of a device are distinguished from actions in a browser', async () => {
    const person = await service.person()
    const other = await service.signIn(person.userId, person.email)
    const { body } = await device.signIn(person)
    const ended = await withToken(body.access_token, 'DELETE', `/me/sessions/${other.sessionId}`)
    expect(ended.status).to.equal(204)
    const events = await service.core.eventLog.readStream(`session-${other.sessionId}`)
    const { metadata } = events.at(-1) ?? {}
    expect(metadata).to.deep.include({ actorId: person.userId, actorType: 'cli' })
    expect((metadata as { credential: object }).credential).to.deep.equal({
      type: 'cli_token',
      id: world.claimsIn(body.access_token).jti,
    })
  })
})
