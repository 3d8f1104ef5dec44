import { expect } from 'chai'
import { defaultLimits, noLimits, type Limits } from '../../adapters/inbound/http/rate-limit-rules.ts'
import { newId } from '../../adapters/kernel/ids.ts'
import { testPlace, testService, type TestPlace, type TestService } from '../support/service/service.ts'

const perHour = (limit: number) => ({ limit, seconds: 3600 })

const limits: Limits = {
  ...noLimits,
  'sign-in': perHour(12),
  'sign-in-email': perHour(3),
  'magic-link': perHour(2),
  token: perHour(3),
  'client-failure': perHour(4),
  userinfo: perHour(2),
  introspect: perHour(2),
  browser: perHour(4),
  api: perHour(30),
}

/** Each test uses separate networks, as reported by a proxy. */
describe('request limits', function () {
  this.timeout(60_000)
  let place: TestPlace
  let service: TestService
  before(async () => {
    place = await testPlace({ rateLimits: limits, trustedProxies: ['127.0.0.1/32', '::1/128'] })
    service = await testService(place)
  })
  after(async () => {
    await service.stop()
    await place.drop()
  })

  const from = (ip: string) => ({ 'X-Forwarded-For': ip })
  const form = (path: string, fields: Record<string, string>, headers: Record<string, string>) =>
    fetch(`${service.publicUrl}${path}`, { method: 'POST', headers, body: new URLSearchParams(fields) })
  const basic = (id: string, secret: string) => ({
    Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
  })
  const machine = async (name: string) => {
    const admin = await service.person({}, ['global_admin'])
    const { body } = await service.api('POST', '/applications', {
      as: admin,
      body: { name, protocol: 'oidc', type: 'service' },
    })
    return { clientId: String(body.clientId), secret: String(body.clientSecret) }
  }
  const grant = { grant_type: 'client_credentials' }
  const statuses = async (n: number, ask: () => Promise<{ status: number }>): Promise<number[]> => {
    const results: number[] = []
    for (let i = 0; i < n; i++) results.push((await ask()).status)
    return results
  }

  it('SGN-04 SGN-05 a browser that leaves for an identity provider too often sees a page, a program reads JSON', async () => {
    const headers = from('192.0.2.77')
    const leave = (accept: string) =>
      fetch(`${service.publicUrl}/api/v1/auth/providers/${newId('identityProvider')}/start`, {
        redirect: 'manual',
        headers: { ...headers, Accept: accept },
      })
    const browser = 'text/html,application/xhtml+xml,*/*;q=0.8'
    expect(await statuses(12, () => leave(browser))).to.deep.equal(Array(12).fill(302))
    const shown = await leave(browser)
    expect([shown.status, shown.headers.get('content-type')]).to.deep.equal([429, 'text/html; charset=utf-8'])
    expect(Number(shown.headers.get('retry-after'))).to.be.greaterThan(0)
    expect(shown.headers.get('content-security-policy')).to.include("script-src 'self'")
    expect(await shown.text()).to.include('Too many')
    const read = await leave('*/*')
    expect([read.status, ((await read.json()) as { error: { code: string } }).error.code]).to.deep.equal([
      429,
      'ERR_RATE_LIMITED',
    ])
  })

  it('sign-in routes by network, which for IPv6 is a /64; the response says when to retry', async () => {
    let n = 0
    const ask = () =>
      service.api('POST', '/auth/passkey/options', {
        body: {},
        headers: from(`2001:db8:1:2::${String(++n)}`),
      })
    const first = await ask()
    expect(first.headers.get('ratelimit-policy')).to.equal('"sign-in";q=12;w=3600')
    expect(first.headers.get('ratelimit')).to.match(/^"sign-in";r=11;t=\d+$/)
    expect(new Set(await statuses(11, ask))).to.deep.equal(new Set([200]))
    const refused = await ask()
    expect([refused.status, refused.body.error.code]).to.deep.equal([429, 'ERR_RATE_LIMITED'])
    expect(Number(refused.headers.get('retry-after'))).to.be.within(200, 300)
    const elsewhere = await service.api('POST', '/auth/passkey/options', {
      body: {},
      headers: from('2001:db8:1:3::1'),
    })
    expect(elsewhere.status).to.equal(200)
  })

  it('SGN-02 by the entered address and the network, with or without an account, for correct and wrong attempts', async () => {
    const person = await service.person({ email: 'codes@example.com' })
    const made = await service.api('POST', '/me/methods/recovery-codes', { as: person })
    const right = String(made.body.recoveryCodes[0])
    const type = (email: string, code: string, ip = '192.0.2.1') =>
      service.api('POST', '/auth/code', { body: { email, code }, headers: from(ip) })
    for (const email of ['codes@example.com', 'nobody@example.com']) {
      const wrong = await type(email, '000000')
      expect(wrong.status).to.equal(401)
      expect(await statuses(2, () => type(email.toUpperCase(), '000000'))).to.deep.equal([401, 401])
      const refused = await type(email, right)
      expect([refused.status, refused.body.error.code]).to.deep.equal([429, 'ERR_RATE_LIMITED'])
      expect(refused.headers.get('ratelimit-policy')).to.equal('"sign-in-email";q=3;w=3600')
      expect((await type(email, '000000', '192.0.2.2')).status, 'another network').to.equal(401)
    }
  })

  it('SGN-03 emailed links by the entered address and the network', async () => {
    const ask = (email: string, ip = '198.51.100.1') =>
      service.api('POST', '/auth/magic-link', { body: { email }, headers: from(ip) })
    const first = await ask('link@example.com')
    expect(first.headers.get('ratelimit-policy')).to.equal('"sign-in";q=12;w=3600, "magic-link";q=2;w=3600')
    expect(await statuses(2, () => ask('Link@example.com'))).to.deep.equal([204, 429])
    expect((await ask('other@example.com')).status).to.equal(204)
    expect((await ask('link@example.com', '198.51.100.2')).status).to.equal(204)
  })

  it('the token endpoint by client, from any number of networks', async () => {
    const { clientId, secret } = await machine('Busy')
    const other = await machine('Quiet')
    let n = 0
    const ask = (id = clientId, key = secret) =>
      form('/oauth2/token', grant, { ...basic(id, key), ...from(`203.0.113.${String(++n)}`) })
    expect(await statuses(3, ask)).to.deep.equal([200, 200, 200])
    const refused = await ask()
    expect(refused.status).to.equal(429)
    expect(await refused.json()).to.deep.include({ error: 'too_many_requests' })
    expect(refused.headers.get('ratelimit-policy')).to.equal('"token";q=3;w=3600')
    expect(Number(refused.headers.get('retry-after'))).to.be.greaterThan(0)
    expect(refused.headers.get('cache-control')).to.equal('no-store')
    expect((await ask(other.clientId, other.secret)).status).to.equal(200)
  })

  it('OIDC-10 failed client authentication by network, client and secret: a wrong secret affects only itself', async () => {
    const { clientId, secret } = await machine('Guessed')
    const ask = (key: string, ip = '203.0.113.99', path = '/oauth2/token') =>
      form(path, grant, { ...basic(clientId, key), ...from(ip) })
    expect(await statuses(5, () => ask('wrong'))).to.deep.equal([401, 401, 401, 401, 429])
    const refused = await ask('wrong')
    expect(refused.headers.get('ratelimit-policy')).to.equal('"client-failure";q=4;w=3600')
    expect((await ask('wrong', '203.0.113.98')).status, 'another network').to.equal(401)
    expect((await ask('wrong too')).status, 'another secret').to.equal(401)
    expect((await ask(secret)).status, 'the correct secret from the same network').to.equal(200)
  })

  it('OIDC-10 even after many guessed secrets from one address, every client there still works', async () => {
    const [guessed, other] = [await machine('Behind a proxy'), await machine('Behind it too')]
    const ask = (id: string, key: string, path = '/oauth2/token') =>
      form(path, { ...grant, token: 'x' }, { ...basic(id, key), ...from('203.0.113.97') })
    for (const path of ['/oauth2/token', '/oauth2/introspect', '/oauth2/revoke'])
      for (let n = 0; n < 15; n++) {
        await ask(guessed.clientId, `guess ${String(n)}`, path)
        await ask(`sv_${String(n)}`, 'x', path)
        await form(path, { ...grant, client_id: guessed.clientId }, from('203.0.113.97'))
      }
    for (const { clientId, secret } of [guessed, other])
      for (const path of ['/oauth2/token', '/oauth2/introspect', '/oauth2/revoke'])
        expect((await ask(clientId, secret, path)).status, path).to.equal(200)
  })

  it('introspection by the requesting client; userinfo by network for invalid tokens', async () => {
    const { clientId, secret } = await machine('Looks at tokens')
    const look = () =>
      form('/oauth2/introspect', { token: 'x' }, { ...basic(clientId, secret), ...from('192.0.2.200') })
    expect(await statuses(3, look)).to.deep.equal([200, 200, 429])
    const info = () =>
      fetch(`${service.publicUrl}/oauth2/userinfo`, {
        headers: { Authorization: 'Bearer x', ...from('192.0.2.201') },
      })
    expect(await statuses(3, info)).to.deep.equal([401, 401, 429])
    expect(await (await info()).json()).to.deep.include({ error: 'too_many_requests' })
  })

  it('pages and the authorization endpoint by network; cacheable documents are not limited', async () => {
    const open = (path: string) =>
      fetch(`${service.publicUrl}${path}`, { headers: from('192.0.2.210'), redirect: 'manual' })
    expect(await statuses(2, () => open('/sign-in'))).to.deep.equal([200, 200])
    expect(await statuses(2, () => open('/oauth2/authorize'))).to.deep.equal([400, 400])
    for (const path of ['/sign-in', '/oauth2/authorize', '/oauth2/logout']) {
      const refused = await open(path)
      expect([refused.status, refused.headers.get('content-type')], path).to.deep.equal([
        429,
        'text/html; charset=utf-8',
      ])
      expect(Number(refused.headers.get('retry-after')), path).to.be.greaterThan(0)
    }
    for (const path of ['/oauth2/keys', '/.well-known/openid-configuration'])
      for (let i = 0; i < 10; i++) {
        const answer = await open(path)
        expect(answer.status).to.equal(200)
        expect(answer.headers.get('cache-control')).to.equal('public, max-age=300')
      }
    expect((await open('/healthz')).status).to.equal(200)
  })

  it('the JSON API by session', async () => {
    const [busy, quiet] = [await service.person(), await service.person()]
    const ask = (as = busy) => service.api('GET', '/me', { as, headers: from('192.0.2.220') })
    expect(new Set(await statuses(30, ask))).to.deep.equal(new Set([200]))
    expect((await ask()).status).to.equal(429)
    expect((await ask(quiet)).status).to.equal(200)
  })

  it('with the defaults in the requirement', () => {
    expect(defaultLimits).to.deep.include({
      'sign-in': { limit: 20, seconds: 60 },
      'sign-in-email': { limit: 10, seconds: 60 },
      'magic-link': { limit: 3, seconds: 900 },
      token: { limit: 300, seconds: 60 },
      'client-failure': { limit: 20, seconds: 60 },
      userinfo: { limit: 3000, seconds: 60 },
      introspect: { limit: 3000, seconds: 60 },
      api: { limit: 600, seconds: 60 },
    })
  })
})
