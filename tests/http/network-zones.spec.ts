import { expect } from 'chai'
import { apiKey } from '../support/api/api-keys.ts'
import { CALLBACK, oidcWorld, type OidcWorld, type TestApplication } from '../support/oidc/oidc.ts'
import { testPlace, testService, type TestPerson, type TestService } from '../support/service/service.ts'
import { attempts } from '../support/sign-in/authenticator.ts'
import { policyWorld } from '../support/sign-in/policies.ts'
import { servicePair } from '../support/service/service-pair.ts'
import { until } from '../support/until.ts'

/** Responses of every shape are inspected. */
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any

const OFFICE = '198.51.100.7'
const ELSEWHERE = '203.0.113.9'
const ABROAD = '2001:db8:5::9'
/** Registered in Germany and in Japan. */
const GERMANY = '193.99.144.80'
const JAPAN = '133.11.0.1'

describe('SGN-07 network zones', function () {
  this.timeout(60_000)
  let service: TestService
  let oidc: OidcWorld
  let app: TestApplication
  let admin: TestPerson
  let person: TestPerson
  let place: Awaited<ReturnType<typeof testPlace>>

  before(async () => {
    place = await testPlace()
    const config = { ...place.config, trustedProxies: ['127.0.0.1/32', '::1/128'] }
    service = await testService({ ...place, config })
    oidc = oidcWorld(service)
    app = await oidc.application()
    admin = await service.person({}, ['global_admin'])
    person = await oidc.member(app)
  })
  after(async () => {
    await service.stop()
    await place.drop()
  })

  const from = (ip: string) => ({ 'X-Forwarded-For': ip })
  const send = (method: string, path: string, body?: unknown, ip = OFFICE) =>
    service.api(method, path, { as: admin, headers: from(ip), ...(body === undefined ? {} : { body }) })
  const zone = async (body: object): Promise<Json> => {
    const answer = await send('POST', '/network-zones', body)
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201)
    return answer.body
  }
  const without = async ({ id }: Json): Promise<void> => {
    expect((await send('DELETE', `/network-zones/${String(id)}`)).status).to.equal(204)
  }
  const authorize = async (ip: string, as: TestPerson | null = person) => {
    const query = new URLSearchParams({
      ...{ client_id: app.clientId, redirect_uri: CALLBACK, response_type: 'code', scope: 'openid' },
      ...{ code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 'S256' },
    })
    const answer = await oidc.browse(`/oauth2/authorize?${query.toString()}`, as, { headers: from(ip) })
    if (answer.query['code'] !== undefined) return 'code'
    return answer.status === 403 ? /ERR_[A-Z_]+/.exec(answer.text)?.[0] : 'sign-in'
  }

  it('SGN-07 are kept in one form, listed, and found for an address', async () => {
    const office = await zone({
      name: 'Office',
      type: 'ip',
      cidrs: ['198.51.100.99/24', '2001:DB8::/48'],
      trusted: true,
    })
    const europe = await zone({ name: 'Europe', type: 'geo', countries: ['FR', 'DE'] })
    expect(office).to.deep.include({
      ...{ cidrs: ['198.51.100.0/24', '2001:db8::/48'], countries: [], asns: [], usedBy: [], version: 1 },
      ...{ anonymizers: false, blocked: false, trusted: true },
    })
    const names = async (query: string) =>
      ((await send('GET', `/network-zones${query}`)).body as Json[]).map(({ name }) => String(name))
    expect(await names('')).to.deep.equal(['Europe', 'Office'])
    expect(await names('?type=geo')).to.deep.equal(['Europe'])
    expect(await names('?trusted=true')).to.deep.equal(['Office'])
    const lookUp = async (ip: string) => (await send('POST', '/network-zones/lookup', { ip })).body
    expect(await lookUp('::ffff:198.51.100.1')).to.deep.include({
      country: null,
      zones: [{ id: office.id, name: 'Office', blocked: false, trusted: true }],
    })
    const german = await lookUp(GERMANY)
    expect([german.country, german.zones.map(({ name }: Json) => name)]).to.deep.equal(['DE', ['Europe']])
    expect((await lookUp('nonsense')).error.field).to.equal('/ip')
    const again = await send('POST', '/network-zones', {
      name: 'OFFICE',
      type: 'ip',
      cidrs: ['192.0.2.0/24'],
    })
    expect([again.status, again.body.error.code]).to.deep.equal([409, 'ERR_CONFLICT'])
    await without(office)
    await without(europe)
  })

  it('SGN-06 SGN-07 are conditions of policies, by the address behind trusted proxies', async () => {
    const office = await zone({ name: 'Office', type: 'ip', cidrs: ['198.51.100.0/24'] })
    const japan = await zone({ name: 'Japan', type: 'geo', countries: ['JP'] })
    const policies = policyWorld(service)
    const outside = { zones: { include: 'any' as const, exclude: [String(office.id)] } }
    await policies.under({ action: 'block', conditions: outside }, async () => {
      expect(await authorize(OFFICE)).to.equal('code')
      expect(await authorize(ELSEWHERE)).to.equal('ERR_BLOCKED_BY_POLICY')
      // What a client writes itself is to the left of the address that the proxy adds.
      expect(await authorize(`${OFFICE}, ${ELSEWHERE}`)).to.equal('ERR_BLOCKED_BY_POLICY')
    })
    await policies.under(
      { conditions: { zones: { include: [String(japan.id)], exclude: [] } } },
      async () => {
        expect(await authorize(JAPAN)).to.equal('ERR_BLOCKED_BY_POLICY')
        expect(await authorize(GERMANY)).to.equal('code')
        const used = await send('DELETE', `/network-zones/${String(japan.id)}`)
        expect([used.status, used.body.error.message]).to.deep.equal([
          409,
          'This network zone is still used by the policy A policy.',
        ])
      },
    )
    const missing = await send('POST', '/policies', {
      ...{ name: 'Nowhere', action: 'block' },
      conditions: { zones: { include: ['nz_01JZ0000000000000000000001'] } },
    })
    expect([missing.status, missing.body.error.field]).to.deep.equal([422, '/conditions/zones/include/0'])
    await until(async () => (await send('GET', `/sign-ins?ip=${JAPAN}`)).body.length > 0)
    const [recorded] = (await send('GET', `/sign-ins?ip=${JAPAN}`)).body
    expect(recorded.decision.facts.zoneIds).to.deep.equal([japan.id])
    await without(office)
    await without(japan)
  })

  it('SGN-07 that are blocked refuse the very next request, on every instance', async () => {
    const pair = await servicePair()
    try {
      const root = await pair.one.person({}, ['global_admin'])
      const here = { name: 'Here', type: 'ip', cidrs: ['127.0.0.0/8', '::1'], blocked: true, force: true }
      const answer = await pair.one.api('POST', '/network-zones', { as: root, body: here })
      expect(answer.status, JSON.stringify(answer.body)).to.equal(201)
      for (const { publicUrl, api } of [pair.two, pair.one]) {
        expect((await api('POST', '/auth/passkey/options', { body: {} })).status, publicUrl).to.equal(403)
        expect((await fetch(`${publicUrl}/sign-in`)).status, publicUrl).to.equal(403)
        expect((await api('GET', '/me', { as: root })).status, publicUrl).to.equal(403)
      }
    } finally {
      await pair.stop()
    }
  })

  it('SGN-07 that are blocked refuse users before anything else, and are recorded once a minute', async () => {
    const abroad = await zone({
      name: 'Abroad',
      type: 'ip',
      cidrs: ['2001:db8:5::/48', '203.0.113.0/24'],
      blocked: true,
    })
    const key = await apiKey(service, { roles: ['auditor'] })
    const status = async (path: string, ip: string, as: TestPerson | null = person) =>
      (await oidc.browse(path, as, { headers: from(ip) })).status
    for (const ip of [ABROAD, ELSEWHERE, `::ffff:${ELSEWHERE}`]) {
      expect(await authorize(ip), ip).to.equal('ERR_BLOCKED_BY_POLICY')
      expect(await authorize(ip, null), ip).to.equal('ERR_BLOCKED_BY_POLICY')
      for (const path of ['/sign-in', '/account', '/console'])
        expect(await status(path, ip), path).to.equal(403)
      for (const path of ['/me', '/auth/requests/x', '/methods']) {
        const answer = await service.api('GET', path, { as: admin, headers: from(ip) })
        expect([answer.status, answer.body.error.code], path).to.deep.equal([403, 'ERR_BLOCKED_BY_POLICY'])
      }
      const options = await service.api('POST', '/auth/passkey/options', { body: {}, headers: from(ip) })
      expect(options.status).to.equal(403)
      // Programs are not users.
      const headers = { ...from(ip), Authorization: `Bearer ${key.key}` }
      expect((await service.api('GET', '/users', { headers })).status).to.equal(200)
      expect(await status('/.well-known/openid-configuration', ip, null)).to.equal(200)
    }
    expect(await authorize(OFFICE)).to.equal('code')
    const refused = async () =>
      ((await attempts(service)) as Json[]).filter(
        ({ userId, reason }) => userId === null && reason === 'blocked_by_policy',
      )
    await until(async () => (await refused()).length >= 2)
    expect((await refused()).length).to.be.at.most(3)

    const own = await send('POST', '/network-zones', {
      ...{ name: 'Mine', type: 'ip', cidrs: ['198.51.100.0/24'], blocked: true },
    })
    expect([own.status, own.body.error.code, own.body.error.field]).to.deep.equal([
      ...[409, 'ERR_CONFLICT', '/force'],
    ])
    await without(abroad)
    expect(await authorize(ELSEWHERE)).to.equal('code')
  })
})
