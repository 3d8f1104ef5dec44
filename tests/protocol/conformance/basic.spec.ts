/** One test for each module of the Basic OP and the Form Post Basic OP plans; infra/docs/conformance.md lists them. */
import { expect } from 'chai'
import { CALLBACK, pkce } from '../../support/oidc/oidc.ts'
import type { TestPerson } from '../../support/service/service.ts'
import { nextSecond, relyingParty, secondsAfter, type Fields, type RelyingParty } from './relying-party.ts'

/** Every module of a plan. @param mode what each request of the plan says about the response */
const modules = (plans: () => RelyingParty, mode: Fields): void => {
  let rp: RelyingParty
  before(() => {
    rp = plans().inMode(mode)
  })

  /** Expects the sign-in page without a session, and that the flow succeeds after a sign-in. */
  const fromSignIn = async (extra: Fields) => {
    const parameters = rp.request(extra)
    const { answer, signedIn } = await rp.atSignIn(parameters, null)
    const tokens = await rp.exchange(rp.codeIn(answer, parameters), parameters)
    return { ...tokens, signedIn, userinfo: await rp.userinfo(tokens) }
  }

  let signedInEarlier: ReturnType<typeof fromSignIn> | undefined
  /** One sign-in for the modules that only come back to it, so that its seconds pass meanwhile. */
  const earlier = () => (signedInEarlier ??= fromSignIn({}))

  /** With a session, expects a silent second response for the same user and sign-in. */
  const sameTwice = async (one: Awaited<ReturnType<typeof fromSignIn>>, second: Fields) => {
    await secondsAfter(one, 1)
    const two = await rp.flow(second, one.signedIn)
    expect(two.claims.sub).to.equal(one.claims.sub)
    expect(two.claims['auth_time']).to.be.a('number').and.equal(one.claims['auth_time'])
  }

  /** With a session, expects another sign-in. */
  const signsInAgain = async (second: Fields) => {
    const one = await earlier()
    await secondsAfter(one, 2)
    const parameters = rp.request(second)
    const { answer } = await rp.atSignIn(parameters, one.signedIn)
    const two = await rp.exchange(rp.codeIn(answer, parameters), parameters)
    expect(two.claims['auth_time']).to.be.a('number').greaterThan(Number(one.claims['auth_time']))
    expect(Number(two.claims['auth_time'])).to.be.closeTo(Date.now() / 1000, 10)
  }

  const page = async (parameters: Fields, text: string, as?: TestPerson) => {
    const answer = await rp.authorize(parameters, as)
    expect(answer.status).to.equal(400)
    expect(answer.location).to.be.null
    expect(answer.headers.get('content-type')).to.match(/^text\/html/)
    expect(answer.text).to.contain(text)
  }

  const unsigned = (parameters: Fields): string => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    return `${part({ alg: 'none' })}.${part(parameters)}.`
  }

  /**
   * As OpenID Connect Core §6.1 requires, the parameters that OAuth needs stay in the query next to the request
   * object.
   */
  const outer = (parameters: Fields): Fields => ({
    response_type: 'code',
    client_id: parameters['client_id'] ?? '',
    scope: 'openid',
    redirect_uri: parameters['redirect_uri'] ?? '',
  })

  const codeUsedTwice = async () => {
    const parameters = rp.request()
    const code = rp.codeIn(await rp.authorize(parameters), parameters)
    const tokens = await rp.exchange(code, parameters)
    const fields = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK }
    return { tokens, again: () => rp.token(fields) }
  }

  it('oidcc-server OIDC-02 OIDC-14 a code, an ID token with only what was requested, userinfo', async () => {
    const { claims } = await rp.flow()
    const usual = [
      'iss',
      'sub',
      'aud',
      'exp',
      'iat',
      'auth_time',
      'nonce',
      'acr',
      'amr',
      'azp',
      'at_hash',
      'sid',
    ]
    expect(usual).to.include.members(Object.keys(claims))
  })

  it('oidcc-response-type-missing OIDC-02 notifies the application', async () => {
    const { response_type: _, ...parameters } = rp.request()
    expect(rp.errorIn(await rp.authorize(parameters), parameters)).to.equal('invalid_request')
  })

  it('oidcc-idtoken-signature OIDC-14 signs with RS256 and names the key', async () => {
    expect(rp.metadata.id_token_signing_alg_values_supported).to.deep.equal(['RS256'])
    await rp.flow()
  })

  it('oidcc-idtoken-unsigned OIDC-14 offers no unsigned ID tokens', () => {
    expect(rp.metadata.id_token_signing_alg_values_supported).not.to.include('none')
  })

  it('oidcc-userinfo-get OIDC-10 answers GET with the token in a header', async () => {
    await rp.userinfo(await rp.flow())
  })

  it('oidcc-userinfo-post-header OIDC-10 answers POST with the token in a header', async () => {
    const tokens = await rp.flow()
    const headers = { Authorization: `Bearer ${tokens.accessToken}` }
    await rp.userinfo(tokens, { method: 'POST', headers })
  })

  it('oidcc-userinfo-post-body OIDC-10 answers POST with the token in the body', async () => {
    const tokens = await rp.flow()
    const body = new URLSearchParams({ access_token: tokens.accessToken })
    await rp.userinfo(tokens, { method: 'POST', body })
  })

  it('oidcc-ensure-request-without-nonce-succeeds-for-code-flow OIDC-14 requires no nonce and invents none', async () => {
    const { nonce: _, ...parameters } = rp.request()
    const tokens = await rp.exchange(rp.codeIn(await rp.authorize(parameters), parameters), parameters)
    expect(tokens.claims).not.to.have.property('nonce')
  })

  it('oidcc-scope-profile OIDC-10 userinfo has the profile claims that are known', async () => {
    const { userinfo } = await rp.flow({ scope: 'openid profile' })
    expect(userinfo).to.include({
      ...{ name: 'Buffy Summers', given_name: 'Buffy', family_name: 'Summers' },
      ...{ preferred_username: rp.person.email, locale: 'en-US', zoneinfo: 'America/Los_Angeles' },
    })
    expect(userinfo.updated_at).to.be.within(Date.now() / 1000 - 3600, Date.now() / 1000)
    expect(userinfo).not.to.have.any.keys('email', 'email_verified')
  })

  it('oidcc-scope-email OIDC-10 OIDC-14 userinfo and the ID token have the address, and no name', async () => {
    const { userinfo, claims } = await rp.flow({ scope: 'openid email' })
    expect(userinfo).to.include({ email: rp.person.email, email_verified: false })
    expect(userinfo).not.to.have.property('name')
    expect(claims).to.have.property('email', rp.person.email)
    expect(claims).not.to.have.property('name')
  })

  it('oidcc-scope-address OIDC-01 does not list the scope, and ignores it', async () => {
    expect(rp.metadata.scopes_supported).not.to.include('address')
    await rp.flow({ scope: 'openid address' })
  })

  it('oidcc-scope-phone OIDC-10 userinfo and the ID token have the number', async () => {
    expect(rp.metadata.scopes_supported).to.include('phone')
    const { userinfo, claims } = await rp.flow({ scope: 'openid phone' })
    for (const told of [userinfo, claims])
      expect(told).to.include({ phone_number: rp.phone, phone_number_verified: false })
  })

  it('oidcc-scope-all OIDC-10 returns what it knows for all of them', async () => {
    const { userinfo } = await rp.flow({ scope: 'openid email phone address profile' })
    expect(userinfo).to.include({ name: 'Buffy Summers', email: rp.person.email, email_verified: false })
  })

  it('oidcc-alternate-happy-flow OIDC-02 the order of parameters and scopes does not matter', async () => {
    const parameters = rp.request({ scope: 'email openid' })
    const reordered = Object.fromEntries(Object.entries(parameters).reverse())
    const code = rp.codeIn(await rp.authorize(reordered), parameters)
    const info = await rp.userinfo(await rp.exchange(code, parameters))
    expect(info.email).to.equal(rp.person.email)
  })

  it('oidcc-display-page OIDC-02 shows the sign-in page', async () => {
    await fromSignIn({ display: 'page' })
  })

  it('oidcc-display-popup OIDC-02 shows the sign-in page', async () => {
    await fromSignIn({ display: 'popup' })
  })

  it('oidcc-prompt-login OIDC-20 requires a sign-in despite a session, and returns its time', async () => {
    await signsInAgain({ prompt: 'login' })
  })

  it('oidcc-prompt-none-not-logged-in OIDC-02 rejects silently, with a long state unchanged', async () => {
    const parameters = rp.request({ prompt: 'none', state: 's'.repeat(128) })
    expect(rp.errorIn(await rp.authorize(parameters, null), parameters)).to.equal('login_required')
  })

  it('oidcc-prompt-none-logged-in OIDC-02 responds silently', async () => {
    await sameTwice(await earlier(), { prompt: 'none' })
  })

  it('oidcc-max-age-1 OIDC-20 requires a sign-in if the last one is older, and returns its time', async () => {
    await signsInAgain({ max_age: '1' })
  })

  it('oidcc-max-age-10000 OIDC-20 accepts a more recent sign-in', async () => {
    await sameTwice(await fromSignIn({ max_age: '15000' }), { max_age: '10000' })
  })

  it('oidcc-ensure-request-with-unknown-parameter-succeeds OIDC-02 ignores it', async () => {
    await rp.flow({ extra: 'foobar' })
  })

  it('oidcc-id-token-hint OIDC-02 responds silently for the user in the hint', async () => {
    const one = await earlier()
    await sameTwice(one, { prompt: 'none', id_token_hint: one.idToken })
  })

  it('oidcc-login-hint OIDC-02 the sign-in page opens, for any user', async () => {
    await fromSignIn({ login_hint: `buffy@${new URL(rp.metadata.issuer).hostname}` })
  })

  it('oidcc-ui-locales OIDC-02 the sign-in page opens in a supported language', async () => {
    await fromSignIn({ ui_locales: 'se' })
  })

  it('oidcc-claims-locales OIDC-02 does not fail', async () => {
    await rp.flow({ claims_locales: 'se' })
  })

  it('oidcc-ensure-request-with-acr-values-succeeds OIDC-14 returns one of the advertised values', async () => {
    const values: string[] = rp.metadata.acr_values_supported
    const { claims } = await rp.flow({ acr_values: values.join(' ') })
    expect(values).to.include(claims['acr'])
  })

  it('oidcc-codereuse OIDC-07 a code is valid once', async () => {
    const { again } = await codeUsedTwice()
    const { status, body, headers } = await again()
    expect(status).to.equal(400)
    expect(headers.get('content-type')).to.match(/^application\/json/)
    expect(body.error).to.equal('invalid_grant')
  })

  it('oidcc-codereuse-30seconds OIDC-07 a code used twice revokes what it issued', async () => {
    // The suite waits because servers may tolerate an immediate repetition; this service tolerates none.
    const { tokens, again } = await codeUsedTwice()
    const { status, body } = await again()
    expect(status).to.equal(400)
    expect(body.error).to.equal('invalid_grant')
    expect((await rp.world.userinfo(tokens.accessToken)).status).to.equal(401)
  })

  it('oidcc-ensure-registered-redirect-uri OIDC-04 does not redirect', async () => {
    await page(rp.request({ redirect_uri: `${CALLBACK}/x8Hj2kQpLm` }), 'ERR_INVALID_REDIRECT_URI')
  })

  it('oidcc-ensure-post-request-succeeds OIDC-02 accepts the request as a form from another site', async () => {
    const silent = rp.request()
    rp.codeIn(await rp.authorize(silent, rp.person, 'POST'), silent)
    const parameters = rp.request()
    const { answer } = await rp.atSignIn(parameters, null, 'POST')
    await rp.userinfo(await rp.exchange(rp.codeIn(answer, parameters), parameters))
  })

  it('oidcc-server-client-secret-post OIDC-05 accepts the secret in the form', async () => {
    expect(rp.metadata.token_endpoint_auth_methods_supported).to.include('client_secret_post')
    const parameters = rp.request()
    const code = rp.codeIn(await rp.authorize(parameters), parameters)
    await rp.userinfo(await rp.exchange(code, parameters, {}, 'client_secret_post'))
  })

  it('oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported OIDC-02 rejects it with its error code', async () => {
    expect(rp.metadata.request_uri_parameter_supported).to.be.false
    const parameters = outer(rp.request())
    const answer = await rp.authorize({ ...parameters, request_uri: 'https://app.example.com/request.jwt#1' })
    expect(rp.errorIn(answer, parameters)).to.equal('request_uri_not_supported')
  })

  it('oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported OIDC-02 rejects it with its error code', async () => {
    expect(rp.metadata.request_parameter_supported).to.be.false
    const parameters = rp.request()
    const answer = await rp.authorize({ ...outer(parameters), request: unsigned(parameters) })
    expect(rp.errorIn(answer, { ...outer(parameters), ...mode })).to.equal('request_not_supported')
  })

  it('oidcc-claims-essential OIDC-01 OIDC-10 declares that it ignores the claims parameter, and does not fail', async () => {
    expect(rp.metadata.claims_parameter_supported).to.be.false
    const { userinfo, claims } = await rp.flow({
      claims: JSON.stringify({ userinfo: { name: { essential: true } } }),
    })
    expect(userinfo).not.to.have.property('name')
    expect(claims).not.to.have.property('name')
  })

  it('oidcc-ensure-request-object-with-redirect-uri OIDC-04 does not redirect when the outer address is not registered', async () => {
    const parameters = rp.request()
    const wrong = outer({ ...parameters, redirect_uri: `${CALLBACK}_invalid` })
    await page({ ...wrong, request: unsigned(parameters) }, 'ERR_INVALID_REDIRECT_URI')
  })

  it('oidcc-refresh-token OIDC-06 returns new tokens of the same sign-in, only to the client that it was issued to', async () => {
    expect(rp.metadata.scopes_supported).to.include('offline_access')
    expect(rp.metadata.grant_types_supported).to.include('refresh_token')
    const scope = 'openid offline_access'
    const first = await rp.flow({ scope, prompt: 'consent' })
    expect(first.refreshToken).to.match(/^[\x20-\x7e]{16,}$/)
    await nextSecond()
    const { status, headers, body } = await rp.token({
      grant_type: 'refresh_token',
      refresh_token: first.refreshToken ?? '',
      scope,
    })
    expect(status, JSON.stringify(body)).to.equal(200)
    expect(headers.get('cache-control')).to.equal('no-store')
    expect(body.access_token).not.to.equal(first.accessToken)
    expect(body.refresh_token).to.match(/^[\x20-\x7e]{16,}$/)
    const claims = rp.world.claimsIn(body.id_token)
    for (const name of ['iss', 'sub', 'aud', 'azp', 'auth_time'])
      expect(claims[name], name).to.deep.equal(first.claims[name])
    expect(claims.iat).to.be.greaterThan(Number(first.claims.iat))
    await rp.userinfo({ accessToken: body.access_token, claims: first.claims })

    const parameters = rp.request({ scope, prompt: 'consent' }, rp.second)
    const other = await rp.exchange(rp.codeIn(await rp.authorize(parameters), parameters), parameters)
    const stolen = await rp.token({
      grant_type: 'refresh_token',
      refresh_token: other.refreshToken ?? '',
      scope,
    })
    expect(stolen.status).to.equal(400)
    expect(stolen.headers.get('content-type')).to.match(/^application\/json/)
    expect(stolen.body.error).to.equal('invalid_grant')
  })

  it('oidcc-ensure-request-with-valid-pkce-succeeds OIDC-03 accepts PKCE although it is not required', async () => {
    const { verifier, challenge } = pkce()
    const parameters = rp.request({ code_challenge: challenge, code_challenge_method: 'S256' })
    const code = rp.codeIn(await rp.authorize(parameters), parameters)
    await rp.userinfo(await rp.exchange(code, parameters, { code_verifier: verifier }))
  })
}

describe('The OpenID Foundation’s plans for sign-in', () => {
  let rp: RelyingParty
  before(async () => {
    rp = await relyingParty()
  })
  after(() => rp.stop())

  describe('oidcc-basic-certification-test-plan', () => {
    modules(() => rp, {})
  })

  describe('oidcc-formpost-basic-certification-test-plan', () => {
    modules(() => rp, { response_mode: 'form_post' })
  })
})
