import { expect } from 'chai'
import { oidcWorld, type OidcWorld, type TestApplication } from '../../support/oidc/oidc.ts'
import { testService, type TestService } from '../../support/service/service.ts'

const SPA = 'https://spa.example.com'
const NAMED = 'https://named.example.com'
const AWAY = 'https://away.example.com'
const WHOLE = 'https://whole.example.com/cb'

describe('OpenID Connect: calls from other origins', () => {
  let service: TestService
  let world: OidcWorld
  let named: TestApplication
  before(async () => {
    service = await testService()
    world = oidcWorld(service)
    await world.application('spa', { redirectUris: [`${SPA}/cb`, 'http://localhost:5173/cb'] })
    named = await world.application('spa', { redirectUris: [`${AWAY}/cb`], allowedOrigins: [NAMED] })
    await world.application('web')
    await world.application('native', {
      redirectUris: ['https://native.example.com/cb', 'com.example.app:/cb'],
    })
  })
  after(() => service.stop())

  const call = (method: string, path: string, origin: string | null, headers: Record<string, string> = {}) =>
    fetch(service.publicUrl + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(origin === null ? {} : { Origin: origin }),
        ...headers,
        ...(method === 'POST' ? { 'Content-Type': 'application/x-www-form-urlencoded' } : {}),
      },
      ...(method === 'POST' ? { body: '' } : {}),
    })
  const preflight = (path: string, origin: string | null, method = 'POST') =>
    call('OPTIONS', path, origin, {
      'Access-Control-Request-Method': method,
      'Access-Control-Request-Headers': 'authorization,content-type',
    })
  const allowed = ({ headers }: Response) => headers.get('access-control-allow-origin')
  const open = ['/oauth2/token', '/oauth2/revoke', '/oauth2/userinfo']
  const documents = ['/.well-known/openid-configuration', '/oauth2/keys']

  for (const path of open) {
    it(`${path} accepts preflight requests of single-page applications`, async () => {
      for (const origin of [SPA, 'http://localhost:5173', NAMED]) {
        const answer = await preflight(path, origin)
        expect([answer.status, allowed(answer)]).to.deep.equal([204, origin])
        expect(answer.headers.get('access-control-allow-methods')).to.include('POST')
        expect(answer.headers.get('access-control-allow-headers')?.toLowerCase()).to.equal(
          'authorization, content-type',
        )
        expect(answer.headers.get('vary')).to.equal('Origin')
        expect(Number(answer.headers.get('access-control-max-age'))).to.be.greaterThan(0)
      }
    })
    it(`${path} lets them read responses, including errors`, async () => {
      for (const method of path === '/oauth2/userinfo' ? ['GET', 'POST'] : ['POST']) {
        const answer = await call(method, path, SPA)
        expect(answer.status).to.be.within(400, 401)
        expect(allowed(answer)).to.equal(SPA)
        expect(answer.headers.get('vary')).to.equal('Origin')
        expect(answer.headers.get('access-control-expose-headers')).to.include('WWW-Authenticate')
      }
    })
    it(`${path} allows no other origin: not of another application, not a part of a name, not null`, async () => {
      const others = [
        ...[
          'https://app.example.com',
          'https://native.example.com',
          'com.example.app:',
          AWAY,
          service.publicUrl,
        ],
        ...[
          'https://evil.example',
          `${SPA}.evil.example`,
          'https://evil-spa.example.com',
          'http://spa.example.com',
        ],
        ...[`${SPA}:8443`, `${SPA}/`, SPA.toUpperCase(), 'https://a.spa.example.com', 'https://example.com'],
        ...['null', '*', 'http://localhost:5174', 'http://127.0.0.1:5173', '__proto__', 'https://'],
      ]
      for (const origin of others) {
        expect(allowed(await preflight(path, origin)), origin).to.equal(null)
        const answer = await call('POST', path, origin)
        expect(allowed(answer), origin).to.equal(null)
        expect(answer.headers.get('vary')).to.equal('Origin')
      }
      expect(allowed(await call('POST', path, null))).to.equal(null)
    })
  }

  for (const path of documents)
    it(`${path} is open to every origin`, async () => {
      for (const origin of [SPA, 'https://evil.example', 'null', null]) {
        const answer = await call('GET', path, origin)
        expect([answer.status, allowed(answer)]).to.deep.equal([200, '*'])
        const preflightAnswer = await preflight(path, origin, 'GET')
        expect([preflightAnswer.status, allowed(preflightAnswer)]).to.deep.equal([204, '*'])
      }
    })

  for (const path of [
    '/oauth2/authorize',
    '/oauth2/authorize/resume',
    '/oauth2/introspect',
    '/oauth2/device_authorization',
    '/oauth2/logout',
    '/sign-in',
    '/sign-in/cancel',
    '/api/v1/me',
  ])
    it(`${path} is closed to scripts of other origins`, async () => {
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        const answer = method === 'OPTIONS' ? await preflight(path, SPA) : await call(method, path, SPA)
        expect(allowed(answer), method).to.equal(null)
      }
    })

  it('credentials are never allowed', async () => {
    for (const path of [...open, ...documents])
      for (const answer of [
        await preflight(path, SPA),
        await call('GET', path, SPA),
        await call('POST', path, SPA),
      ])
        expect(answer.headers.get('access-control-allow-credentials')).to.equal(null)
  })

  it('a whole sign-in from its origin: token, userinfo, revocation', async () => {
    const app = await world.application('spa', { redirectUris: [WHOLE] })
    const { origin } = new URL(WHOLE)
    const { code, verifier } = await world.code(app, await world.member(app), { redirect_uri: WHOLE })
    const post = (path: string, fields: Record<string, string>) =>
      fetch(service.publicUrl + path, {
        method: 'POST',
        headers: { Origin: origin },
        body: new URLSearchParams({ client_id: app.clientId, ...fields }),
      })
    const tokens = await post('/oauth2/token', {
      grant_type: 'authorization_code',
      code,
      redirect_uri: WHOLE,
      code_verifier: verifier,
    })
    expect([tokens.status, allowed(tokens)]).to.deep.equal([200, origin])
    const { access_token: token } = (await tokens.json()) as { access_token: string }
    const info = await fetch(`${service.publicUrl}/oauth2/userinfo`, {
      headers: { Origin: origin, Authorization: `Bearer ${token}` },
    })
    expect([info.status, allowed(info)]).to.deep.equal([200, origin])
    const revoked = await post('/oauth2/revoke', { token })
    expect([revoked.status, allowed(revoked)]).to.deep.equal([200, origin])
  })

  it('follows the applications: origins that change, and applications that are disabled', async () => {
    const { applicationId } = named
    const is = async (origin: string) => allowed(await preflight('/oauth2/token', origin)) === origin
    const set = (allowedOrigins: string[]) =>
      world.change({ type: 'update', applicationId, settings: { allowedOrigins } })
    await set(['https://new.example.com'])
    expect([await is('https://new.example.com'), await is(NAMED)]).to.deep.equal([true, false])
    await set([])
    expect([await is(AWAY), await is('https://new.example.com')]).to.deep.equal([true, false])
    await world.change({ type: 'disable', applicationId })
    expect(await is(AWAY)).to.equal(false)
    await world.change({ type: 'enable', applicationId })
    await set([NAMED])
    expect([await is(AWAY), await is(NAMED)]).to.deep.equal([false, true])
  })
})
