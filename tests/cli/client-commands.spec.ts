/** What `svc login`, `whoami` and `logout` do and print, for any response of a service. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import { deviceSignIn } from '../../cli/client/device-flow.ts'
import { computer, type Computer } from '../support/oidc/svc-client.ts'
import { until } from '../support/until.ts'

describe('svc at a terminal, with a simulated service', () => {
  let laptop: Computer
  let server: Server
  let origin: string
  let answers: Record<string, (count: number) => { status?: number; body: unknown; location?: string }>
  const counts = new Map<string, number>()
  /** Bodies of the last requests, by path. */
  const sent = new Map<string, string>()

  beforeEach(async () => {
    laptop = await computer()
    counts.clear()
    server = createServer((request, response) => {
      const path = (request.url ?? '').split('?')[0] ?? ''
      const count = (counts.get(path) ?? 0) + 1
      counts.set(path, count)
      let said = ''
      request.setEncoding('utf8').on('data', (chunk: string) => sent.set(path, (said += chunk)))
      const { status = 200, body, location } = answers[path]?.(count) ?? { status: 404, body: {} }
      response
        .writeHead(status, {
          'Content-Type': 'application/json',
          ...(location === undefined ? {} : { Location: location }),
        })
        .end(JSON.stringify(body))
    }).listen(0, '127.0.0.1')
    await until(() => server.listening)
    origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
    answers = {
      '/.well-known/openid-configuration': () => ({
        body: {
          issuer: origin,
          device_authorization_endpoint: `${origin}/begin`,
          token_endpoint: `${origin}/token`,
          userinfo_endpoint: `${origin}/me`,
        },
      }),
      '/begin': () => ({
        body: {
          device_code: 'd',
          user_code: 'BCDF-GHJK',
          verification_uri: `${origin}/device`,
          verification_uri_complete: `${origin}/device?code=BCDF-GHJK`,
          expires_in: 600,
          interval: 0.01,
        },
      }),
      '/token': () => ({ body: { access_token: 'at', refresh_token: 'rt', expires_in: 900 } }),
      '/me': () => ({ body: { sub: 'usr_1', email: 'ada@example.com', name: 'Ada' } }),
    }
  })
  afterEach(async () => {
    server.closeAllConnections()
    server.close()
    await laptop.remove()
  })

  const login = () => laptop.svc('login', '--server', origin, '--no-browser')
  const store = (more: Record<string, string> = {}) =>
    mkdir(join(laptop.credentials, '..'), { recursive: true }).then(() =>
      writeFile(
        laptop.credentials,
        JSON.stringify({
          server: origin,
          clientId: 'svc-cli',
          accessToken: 'at',
          refreshToken: 'rt',
          expiresAt: new Date(Date.now() + 900_000).toISOString(),
          userId: 'usr_1',
          email: 'ada@example.com',
          ...more,
        }),
      ),
    )

  it('CLI-02 end with 2 for a wrong command line', async () => {
    for (const args of [
      ['login'],
      ['login', '--server', 'http://id.example.com'],
      ['whoami', '--jsn'],
      ['logout', 'now'],
    ])
      expect((await laptop.svc(...args)).code, args.join(' ')).to.equal(2)
  })

  it('CLI-02 end with 3 when no user is signed in', async () => {
    expect((await laptop.svc('whoami')).code).to.equal(3)
  })

  it('CLI-02 end with 5 when the service cannot be reached, and say so in one line', async () => {
    await store()
    server.closeAllConnections()
    server.close()
    for (const run of [login, () => laptop.svc('whoami')]) {
      const { code, err } = await run()
      expect(code).to.equal(5)
      expect(err).to.match(/^svc: cannot reach http:\/\/127\.0\.0\.1:\d+: ECONNREFUSED\n$/)
    }
  })

  it('CLI-02 logout deletes the credentials even if the service cannot be reached, and warns', async () => {
    await store()
    server.closeAllConnections()
    server.close()
    const { code, out, err } = await laptop.svc('logout')
    expect([code, out]).to.deep.equal([0, `You are signed out of ${origin}.\n`])
    expect(err).to.match(/could not be revoked: .*ECONNREFUSED/)
    expect((await laptop.svc('whoami')).code).to.equal(3)
  })

  it('CLI-02 login revokes the previous sign-in, and warns if it cannot', async () => {
    await store({ refreshToken: 'earlier' })
    answers['/oauth2/revoke'] = () => ({ body: {} })
    const first = await login()
    expect([first.code, first.err]).to.deep.equal([0, ''])
    expect(sent.get('/oauth2/revoke')).to.match(/token=earlier&.*client_id=svc-cli/)
    answers['/oauth2/revoke'] = () => ({ status: 503, body: {} })
    const second = await login()
    expect(second.code).to.equal(0)
    expect(second.err).to.match(/^svc: The previous sign-in could not be revoked: .+\n$/)
    expect(sent.get('/oauth2/revoke')).to.match(/token=rt&/)
    expect(JSON.parse(await readFile(laptop.credentials, 'utf8'))).to.include({ refreshToken: 'rt' })
  })

  it('CLI-02 login polls at the requested interval, and continues after network errors', async () => {
    answers['/token'] = (count) =>
      [
        { status: 400, body: { error: 'authorization_pending' } },
        { status: 400, body: { error: 'slow_down' } },
        { status: 503, body: {} },
        { status: 400, body: { error: 'authorization_pending' } },
      ][count - 1] ?? { body: { access_token: 'at', refresh_token: 'rt', expires_in: 900 } }
    const slept: number[] = []
    const shown: unknown[] = []
    const { credentials, name } = await deviceSignIn(
      origin,
      (verification) => shown.push(verification),
      async (ms) => slept.push(ms),
    )
    expect(slept).to.deep.equal([10, 10, 5010, 10_010, 10_010])
    expect(shown).to.deep.equal([
      {
        verificationUri: `${origin}/device`,
        verificationUriComplete: `${origin}/device?code=BCDF-GHJK`,
        userCode: 'BCDF-GHJK',
        expiresInSeconds: 600,
      },
    ])
    expect([name, credentials.server, credentials.userId]).to.deep.equal(['Ada', origin, 'usr_1'])
    expect(Date.parse(credentials.expiresAt) - Date.now()).to.be.within(890_000, 900_000)
  })

  it('CLI-02 login --admin stores nothing if the service ignores the scope, as earlier versions do', async () => {
    answers['/token'] = () => ({
      body: { access_token: 'at', expires_in: 900, scope: 'openid profile email' },
    })
    const { code, err } = await laptop.svc('login', '--admin', '--server', origin, '--no-browser')
    expect([code, err]).to.deep.equal([1, 'svc: The service does not offer sign-ins for administration.\n'])
    expect(sent.get('/begin')).to.match(/scope=openid\+profile\+email\+admin$/)
    expect(await readFile(join(laptop.home, 'svc', 'admin.json'), 'utf8').catch(() => null)).to.equal(null)
  })

  const refusals: readonly (readonly [string, number])[] = [
    ['access_denied', 4],
    ['expired_token', 4],
    ['invalid_client', 1],
  ]
  for (const [error, exit] of refusals)
    it(`CLI-02 login ends with ${String(exit)} for ${error}, and stores nothing`, async () => {
      answers['/token'] = () => ({ status: 400, body: { error, error_description: '\u001b[2Jx' } })
      const { code, err } = await login()
      expect(code).to.equal(exit)
      expect(err).not.to.contain('\u001b')
      expect(await readFile(laptop.credentials, 'utf8').catch(() => null)).to.equal(null)
    })

  const impostors: Readonly<Record<string, () => void>> = {
    'names another issuer': () => {
      answers['/.well-known/openid-configuration'] = () => ({ body: { issuer: 'https://id.example.com' } })
    },
    'sends tokens elsewhere': () => {
      answers['/.well-known/openid-configuration'] = () => ({
        body: {
          issuer: origin,
          device_authorization_endpoint: `${origin}/begin`,
          token_endpoint: 'https://evil.example/token',
          userinfo_endpoint: `${origin}/me`,
        },
      })
    },
    'sends the user elsewhere': () => {
      answers['/begin'] = () => ({
        body: {
          device_code: 'd',
          user_code: 'BCDF-GHJK',
          verification_uri: 'https://evil.example/device',
          verification_uri_complete: 'https://evil.example/device',
        },
      })
    },
    'shows an invalid code': () => {
      const begin = answers['/begin']
      answers['/begin'] = (count) => ({
        body: { ...(begin?.(count).body as object), user_code: '\u001b]0;x\u0007' },
      })
    },
    'is not an identity service': () => {
      answers['/.well-known/openid-configuration'] = () => ({ status: 404, body: 'no' })
    },
  }
  for (const [what, arrange] of Object.entries(impostors))
    it(`CLI-02 login rejects a service that ${what}`, async () => {
      arrange()
      const { code, out } = await login()
      expect([code, out]).to.deep.equal([1, ''])
      expect(counts.get('/token')).to.equal(undefined)
    })

  it('CLI-02 follows no redirect with a token', async () => {
    await store()
    answers['/oauth2/userinfo'] = () => ({ status: 302, body: {}, location: `${origin}/elsewhere` })
    expect((await laptop.svc('whoami')).code).to.equal(5)
    expect(counts.get('/elsewhere')).to.equal(undefined)
  })

  it('CLI-02 renews a token once if the service rejects it, regardless of the local clock', async () => {
    await store()
    answers['/oauth2/userinfo'] = (count) =>
      count === 1
        ? { status: 401, body: { error: 'invalid_token' } }
        : { body: { sub: 'usr_1', email: 'ada@example.com', name: 'Ada', groups: [] } }
    answers['/oauth2/token'] = () => ({
      body: { access_token: 'at2', refresh_token: 'rt2', expires_in: 900 },
    })
    expect((await laptop.svc('whoami')).code).to.equal(0)
    expect(await laptop.read()).to.include({ accessToken: 'at2', refreshToken: 'rt2' })
    expect(counts.get('/oauth2/token')).to.equal(1)
  })
})
