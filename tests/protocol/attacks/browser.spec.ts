import { expect } from 'chai'
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import {
  basic,
  CALLBACK,
  oidcWorld,
  pkce,
  type OidcWorld,
  type TestApplication,
} from '../../support/oidc/oidc.ts'
import { testService, type TestPerson, type TestService } from '../../support/service/service.ts'

describe('Attacks through the browser', () => {
  let service: TestService
  let world: OidcWorld
  let app: TestApplication
  let person: TestPerson
  let stranger: TestPerson
  const proof = { code_challenge: pkce().challenge, code_challenge_method: 'S256' }
  before(async () => {
    service = await testService()
    world = oidcWorld(service)
    app = await world.application('web')
    person = await world.member(app)
    stranger = await service.person()
  })
  after(() => service.stop())

  type Answer = Awaited<ReturnType<OidcWorld['browse']>>

  const waiting = async (more = {}): Promise<string> => {
    const { location } = await world.authorize(app, null, { ...proof, ...more })
    return new URL(location ?? '').searchParams.get('authRequest') ?? ''
  }
  const cancel = (authRequest: string) =>
    world.browse('/sign-in/cancel', null, { method: 'POST', body: new URLSearchParams({ authRequest }) })

  /** Everything that these endpoints return as a page. */
  const pages: Record<string, () => Promise<Answer>> = {
    'an unknown client': () => world.authorize(app, person, { ...proof, client_id: 'sv_x' }),
    'an unregistered address': () =>
      world.authorize(app, person, { ...proof, redirect_uri: 'https://evil.example/' }),
    'nobody’s request': () => world.browse('/oauth2/authorize', null),
    'a posted request without a body': () => world.browse('/oauth2/authorize', null, { method: 'POST' }),
    'no access': () => world.authorize(app, stranger, proof),
    'a form that contains a code': () =>
      world.authorize(app, person, { ...proof, response_mode: 'form_post' }),
    'a form that contains an error': () => world.authorize(app, person, { response_mode: 'form_post' }),
    'an expired request': () => world.browse('/oauth2/authorize/resume?authRequest=x', person),
    'cancelling an expired request': () => cancel('x'),
    'the sign-in': async () => world.browse(`/sign-in?authRequest=${await waiting()}`, null),
    'the sign-in, requested again': async () => {
      const { location } = await world.authorize(app, person, { ...proof, prompt: 'login' })
      const { pathname, search } = new URL(location ?? '')
      return world.browse(pathname + search, person)
    },
    'an expired sign-in': () => world.browse('/sign-in?authRequest=x', null),
  }
  /** Everything that they redirect to. */
  const redirects: Record<string, () => Promise<Answer>> = {
    'a code': () => world.authorize(app, person, proof),
    'an error': () => world.authorize(app, person, {}),
    'a silent refusal': () => world.authorize(app, null, { ...proof, prompt: 'none' }),
    'to the sign-in': () => world.authorize(app, null, proof),
    'a posted request': () =>
      world.browse('/oauth2/authorize', null, {
        method: 'POST',
        body: new URLSearchParams({
          client_id: app.clientId,
          redirect_uri: CALLBACK,
          response_type: 'code',
          scope: 'openid',
          ...proof,
        }),
      }),
    'after the sign-in': async () =>
      world.browse(`/oauth2/authorize/resume?authRequest=${await waiting()}`, person),
    cancelling: async () => cancel(await waiting()),
  }

  describe('RFC 9700 §4.16 clickjacking: cannot be framed, runs nothing but our own script:', () => {
    for (const [what, show] of Object.entries(pages))
      it(what, async () => {
        const { headers, text, status } = await show()
        expect(status).to.be.oneOf([200, 400, 403, 404])
        expect(text).to.match(/^<!doctype html>/)
        const policy = headers.get('content-security-policy') ?? ''
        expect(policy).to.include("frame-ancestors 'none'").and.include("default-src 'none'")
        expect(policy).to.include("script-src 'self'").and.include("base-uri 'none'")
        // Chromium applies the policy of a form's page to the redirects that follow it, and those are the application's.
        if (!what.startsWith('a form that contains')) expect(policy).to.include("form-action 'self'")
        expect(policy).not.to.match(/unsafe|\*/)
        expect(headers.get('x-frame-options')).to.equal('DENY')
        expect(headers.get('x-content-type-options')).to.equal('nosniff')
        expect(headers.get('content-type')).to.equal('text/html; charset=utf-8')
        expect(text).not.to.match(/<script(?![^>]* src=)|javascript:|<[^>]*\son\w+=/i)
      })
  })

  describe('RFC 9700 §4.2 §4.3 neither referrer nor cache reveals', () => {
    for (const [what, get] of [...Object.entries(pages), ...Object.entries(redirects)])
      it(what, async () => {
        const { headers } = await get()
        expect(headers.get('referrer-policy')).to.equal('no-referrer')
        expect(headers.get('cache-control')).to.equal('no-store')
      })
    it('a response of the token endpoint and similar ones, with success or error', async () => {
      const { body } = await world.redeem(
        app,
        await world.code(app, person, { scope: 'openid offline_access' }),
      )
      const auth = { Authorization: basic(app.clientId, app.secret) }
      const post = (path: string, fields: Record<string, string>, headers: Record<string, string> = auth) =>
        fetch(`${service.publicUrl}/oauth2/${path}`, {
          method: 'POST',
          headers,
          body: new URLSearchParams(fields),
        })
      const answers = [
        await post('token', { grant_type: 'refresh_token', refresh_token: body.refresh_token }),
        await post('token', {}),
        await post('token', {}, {}),
        await post('introspect', { token: body.access_token }),
        await post('introspect', {}, {}),
        await post('revoke', { token: 'x' }),
        await post('revoke', {}, {}),
        await fetch(`${service.publicUrl}/oauth2/userinfo`, {
          headers: { Authorization: `Bearer ${String(body.access_token)}` },
        }),
        await fetch(`${service.publicUrl}/oauth2/userinfo`),
      ]
      for (const { headers, status, url } of answers) {
        expect(headers.get('cache-control'), `${url} ${String(status)}`).to.equal('no-store')
        expect(headers.get('x-content-type-options')).to.equal('nosniff')
        expect(headers.get('set-cookie')).to.equal(null)
      }
    })
  })

  describe('RFC 9700 §4.12 redirects with 303, so that no form is sent on:', () => {
    for (const [what, get] of Object.entries(redirects))
      it(what, async () => {
        const { status, text } = await get()
        expect([status, text]).to.deep.equal([303, ''])
      })
  })

  describe('RFC 9700 §4.11.2 open redirect: to the registered address or to ourselves, and nowhere else:', () => {
    for (const [what, get] of Object.entries(redirects))
      it(what, async () => {
        const { location } = await get()
        const { origin, pathname } = new URL(location ?? '')
        expect([
          CALLBACK,
          `${service.publicUrl}/sign-in`,
          `${service.publicUrl}/oauth2/authorize/resume`,
        ]).to.include(origin + pathname)
      })
    it('no error is sent to an address that was not checked first', async () => {
      const wrongs = [
        { response_type: 'token' },
        { scope: 'x' },
        { prompt: 'none' },
        { request: 'x' },
        { code_challenge: 'x' },
      ]
      for (const wrong of wrongs)
        for (const bad of [
          { redirect_uri: 'https://evil.example/' },
          { client_id: 'sv_x' },
          { redirect_uri: null },
        ]) {
          const answer = await world.authorize(app, person, { ...proof, ...wrong, ...bad })
          expect([answer.status, answer.location]).to.deep.equal([400, null])
        }
    })
    it('no parameter redirects the sign-in or the cancellation elsewhere', async () => {
      for (const name of ['returnTo', 'return_to', 'next', 'url', 'redirect', 'redirect_uri', 'continue']) {
        const extra = `${name}=${encodeURIComponent('https://evil.example/')}`
        const answers = [
          await world.browse(`/sign-in?${extra}`, person),
          await world.browse(`/oauth2/authorize/resume?authRequest=${await waiting()}&${extra}`, person),
          await world.browse('/sign-in/cancel', null, {
            method: 'POST',
            headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
            body: `authRequest=${await waiting()}&${extra}`,
          }),
        ]
        for (const { location } of answers) expect(location ?? '').not.to.include('evil')
      }
    })
  })

  describe('RFC 9700 §4.13 headers that proxies set or clients forge', () => {
    const raw = (path: string, headers: Record<string, string>) =>
      new Promise<{ status: number; headers: IncomingHttpHeaders; text: string }>((resolve, reject) => {
        const { port, hostname } = new URL(service.publicUrl)
        const request = httpRequest({ host: hostname, port, path, headers }, (response) => {
          let text = ''
          response.setEncoding('utf8')
          response.on('data', (chunk: string) => (text += chunk))
          response.on('end', () => {
            resolve({ status: response.statusCode ?? 0, headers: response.headers, text })
          })
        })
        request.on('error', reject).end()
      })
    const forged: Record<string, string>[] = [
      { Host: 'evil.example' },
      { Host: 'evil.example:443', 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'https' },
      { 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Port': '1', 'X-Forwarded-Prefix': '/evil' },
      { Forwarded: 'host=evil.example;proto=https', 'X-Original-Host': 'evil.example' },
      { 'X-Original-URL': '/evil', 'X-Rewrite-URL': '/evil', 'X-HTTP-Method-Override': 'POST' },
      { Host: 'evil.example', 'X-Host': 'evil.example', 'X-Forwarded-Server': 'evil.example' },
    ]
    for (const headers of forged)
      it(`${JSON.stringify(headers)} change neither issuer nor redirects nor tokens`, async () => {
        const plain = await raw('/.well-known/openid-configuration', {})
        const document = await raw('/.well-known/openid-configuration', headers)
        expect(document.text).to.equal(plain.text)
        const parameters = new URLSearchParams({
          client_id: app.clientId,
          redirect_uri: CALLBACK,
          response_type: 'code',
          scope: 'openid',
          ...proof,
        }).toString()
        const toSignIn = await raw(`/oauth2/authorize?${parameters}`, headers)
        expect(toSignIn.headers.location?.startsWith(`${service.publicUrl}/sign-in?authRequest=`)).to.equal(
          true,
        )
        const withCode = await raw(`/oauth2/authorize?${parameters}`, { ...headers, Cookie: person.cookie })
        const { origin, pathname, searchParams } = new URL(withCode.headers.location ?? '')
        expect(origin + pathname).to.equal(CALLBACK)
        expect(searchParams.get('iss')).to.equal(service.publicUrl)
        const page = await raw('/oauth2/authorize', headers)
        expect(page.text + JSON.stringify(page.headers)).not.to.include('evil')
      })
    it('the tokens’ issuer is the configured one, whatever the Host of a token request', async () => {
      const { code, verifier } = await world.code(app, person)
      const body = new URLSearchParams({
        grant_type: 'authorization_code',
        code,
        redirect_uri: CALLBACK,
        code_verifier: verifier,
      }).toString()
      const { port, hostname } = new URL(service.publicUrl)
      const text = await new Promise<string>((resolve, reject) => {
        const request = httpRequest(
          {
            ...{ host: hostname, port, path: '/oauth2/token', method: 'POST' },
            headers: {
              Host: 'evil.example',
              Authorization: basic(app.clientId, app.secret),
              'Content-Type': 'application/x-www-form-urlencoded',
              'Content-Length': Buffer.byteLength(body),
            },
          },
          (response) => {
            let all = ''
            response.on('data', (chunk: Buffer) => (all += chunk.toString()))
            response.on('end', () => {
              resolve(all)
            })
          },
        )
        request.on('error', reject).end(body)
      })
      expect(world.claimsIn((JSON.parse(text) as { id_token: string }).id_token).iss).to.equal(
        service.publicUrl,
      )
    })
  })

  describe('response splitting', () => {
    const breaks = [
      '\r\nSet-Cookie: evil=1',
      '\n\n<script>evil()</script>',
      '\r\rX-Evil: 1',
      '\u560d\u560aX-Evil: 1',
      '\u2028X-Evil: 1',
    ]
    for (const text of breaks)
      it(JSON.stringify(text), async () => {
        const answers = [
          await world.authorize(app, person, { ...proof, state: `s${text}` }),
          await world.authorize(app, person, { ...proof, nonce: `n${text}` }),
          await world.authorize(app, person, { ...proof, scope: `openid ${text}` }),
          await world.authorize(app, person, { ...proof, resource: `https://a.example/${text}` }),
          await world.authorize(app, person, { ...proof, redirect_uri: CALLBACK + text }),
          await world.authorize(app, person, { ...proof, login_hint: text, prompt: 'login' }),
        ]
        for (const { headers, location, text: body } of answers) {
          expect(headers.get('set-cookie')).to.equal(null)
          expect(headers.get('x-evil')).to.equal(null)
          expect(location ?? '').to.match(/^[\x21-\x7e]*$/)
          expect(body).not.to.include('<script>evil')
        }
      })
    it('a state with a line break is rejected, because a form would not return it unchanged', async () => {
      const { query } = await world.authorize(app, person, { ...proof, state: 'a\r\nb' })
      expect(query).to.include({ error: 'invalid_request', iss: service.publicUrl })
      expect(query).not.to.have.any.keys('state', 'code')
    })
  })

  describe('RFC 9700 §4.17 form_post', () => {
    const unescaped = (text: string) =>
      text
        .replaceAll('&quot;', '"')
        .replaceAll('&#39;', "'")
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&amp;', '&')
    const states = [
      '"><script>evil()</script>',
      "' onload='evil()",
      '&quot;&lt;',
      '</form><form action="https://evil.example">',
      '\u{1F9E8}\u2028',
      '</title>',
    ]
    for (const state of states)
      it(`escapes the state ${state}, and returns it unchanged`, async () => {
        const { text } = await world.authorize(app, person, { ...proof, state, response_mode: 'form_post' })
        const sent = /name="state" value="([^"]*)"/.exec(text)?.[1] ?? ''
        expect(unescaped(sent)).to.equal(state)
        expect(text.match(/<form/g)).to.have.length(1)
        expect(text).not.to.include('<script>evil')
        expect(text).to.include(`<form method="post" action="${CALLBACK}"`)
      })
    it('submits only to the registered address: the page has no other form, script or base element', async () => {
      const { headers, text } = await world.authorize(app, person, { ...proof, response_mode: 'form_post' })
      expect(text.match(/<form[^>]* action="[^"]*"/g)).to.deep.equal([
        `<form method="post" action="${CALLBACK}"`,
      ])
      expect(text).not.to.include('formaction')
      const policy = headers.get('content-security-policy')
      expect(policy).to.include("default-src 'none';").and.include("script-src 'self';")
      expect(policy).to.include("base-uri 'none'")
    })
  })

  it('names of applications and hints are escaped on every page', async () => {
    const name = `<img src=x onerror=evil()> ${String(Date.now())}`
    const odd = await world.application('web')
    await world.change({ type: 'update', applicationId: odd.applicationId, settings: { name } })
    await world.join(odd.groupId, person.userId)
    const { location } = await world.authorize(odd, null, { ...proof, login_hint: '<svg onload=evil()>' })
    const { pathname, search } = new URL(location ?? '')
    const shown = [
      await world.browse(pathname + search, null),
      await world.authorize(odd, stranger, proof),
      await world.authorize(odd, person, { ...proof, response_mode: 'form_post' }),
      await world.authorize(odd, person, { ...proof, redirect_uri: 'https://x.example/' }),
    ]
    for (const { text } of shown) {
      expect(text).to.include('&lt;img src=x')
      expect(text).not.to.match(/<img src=x|<svg onload/)
    }
  })
})
