import { expect } from 'chai'
import { CALLBACK, oidcWorld, pkce, type OidcWorld, type TestApplication } from '../../support/oidc/oidc.ts'
import { testService, type TestPerson, type TestService } from '../../support/service/service.ts'

describe('OpenID Connect: the authorization endpoint', () => {
  let service: TestService
  let world: OidcWorld
  let app: TestApplication
  let person: TestPerson
  const { challenge } = pkce()
  const proof = { code_challenge: challenge, code_challenge_method: 'S256' }
  before(async () => {
    service = await testService()
    world = oidcWorld(service)
    app = await world.application('web')
    person = await world.member(app)
  })
  after(() => service.stop())

  const authRequestIn = (location: string | null): string =>
    new URL(location ?? '', service.publicUrl).searchParams.get('authRequest') ?? ''

  describe('OIDC-04 returns a page, never a redirect, if', () => {
    const cases: [string, Record<string, string | null>, string][] = [
      ['the client is unknown', { client_id: 'sv_nobody' }, 'ERR_INVALID_CLIENT'],
      ['no client is sent', { client_id: null }, 'ERR_INVALID_CLIENT'],
      ['no redirect URI is sent', { redirect_uri: null }, 'ERR_INVALID_REDIRECT_URI'],
      [
        'the redirect URI is a prefix',
        { redirect_uri: 'https://app.example.com/' },
        'ERR_INVALID_REDIRECT_URI',
      ],
      ['the redirect URI has a suffix', { redirect_uri: `${CALLBACK}/../x` }, 'ERR_INVALID_REDIRECT_URI'],
      ['the redirect URI has a query', { redirect_uri: `${CALLBACK}?x=1` }, 'ERR_INVALID_REDIRECT_URI'],
      [
        'the host differs in case',
        { redirect_uri: CALLBACK.replace('app', 'App') },
        'ERR_INVALID_REDIRECT_URI',
      ],
      [
        'the host is a prefix of another',
        { redirect_uri: 'https://app.example.com@evil.example/callback' },
        'ERR_INVALID_REDIRECT_URI',
      ],
      [
        'the redirect URI is oversized',
        { redirect_uri: `${CALLBACK}${'a'.repeat(3000)}` },
        'ERR_INVALID_REDIRECT_URI',
      ],
    ]
    for (const [what, parameters, code] of cases)
      it(what, async () => {
        const answer = await world.authorize(app, person, { ...proof, ...parameters })
        expect(answer.status).to.equal(400)
        expect(answer.location).to.equal(null)
        expect(answer.text).to.include(code)
        expect(answer.headers.get('cache-control')).to.equal('no-store')
      })
    it('the client is sent twice', async () => {
      const answer = await world.authorize(app, person, proof, `&client_id=${app.clientId}`)
      expect([answer.status, answer.location]).to.deep.equal([400, null])
    })
    it('the redirect URI is sent twice', async () => {
      const answer = await world.authorize(
        app,
        person,
        proof,
        `&redirect_uri=${encodeURIComponent(CALLBACK)}`,
      )
      expect([answer.status, answer.location]).to.deep.equal([400, null])
    })
  })

  describe('notifies the application, with state and iss, of', () => {
    const cases: [string, Record<string, string | null>, string][] = [
      [
        'OIDC-03 a missing challenge',
        { code_challenge: null, code_challenge_method: null },
        'invalid_request',
      ],
      ['OIDC-03 plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
      ['OIDC-03 an omitted method, which means plain', { code_challenge_method: null }, 'invalid_request'],
      ['OIDC-03 a challenge that is not a hash', { code_challenge: 'short' }, 'invalid_request'],
      ['OIDC-02 another response type', { response_type: 'token' }, 'unsupported_response_type'],
      ['OIDC-02 a hybrid response type', { response_type: 'code id_token' }, 'unsupported_response_type'],
      ['no response type', { response_type: null }, 'invalid_request'],
      ['an unknown response mode', { response_mode: 'fragment' }, 'invalid_request'],
      ['a request object', { request: 'e30.e30.' }, 'request_not_supported'],
      [
        'a request object by reference',
        { request_uri: 'https://app.example.com/r' },
        'request_uri_not_supported',
      ],
      ['a resource that is not granted', { resource: 'https://api.example.com' }, 'invalid_target'],
      ['no supported scope', { scope: 'unknown' }, 'invalid_scope'],
      ['an unknown prompt', { prompt: 'please' }, 'invalid_request'],
      ['prompt none together with another', { prompt: 'none login' }, 'invalid_request'],
      ['a max_age that is not a number', { max_age: '-1' }, 'invalid_request'],
      ['a nonce that is too long', { nonce: 'n'.repeat(513) }, 'invalid_request'],
      ['an id_token_hint that is not an ID token', { id_token_hint: 'a.b.c' }, 'invalid_request'],
    ]
    for (const [what, parameters, error] of cases)
      it(what, async () => {
        const answer = await world.authorize(app, person, { ...proof, ...parameters })
        expect(answer.status).to.equal(303)
        expect(answer.query).to.include({ error, state: 'the state', iss: service.publicUrl })
        expect(answer.query['code']).to.equal(undefined)
      })
    it('a parameter sent twice', async () => {
      const answer = await world.authorize(app, person, proof, '&nonce=a&nonce=b')
      expect(answer.query).to.include({
        error: 'invalid_request',
        error_description: 'nonce was sent more than once',
      })
    })
    it('a state that is too long, which is returned unchanged', async () => {
      const state = 's'.repeat(2049)
      const answer = await world.authorize(app, person, { ...proof, state })
      expect(answer.query).to.include({ error: 'invalid_request', state })
    })
  })

  it('OIDC-02 returns state byte for byte, and accepts a request without one', async () => {
    const state = 'ü & = + % "\'<>#?/ \u{1F600}'
    expect((await world.authorize(app, person, { ...proof, state })).query['state']).to.equal(state)
    const without = await world.authorize(app, person, { ...proof, state: null })
    expect(Object.keys(without.query).sort()).to.deep.equal(['code', 'iss'])
  })

  it('keeps the query of a registered address', async () => {
    const withQuery = await world.application('web', {
      redirectUris: ['https://app.example.com/cb?tenant=7'],
    })
    const someone = await world.member(withQuery)
    const { location } = await world.authorize(withQuery, someone, {
      ...proof,
      redirect_uri: 'https://app.example.com/cb?tenant=7',
    })
    expect(location).to.match(/^https:\/\/app\.example\.com\/cb\?tenant=7&code=/)
  })

  it('sends a user who is not signed in to sign in, and continues from there once', async () => {
    const answer = await world.authorize(app, null, { ...proof, login_hint: 'ada@example.com' })
    expect(answer.status).to.equal(303)
    expect(answer.location).to.match(new RegExp(`^${service.publicUrl}/sign-in\\?authRequest=[\\w-]{43}$`))
    const resume = `/oauth2/authorize/resume?authRequest=${authRequestIn(answer.location)}`
    const resumed = await world.browse(resume, person)
    expect(resumed.query['code']).to.be.a('string')
    expect(resumed.query['state']).to.equal('the state')
    const again = await world.browse(resume, person)
    expect(again.status).to.equal(404)
    expect(again.text).to.include('ERR_AUTH_REQUEST_EXPIRED')
  })

  it('returns the user with access_denied after a cancellation', async () => {
    const answer = await world.authorize(app, null, proof)
    const cancel = await world.browse('/sign-in/cancel', null, {
      method: 'POST',
      body: new URLSearchParams({ authRequest: authRequestIn(answer.location) }),
    })
    expect(cancel.status).to.equal(303)
    expect(cancel.query).to.include({ error: 'access_denied', state: 'the state', iss: service.publicUrl })
  })

  it('accepts a posted request, and continues with a GET that has the cookie', async () => {
    const body = new URLSearchParams({
      client_id: app.clientId,
      redirect_uri: CALLBACK,
      response_type: 'code',
      scope: 'openid',
      ...proof,
    })
    const posted = await world.browse('/oauth2/authorize', null, { method: 'POST', body })
    expect(posted.status).to.equal(303)
    const { pathname, search } = new URL(posted.location ?? '')
    expect(pathname).to.equal('/oauth2/authorize/resume')
    expect((await world.browse(pathname + search, person)).query['code']).to.be.a('string')
    body.set('ui_locales', 'fr de-AT')
    const german = await world.browse('/oauth2/authorize', null, { method: 'POST', body })
    const next = await world.browse(german.location?.replace(service.publicUrl, '') ?? '', null)
    expect(next.query).to.include({ language: 'de' })
  })

  describe('ASG-01 ASG-02 a user who is not assigned', () => {
    it('gets a page with a button back, and no code', async () => {
      const stranger = await service.person()
      const answer = await world.authorize(app, stranger, proof)
      expect(answer.status).to.equal(403)
      expect(answer.location).to.equal(null)
      expect(answer.text).to.include('ERR_NOT_ASSIGNED').and.include(`Back to ${app.name}`)
      const authRequest = /name="authRequest" value="([\w-]+)"/.exec(answer.text)?.[1] ?? ''
      const back = await world.browse('/sign-in/cancel', stranger, {
        method: 'POST',
        body: new URLSearchParams({ authRequest }),
      })
      expect(back.query['error']).to.equal('access_denied')
    })
    it('is every user as long as no group is assigned', async () => {
      const closed = await world.application('web', {}, { groups: 'none' })
      expect((await world.authorize(closed, person, proof)).status).to.equal(403)
    })
    it('gets access_denied if no page may be shown', async () => {
      const stranger = await service.person()
      const answer = await world.authorize(app, stranger, { ...proof, prompt: 'none' })
      expect(answer.query['error']).to.equal('access_denied')
    })
    it('includes members whose membership has expired', async () => {
      const late = await service.person()
      await world.join(app.groupId, late.userId, service.core.services.clock.in(1))
      const deadline = Date.now() + 5000
      let status = 0
      while (status !== 403 && Date.now() < deadline) ({ status } = await world.authorize(app, late, proof))
      expect(status).to.equal(403)
    })
  })

  describe('OIDC-20 prompt and max_age', () => {
    it('none without a session: login_required', async () => {
      const answer = await world.authorize(app, null, { ...proof, prompt: 'none' })
      expect(answer.query['error']).to.equal('login_required')
    })
    it('none with a session: a code', async () => {
      const answer = await world.authorize(app, person, { ...proof, prompt: 'none' })
      expect(answer.query['code']).to.be.a('string')
    })
    it('none with a session that is too old: login_required', async () => {
      const answer = await world.authorize(app, person, { ...proof, prompt: 'none', max_age: '0' })
      expect(answer.query['error']).to.equal('login_required')
    })
    it('consent is not required for our own applications', async () => {
      const answer = await world.authorize(app, person, { ...proof, prompt: 'consent' })
      expect(answer.query['code']).to.be.a('string')
    })
    for (const extra of [{ prompt: 'login' }, { prompt: 'select_account' }, { max_age: '0' }])
      it(`${JSON.stringify(extra)} requires a new sign-in`, async () => {
        const answer = await world.authorize(app, person, { ...proof, ...extra })
        expect(answer.location).to.include('/sign-in?authRequest=')
        const same = await world.browse(
          `/oauth2/authorize/resume?authRequest=${authRequestIn(answer.location)}`,
          person,
        )
        expect(same.location).to.include('/sign-in?authRequest=')
        const anew = await service.signIn(person.userId, person.email)
        const done = await world.browse(
          `/oauth2/authorize/resume?authRequest=${authRequestIn(same.location)}`,
          anew,
        )
        expect(done.query['code']).to.be.a('string')
      })
  })

  describe('id_token_hint', () => {
    it('of the signed-in user: a code', async () => {
      const { body } = await world.redeem(app, await world.code(app, person))
      const answer = await world.authorize(app, person, {
        ...proof,
        prompt: 'none',
        id_token_hint: body.id_token,
      })
      expect(answer.query['code']).to.be.a('string')
    })
    it('of another user: login_required, or a sign-in as that user', async () => {
      const other = await world.member(app)
      const { body } = await world.redeem(app, await world.code(app, other))
      const hint = { ...proof, id_token_hint: body.id_token }
      const silent = await world.authorize(app, person, { ...hint, prompt: 'none' })
      expect(silent.query['error']).to.equal('login_required')
      const answer = await world.authorize(app, person, hint)
      expect(answer.location).to.include('/sign-in?authRequest=')
      const anew = await service.signIn(person.userId, person.email)
      const wrong = await world.browse(
        `/oauth2/authorize/resume?authRequest=${authRequestIn(answer.location)}`,
        anew,
      )
      expect(wrong.query['error']).to.equal('login_required')
    })
  })

  it('OIDC-03 requires no challenge from a web application that an administrator exempted', async () => {
    const old = await world.application('web', { requirePkce: false })
    const someone = await world.member(old)
    expect((await world.authorize(old, someone)).query['code']).to.be.a('string')
    expect((await world.authorize(old, someone, { code_challenge: challenge })).query['error']).to.equal(
      'invalid_request',
    )
  })

  it('OIDC-04 a native application chooses its loopback port', async () => {
    const native = await world.application('native', {
      redirectUris: ['http://127.0.0.1/cb', 'com.example.app:/cb'],
    })
    const someone = await world.member(native)
    const at = (redirect_uri: string) => world.authorize(native, someone, { ...proof, redirect_uri })
    expect((await at('http://127.0.0.1:49152/cb')).location).to.match(
      /^http:\/\/127\.0\.0\.1:49152\/cb\?code=/,
    )
    expect((await at('com.example.app:/cb')).location).to.match(/^com\.example\.app:\/cb\?code=/)
    expect((await at('http://127.0.0.1:49152/other')).status).to.equal(400)
  })
})
