/** Secrets and personal data of a test day: none is stored readable, returned or logged. */
import { expect } from 'chai'
import { randomBytes } from 'node:crypto'
import { rebuildReadModels } from '../../cli/server/rebuild.ts'
import { userStream } from '../../domain/user/decider.ts'
import { eventSerializer, openedSource } from '../../adapters/engines/event-log/serializer.ts'
import { openVault } from '../../adapters/engines/vault/vault.ts'
import { useAKey } from '../support/api/api-key-day.ts'
import { dumpSchema, leaks } from '../support/audit/leaks.ts'
import { basic, CALLBACK, pkce } from '../support/oidc/oidc.ts'
import { serve, type ServeProcess } from '../support/service/processes.ts'
import { freePort, recordingLog, testPlace, testService } from '../support/service/service.ts'
import type { TestPlace, TestService } from '../support/service/service.ts'
import { softPasskey } from '../support/sign-in/soft-passkey.ts'
import { until } from '../support/until.ts'
import { READ_MODELS as rm } from '../../read-models/schema.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape are looked into
type Json = any

/** Returns a word that occurs nowhere else. */
const marker = (what: string): string => `zq${what}${randomBytes(6).toString('hex')}`

const PERSONAL = {
  email: `${marker('mail')}@example.com`,
  'new email': `${marker('mail')}@example.com`,
  name: `${marker('Name')} Somebody`,
  'given name': marker('Given'),
  'family name': marker('Family'),
  department: marker('Department'),
  title: marker('Title'),
  phone: `+44 ${marker('phone')}`,
  'custom attribute': marker('custom'),
  'suspend reason': marker('reason'),
  'passkey name': marker('passkey'),
  'renamed passkey': marker('passkey'),
  ip: '203.0.113.177',
  'user agent': `Mozilla/5.0 ${marker('agent')}`,
}
const OTHER = { 'other email': `${marker('other')}@example.com`, 'other name': marker('Other') }

describe('secrets and personal data', function () {
  this.timeout(120_000)
  let place: TestPlace
  /** Another instance on the same database, which has read everything and has the keys in memory. */
  let second: TestService
  let service: ServeProcess
  let metricsUrl: string
  let admin: string
  let userId: string
  let otherId: string
  let events: Awaited<ReturnType<TestService['core']['eventLog']['readStream']>>
  const secrets: Record<string, string> = {}
  const wrong: Record<string, string> = {}
  const refusals: string[] = []
  /** All rows as they were at the end of the day, before the erasure. */
  let lasting: readonly string[]
  let readModels: readonly string[]

  interface Extras {
    readonly body?: unknown
    readonly raw?: string
    readonly cookie?: string
    readonly headers?: Readonly<Record<string, string>>
  }

  const request = async (method: string, path: string, { body, raw, cookie, headers }: Extras = {}) => {
    const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body))
    const response = await fetch(`${service.url}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(sent === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(cookie === undefined ? {} : { Cookie: cookie }),
        // The administrator has another address, which the user's erasure does not remove.
        'X-Forwarded-For': cookie === admin ? '198.51.100.7' : PERSONAL.ip,
        'User-Agent': cookie === admin ? 'a browser' : PERSONAL['user agent'],
        ...headers,
      },
      ...(sent === undefined ? {} : { body: sent }),
    })
    const text = await response.text()
    const json = (response.headers.get('content-type') ?? '').includes('json')
    if (response.status >= 400) refusals.push(`${method} ${String(response.status)} ${text}`)
    return {
      status: response.status,
      headers: response.headers,
      body: json && text !== '' ? JSON.parse(text) : text,
    }
  }
  const asAdmin = async (method: string, path: string, body?: unknown, headers = {}): Promise<Json> => {
    const answer = await request(method, `/api/v1${path}`, { body, cookie: admin, headers })
    expect(answer.status, `${method} ${path} ${JSON.stringify(answer.body)}`).to.be.lessThan(300)
    return answer.body
  }
  const tokenOf = (enrollUrl: string): string => enrollUrl.split('/').at(-1) ?? ''
  const cookieOf = (headers: Headers): string => (headers.getSetCookie()[0] ?? '').split(';')[0] ?? ''
  const form = (fields: Readonly<Record<string, string>>, authorization?: string): Extras => ({
    raw: new URLSearchParams(fields).toString(),
    headers: {
      'Content-Type': 'application/x-www-form-urlencoded',
      ...(authorization === undefined ? {} : { Authorization: authorization }),
    },
  })

  /** Invited, invited again, enrolled with a passkey, signed in with it, changed, reset, suspended and restored. */
  const live = async (): Promise<string> => {
    const invited = await asAdmin(
      'POST',
      '/users',
      {
        email: PERSONAL.email,
        name: PERSONAL.name,
        givenName: PERSONAL['given name'],
        familyName: PERSONAL['family name'],
        department: PERSONAL.department,
        phone: PERSONAL.phone,
        custom: { badge: PERSONAL['custom attribute'] },
      },
      { 'Idempotency-Key': 'person' },
    )
    userId = invited.id
    secrets['invite token'] = tokenOf(invited.enrollUrl)
    secrets['second invite token'] = tokenOf((await asAdmin('POST', `/users/${userId}/invite`)).enrollUrl)
    const passkey = softPasskey(`http://localhost:${String(service.port)}`)
    const enroll = async (token: string): Promise<string> => {
      const begun = (await request('POST', `/api/v1/auth/enroll/${token}/passkey/options`)).body
      const done = await request('POST', `/api/v1/auth/enroll/${token}/passkey`, {
        body: {
          ceremonyId: begun.ceremonyId,
          credential: passkey.create(begun.publicKey),
          name: PERSONAL['passkey name'],
        },
      })
      expect(done.status, JSON.stringify(done.body)).to.equal(200)
      return cookieOf(done.headers)
    }
    const first = await enroll(secrets['second invite token'])
    secrets['first session cookie'] = first.split('=')[1] ?? ''
    const begun = (await request('POST', '/api/v1/auth/passkey/options', { body: { email: PERSONAL.email } }))
      .body
    const signedIn = await request('POST', '/api/v1/auth/passkey/verify', {
      body: { ceremonyId: begun.ceremonyId, credential: passkey.get(begun.publicKey, userId) },
    })
    expect(signedIn.status, JSON.stringify(signedIn.body)).to.equal(200)
    const cookie = cookieOf(signedIn.headers)
    secrets['session cookie'] = cookie.split('=')[1] ?? ''
    const [method] = (await request('GET', '/api/v1/me/methods', { cookie })).body
    const renamed = await request('PATCH', `/api/v1/me/methods/${String(method.id)}`, {
      cookie,
      body: { name: PERSONAL['renamed passkey'] },
    })
    expect(renamed.status).to.equal(200)
    await asAdmin('PATCH', `/users/${userId}`, { title: PERSONAL.title, email: PERSONAL['new email'] })
    return cookie
  }

  const useAnApplication = async (cookie: string): Promise<void> => {
    const group = await asAdmin('POST', '/groups', { name: 'Readers' })
    await asAdmin('PUT', `/groups/${String(group.id)}/members/${userId}`, {})
    const registration = {
      name: 'Payroll',
      protocol: 'oidc',
      type: 'web',
      redirectUris: [CALLBACK],
      groupIds: [group.id],
    }
    const key = { 'Idempotency-Key': 'application' }
    const app = await asAdmin('POST', '/applications', registration, key)
    secrets['client secret'] = app.clientSecret
    const repeated = await asAdmin('POST', '/applications', registration, key)
    expect(repeated.clientSecret).to.equal(app.clientSecret)
    const more = await asAdmin('POST', `/applications/${String(app.id)}/secrets`, {})
    secrets['further client secret'] = more.clientSecret
    const rotated = await asAdmin('POST', `/applications/${String(app.id)}/secret/rotate`, {})
    secrets['rotated client secret'] = rotated.clientSecret

    const { verifier, challenge } = pkce()
    secrets['code verifier'] = verifier
    const parameters = new URLSearchParams({
      client_id: app.clientId,
      redirect_uri: CALLBACK,
      response_type: 'code',
      scope: 'openid profile email',
      state: marker('state'),
      nonce: marker('nonce'),
      login_hint: PERSONAL.email,
      code_challenge: challenge,
      code_challenge_method: 'S256',
    }).toString()
    const waiting = await request('GET', `/oauth2/authorize?${parameters}`)
    expect(waiting.status).to.equal(303)
    const answer = await request('GET', `/oauth2/authorize?${parameters}`, { cookie })
    const code = new URL(answer.headers.get('location') ?? '').searchParams.get('code') ?? ''
    expect(code).not.to.equal('')
    secrets['authorization code'] = code
    const redeem = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: CALLBACK,
      code_verifier: verifier,
    }
    wrong['wrong client secret'] = `svs_${marker('wrong')}`
    const refused = await request(
      'POST',
      '/oauth2/token',
      form(redeem, basic(app.clientId, wrong['wrong client secret'])),
    )
    expect(refused.status).to.equal(401)
    const right = basic(app.clientId, secrets['rotated client secret'] ?? '')
    const tokens = (await request('POST', '/oauth2/token', form(redeem, right))).body
    expect(tokens).to.include.keys('access_token', 'id_token')
    secrets['access token'] = tokens.access_token
    secrets['ID token'] = tokens.id_token
    const bearer = { Authorization: `Bearer ${String(tokens.access_token)}` }
    const userinfo = await request('GET', '/oauth2/userinfo', { headers: bearer })
    expect(userinfo.body.sub).to.equal(userId)

    // Sends secrets in wrong places and in rejected requests.
    const { 'client secret': secret = '', 'access token': access = '', 'ID token': id = '' } = secrets
    for (const [method, path, more] of [
      ['GET', `/oauth2/nowhere?code=${code}&client_secret=${secret}`, {}],
      ['GET', `/api/v1/users?access_token=${access}&limit=${secret}`, { cookie: admin }],
      ['GET', `/api/v1/users/${secret}`, { cookie: admin }],
      ['GET', `/oauth2/token?client_secret=${secret}&code=${code}`, {}],
      ['POST', '/oauth2/token', form({ ...redeem, client_id: app.clientId, client_secret: secret }, right)],
      ['POST', '/oauth2/token', form({ grant_type: secret, code }, right)],
      ['POST', '/oauth2/token', form({ ...redeem, code: access }, right)],
      ['POST', '/oauth2/token', form(redeem, right)],
      ['POST', '/oauth2/token', { raw: `{"client_secret":"${secret}"`, headers: {} }],
      ['POST', '/oauth2/token', form(redeem, `Basic ${secret}`)],
      ['POST', '/oauth2/userinfo', { headers: { Authorization: `Bearer ${id}` } }],
      ['GET', '/oauth2/userinfo', { headers: { Authorization: `Bearer ${access}x` } }],
      ['GET', `/oauth2/authorize?client_id=${secret}&redirect_uri=https://${secret}.example/`, { cookie }],
      ['GET', `/oauth2/authorize?${parameters}&client_secret=${secret}&scope=${access}`, { cookie }],
      ['POST', '/api/v1/users', { raw: `{"email":"${secret}","name":"${access}`, cookie: admin }],
      ['POST', '/api/v1/users', { raw: `{"a":"${secret}","a":"${access}"}`, cookie: admin }],
      ['POST', '/api/v1/users', { body: { email: secret, name: '' }, cookie: admin }],
      ['POST', '/api/v1/users', { body: { email: 'a@b.example', name: 'A', locale: secret }, cookie: admin }],
      [
        'POST',
        '/api/v1/users',
        { body: { email: 'a@b.example', name: 'A', managerId: secret }, cookie: admin },
      ],
      [
        'POST',
        '/api/v1/users',
        { body: { email: PERSONAL['new email'], name: PERSONAL.name }, cookie: admin },
      ],
      ['POST', '/api/v1/users', { body: {}, cookie: `svc_session=${secret}` }],
      ['POST', '/api/v1/users', { body: {}, headers: { Authorization: `Bearer ${secret}` } }],
      ['POST', '/api/v1/applications', { body: { ...registration, redirectUris: [secret] }, cookie: admin }],
      ['POST', '/api/v1/applications', { body: { ...registration, type: secret }, cookie: admin }],
      ['POST', '/api/v1/applications', { body: registration, cookie: admin, headers: key }],
      ['GET', `/api/v1/auth/enroll/${secrets['invite token'] ?? ''}`, {}],
      [
        'POST',
        `/api/v1/auth/enroll/${secrets['second invite token'] ?? ''}/passkey`,
        { raw: `{"x":"${secret}` },
      ],
      ['POST', '/api/v1/auth/passkey/verify', { body: { ceremonyId: access, credential: { id: secret } } }],
      ['GET', `/enroll/${secrets['invite token'] ?? ''}`, {}],
      ['GET', `/nowhere/${secret}?token=${access}`, {}],
    ] as const)
      await request(method, path, more)
  }

  const kept = async (...schemas: readonly string[]): Promise<readonly string[]> =>
    (await Promise.all(schemas.map((schema) => dumpSchema(second.core.workPool, schema)))).flat()

  before(async () => {
    place = await testPlace()
    second = await testService(place)
    const boss = await second.person({}, ['global_admin'])
    const other = await second.person({ email: OTHER['other email'], name: OTHER['other name'] })
    admin = boss.cookie
    otherId = other.userId
    secrets['administrator cookie'] = boss.cookie.split('=')[1] ?? ''
    const port = await freePort()
    metricsUrl = `http://127.0.0.1:${String(port)}/metrics`
    service = await serve(
      { databaseUrl: place.databaseUrl, secretKey: place.config.secretKey ?? '' },
      {
        SVC_LOG_LEVEL: 'trace',
        SVC_METRICS_LISTEN: `127.0.0.1:${String(port)}`,
        SVC_TRUSTED_PROXIES: '127.0.0.1',
      },
    )
    const cookie = await live()
    await useAnApplication(cookie)
    secrets['API key'] = await useAKey(asAdmin, request)
    secrets['reset token'] = tokenOf((await asAdmin('POST', `/users/${userId}/reset-methods`)).enrollUrl)
    await asAdmin('POST', `/users/${userId}/suspend`, { reason: PERSONAL['suspend reason'] })
    secrets['secret key'] = place.config.secretKey ?? ''
    lasting = await kept('log', 'work', 'vault')
    readModels = await kept(rm)
    events = await second.core.eventLog.readStream(userStream(userId))
  })
  after(async () => {
    await service.kill('SIGKILL')
    await second.stop()
    await place.drop()
  })

  it('AUT-01 ID-02 keeps no secret in log, work, vault or read models', () => {
    expect(Object.keys(secrets)).to.have.length.greaterThan(12)
    const rows = [...lasting, ...readModels]
    expect(rows.length).to.be.greaterThan(40)
    expect(leaks(rows, { ...secrets, ...wrong })).to.deep.equal([])
  })

  it('EVT-01 stores no readable personal data in log, work or vault', () => {
    expect(leaks(lasting, { ...PERSONAL, ...OTHER })).to.deep.equal([])
    // Checks that the search itself works.
    const leaked = leaks(readModels, PERSONAL).map((line) => line.split(' in ')[0])
    expect(leaked).to.include.members(['name', 'phone', 'ip', 'user agent', 'suspend reason', 'new email'])
  })

  it('AUT-01 reveals no secret in an error', () => {
    expect(refusals.length).to.be.greaterThan(25)
    expect(leaks(refusals, { ...secrets, ...wrong })).to.deep.equal([])
  })

  it('AUT-01 neither logs nor metrics contain secrets or personal data, even when the database fails', async () => {
    const pool = second.core.workPool
    await pool.query('alter table work.auth_request add constraint no_more check (false) not valid')
    const [client] = (
      await pool.query<{ id: string }>(`select client_id as id from ${rm}.applications where not built_in`)
    ).rows
    const parameters = new URLSearchParams({
      client_id: client?.id ?? '',
      redirect_uri: CALLBACK,
      response_type: 'code',
      scope: 'openid',
      login_hint: PERSONAL.email,
      code_challenge: pkce().challenge,
      code_challenge_method: 'S256',
    })
    const failed = await request('GET', `/oauth2/authorize?${parameters.toString()}`)
    await pool.query('alter table work.auth_request drop constraint no_more')
    expect(failed.status).to.equal(303)
    expect(failed.headers.get('location')).to.include('error=server_error')
    await until(() => service.output().includes('request failed'), 5000, 'the log line')
    const metrics = await (await fetch(metricsUrl)).text()
    expect(metrics).to.contain('svc_http_request_duration_seconds')
    const said = [...service.output().split('\n'), ...metrics.split('\n'), ...second.log.lines]
    expect(leaks(said, { ...secrets, ...wrong, ...PERSONAL, ...OTHER })).to.deep.equal([])
    expect(service.output()).not.to.contain('Failing row')
  })

  it('ID-02 EVT-03 erasing a person leaves none of their data readable and other users unchanged, also after a replay', async () => {
    const { vault } = second.core.services
    await vault.ensureLoaded([userId])
    expect(JSON.stringify(await eventSerializer(vault).open(events))).to.contain(PERSONAL.name)
    expect(vault.personKeyState(userId)).to.equal('present')
    expect((await rebuildReadModels(place.config, recordingLog(), true)).differences).to.deep.equal([])
    const untouched = async () =>
      (await kept(rm)).filter((row) => row.startsWith(`${rm}.`) && row.includes(otherId)).sort()
    const before = await untouched()
    expect(before.length).to.be.greaterThan(1)

    await asAdmin('DELETE', `/users/${userId}`)
    await asAdmin('POST', `/users/${userId}/erase`)

    expect((await asAdmin('GET', `/users/${userId}`)).name).to.equal('Erased user')
    expect(leaks(await kept('log', 'work', 'vault', rm), PERSONAL)).to.deep.equal([])
    expect(await untouched()).to.deep.equal(before)
    expect((await asAdmin('GET', `/users/${otherId}`)).name).to.equal(OTHER['other name'])

    const stranger = await openVault({
      pool: second.core.workPool,
      secretKey: place.config.secretKey ?? '',
      now: () => new Date(),
      random: randomBytes,
    })
    const invited = events.find(({ type }) => type === 'user.invited')
    const sealed = String((invited?.data as { profile: unknown }).profile)
    await stranger.ensureLoaded([userId])
    expect(sealed).to.match(/^sealed!p1\./)
    const aad = `${userStream(userId)}|${invited?.id ?? ''}|profile`
    expect(stranger.openFor(userId, sealed.slice('sealed!'.length), aad)).to.equal(null)

    // The other instance had the key in memory, and drops it once it has read the erasure event.
    const serializer = eventSerializer(vault)
    const stream = await second.core.eventLog.readStream(userStream(userId))
    expect(leaks([JSON.stringify(await serializer.open(stream))], PERSONAL)).to.deep.equal([])
    expect(vault.personKeyState(userId)).to.equal('destroyed')
    const all = await second.core.eventLog.readAll('' as never, 10_000)
    expect(leaks([JSON.stringify(await serializer.open(all))], PERSONAL)).to.deep.equal([])
    expect(leaks([JSON.stringify(await serializer.open(events))], PERSONAL)).to.deep.equal([])

    // A replay from the beginning gives the same rows without the key.
    expect((await rebuildReadModels(place.config, recordingLog(), true)).differences).to.deep.equal([])
    const replay = await rebuildReadModels(place.config, recordingLog(), false)
    expect(replay.swapped).to.equal(true)
    const source = openedSource(second.core.eventLog, eventSerializer(second.core.services.vault))
    expect((await source.read('', 10_000)).events.length).to.be.greaterThan(20)
    expect((await asAdmin('GET', `/users/${userId}`)).name).to.equal('Erased user')
  })
})
