import { expect } from 'chai'
import * as client from 'openid-client'
import { oidcWorld, pkce, CALLBACK, type OidcWorld, type TestApplication } from '../../support/oidc/oidc.ts'
import { testService, type TestService } from '../../support/service/service.ts'

describe('OpenID Connect: the code flow as a client library sees it', () => {
  let service: TestService
  let world: OidcWorld
  before(async () => {
    service = await testService()
    world = oidcWorld(service)
  })
  after(() => service.stop())

  const configure = (app: TestApplication, auth: client.ClientAuth): Promise<client.Configuration> =>
    client.discovery(
      new URL(service.publicUrl),
      app.clientId,
      app.secret === '' ? undefined : app.secret,
      auth,
      {
        // oxlint-disable-next-line typescript/no-deprecated -- the service under test is on plain http
        execute: [client.allowInsecureRequests],
      },
    )

  const flow = async (
    app: TestApplication,
    auth: client.ClientAuth,
    scope = 'openid profile email groups',
    extra: Record<string, string> = {},
  ) => {
    const person = await world.member(app, { name: 'Grace Hopper' })
    const config = await configure(app, auth)
    const verifier = client.randomPKCECodeVerifier()
    const [state, nonce] = [client.randomState(), client.randomNonce()]
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: CALLBACK,
      scope,
      state,
      nonce,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...extra,
    })
    const answer = await fetch(url, { redirect: 'manual', headers: { Cookie: person.cookie } })
    expect(answer.status).to.equal(303)
    const tokens = await client.authorizationCodeGrant(
      config,
      new URL(answer.headers.get('location') ?? ''),
      {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
        ...(extra['max_age'] === undefined ? {} : { maxAge: Number(extra['max_age']) }),
      },
    )
    return { person, config, tokens }
  }

  const basicAuth = (app: TestApplication) => client.ClientSecretBasic(app.secret)

  it('OIDC-01 OIDC-02 OIDC-10 OIDC-14 discovery, code, ID token and userinfo are consistent', async () => {
    const app = await world.application('web')
    const { person, config, tokens } = await flow(app, basicAuth(app))
    const claims = tokens.claims()
    expect(claims).to.deep.include({
      iss: service.publicUrl,
      sub: person.userId,
      aud: app.clientId,
      azp: app.clientId,
      amr: ['hwk', 'user'],
      acr: 'phr',
      sid: person.sessionId,
      email: person.email,
      email_verified: false,
      name: 'Grace Hopper',
      preferred_username: person.email,
    })
    expect(claims?.exp).to.equal((claims?.iat ?? 0) + 900)
    expect(tokens.expires_in).to.equal(900)
    expect(tokens.scope).to.equal('openid profile email groups')
    const info = await client.fetchUserInfo(config, tokens.access_token, person.userId)
    const { updated_at: updatedAt, ...told } = info
    expect(updatedAt).to.be.a('number').and.to.equal(claims?.['updated_at'])
    expect(told).to.deep.equal({
      sub: person.userId,
      amr: ['hwk', 'user'],
      email: person.email,
      email_verified: false,
      name: 'Grace Hopper',
      preferred_username: person.email,
      groups: claims?.['groups'],
    })
  })

  it('OIDC-18 contains every group of the user, sorted, whether the application is assigned to it or not', async () => {
    const app = await world.application('web')
    const person = await world.member(app)
    await world.join(await world.group('Zebra crossing'), person.userId)
    await world.join(await world.group('Aardvarks'), person.userId)
    const left = await world.group('Left behind')
    await world.join(left, person.userId)
    await world.leave(left, person.userId)
    const { body } = await world.redeem(app, await world.code(app, person, { scope: 'openid groups' }))
    const { groups } = world.claimsIn(body.id_token)
    expect(groups).to.have.length(3)
    expect(groups).to.include.members(['Aardvarks', 'Zebra crossing'])
    expect(groups).to.deep.equal([...groups].sort())
    expect((await world.userinfo(body.access_token)).body.groups).to.deep.equal(groups)
  })

  it('OIDC-05 client_secret_post works like Basic', async () => {
    const app = await world.application('web')
    await flow(app, client.ClientSecretPost(app.secret))
  })

  for (const type of ['spa', 'native'] as const)
    it(`OIDC-03 OIDC-05 a ${type} application has no secret and uses PKCE`, async () => {
      await flow(await world.application(type), client.None())
    })

  it('OIDC-20 max_age is enforced and auth_time contains the time', async () => {
    const app = await world.application('web')
    await flow(app, basicAuth(app), 'openid', { max_age: '3600' })
  })

  it('OIDC-16 lifetimes are those of the application', async () => {
    const app = await world.application('web', {
      idTokenLifetimeSeconds: 120,
      accessTokenLifetimeSeconds: 60,
    })
    const { body } = await world.redeem(app, await world.code(app, await world.member(app)))
    const { exp, iat } = world.claimsIn(body.id_token)
    expect(exp - iat).to.equal(120)
    expect(body.expires_in).to.equal(60)
  })

  it('OIDC-10 claims follow the scopes', async () => {
    const app = await world.application('web')
    const person = await world.member(app)
    const of = async (scope: string) => {
      const { body } = await world.redeem(app, await world.code(app, person, { scope }))
      return Object.keys((await world.userinfo(body.access_token)).body).sort()
    }
    expect(await of('openid')).to.deep.equal(['amr', 'sub'])
    expect(await of('openid email')).to.deep.equal(['amr', 'email', 'email_verified', 'sub'])
    const profile = ['amr', 'name', 'preferred_username', 'sub', 'updated_at']
    expect(await of('openid profile unknown')).to.deep.equal(profile)
    expect(await of('openid groups')).to.deep.equal(['amr', 'groups', 'sub'])
  })

  it('OIDC-17 publishes the active key and the next one, with 2048 bits and nothing private', async () => {
    const response = await fetch(`${service.publicUrl}/oauth2/keys`)
    const { keys } = (await response.json()) as { keys: Record<string, string>[] }
    expect(keys).to.have.length(2)
    for (const key of keys) {
      expect(Object.keys(key).sort()).to.deep.equal(['alg', 'e', 'kid', 'kty', 'n', 'use'])
      expect(Buffer.from(key['n'] ?? '', 'base64url')).to.have.length(256)
    }
    expect(response.headers.get('cache-control')).to.include('max-age=300')
  })

  it('OIDC-01 lists exactly what is supported', async () => {
    const response = await fetch(`${service.publicUrl}/.well-known/openid-configuration`)
    const document = (await response.json()) as Record<string, unknown>
    const { publicUrl: issuer } = service
    expect(document).to.deep.include({
      issuer,
      authorization_endpoint: `${issuer}/oauth2/authorize`,
      token_endpoint: `${issuer}/oauth2/token`,
      userinfo_endpoint: `${issuer}/oauth2/userinfo`,
      jwks_uri: `${issuer}/oauth2/keys`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      id_token_signing_alg_values_supported: ['RS256'],
      subject_types_supported: ['public'],
      authorization_response_iss_parameter_supported: true,
    })
    expect(response.headers.get('access-control-allow-origin')).to.equal('*')
  })

  it('OIDC-02 form_post sends the response in a form, with a policy that lets the application redirect', async () => {
    const app = await world.application('web')
    const person = await world.member(app)
    const { challenge, verifier } = pkce()
    const page = await world.authorize(app, person, {
      response_mode: 'form_post',
      code_challenge: challenge,
      code_challenge_method: 'S256',
    })
    expect(page.status).to.equal(200)
    const field = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(page.text)?.[1]
    expect(field('state')).to.equal('the state')
    expect(field('iss')).to.equal(service.publicUrl)
    expect(page.text).to.include('<form method="post" action="https://app.example.com/')
    expect(page.headers.get('content-security-policy')).to.include("script-src 'self';")
    expect(page.headers.get('content-security-policy')).not.to.include('form-action')
    expect((await world.redeem(app, { code: field('code') ?? '', verifier })).status).to.equal(200)
  })
})
