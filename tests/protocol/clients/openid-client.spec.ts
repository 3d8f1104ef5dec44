/** openid-client against the running service: every grant and endpoint as an application uses them through a library. */
import { expect } from 'chai'
import * as client from 'openid-client'
import type { OidcApplicationType } from '../../../domain/application/events.ts'
import { CALLBACK, type TestApplication } from '../../support/oidc/oidc.ts'
import type { TestPerson } from '../../support/service/service.ts'
import { API, clientsPlace, LOGGED_OUT, READ, WRITE, type ClientsPlace } from './support.ts'

describe('openid-client', () => {
  let place: ClientsPlace
  before(async () => {
    place = await clientsPlace()
  })
  after(() => place.service.stop())

  const discover = (clientId: string, auth: client.ClientAuth) =>
    client.discovery(new URL(place.service.publicUrl), clientId, undefined, auth, {
      // oxlint-disable-next-line typescript/no-deprecated -- the service under test is on plain http
      execute: [client.allowInsecureRequests],
    })

  const auths = {
    client_secret_basic: client.ClientSecretBasic,
    client_secret_post: client.ClientSecretPost,
    none: client.None,
  } as const

  const configure = (app: TestApplication, method: keyof typeof auths) =>
    discover(app.clientId, method === 'none' ? client.None() : auths[method](app.secret))

  const signIn = async (
    config: client.Configuration,
    person: TestPerson,
    more: Record<string, string> = {},
  ) => {
    const pkceCodeVerifier = client.randomPKCECodeVerifier()
    const [expectedState, expectedNonce] = [client.randomState(), client.randomNonce()]
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: CALLBACK,
      scope: 'openid email offline_access',
      state: expectedState,
      nonce: expectedNonce,
      code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      ...more,
    })
    const checks = { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true }
    return { answer: await place.visit(url, person), checks }
  }

  const flow = async (
    config: client.Configuration,
    person: TestPerson,
    more: Record<string, string> = {},
  ) => {
    const { answer, checks } = await signIn(config, person, more)
    return client.authorizationCodeGrant(config, answer, checks)
  }

  const kinds: readonly (readonly [OidcApplicationType, keyof typeof auths])[] = [
    ['web', 'client_secret_basic'],
    ['web', 'client_secret_post'],
    ['spa', 'none'],
    ['native', 'none'],
  ]
  for (const [type, method] of kinds)
    it(`OIDC-02 OIDC-03 OIDC-05 OIDC-06 OIDC-10 OIDC-12 code, userinfo, refresh and revocation of a ${type} application, ${method}`, async () => {
      const app = await place.world.application(type)
      const person = await place.world.member(app)
      const config = await configure(app, method)
      const tokens = await flow(config, person)
      expect(tokens.claims()).to.include({ sub: person.userId, email: person.email, sid: person.sessionId })
      const info = await client.fetchUserInfo(config, tokens.access_token, person.userId)
      expect(info.email).to.equal(person.email)

      const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '')
      expect(refreshed.access_token).not.to.equal(tokens.access_token)
      expect(refreshed.refresh_token).to.be.a('string').and.not.equal(tokens.refresh_token)
      expect(refreshed.claims()?.sub).to.equal(person.userId)
      await client.fetchUserInfo(config, refreshed.access_token, person.userId)

      await client.tokenRevocation(config, refreshed.refresh_token ?? '')
      const late = await client
        .refreshTokenGrant(config, refreshed.refresh_token ?? '')
        .catch((error: unknown) => error)
      expect(late).to.be.instanceOf(client.ResponseBodyError).with.property('error', 'invalid_grant')
      const gone = await client
        .fetchUserInfo(config, refreshed.access_token, person.userId)
        .catch((error: unknown) => error)
      expect(gone).to.be.instanceOf(client.WWWAuthenticateChallengeError).with.property('status', 401)
    })

  it('OIDC-02 RFC 9207 a response of another server is rejected', async () => {
    const app = await place.world.application('web')
    const config = await configure(app, 'client_secret_basic')
    const { answer, checks } = await signIn(config, await place.world.member(app))
    expect(config.serverMetadata().authorization_response_iss_parameter_supported).to.be.true
    const refused = async (change: (query: URLSearchParams) => void) => {
      const changed = new URL(answer)
      change(changed.searchParams)
      const error = await client.authorizationCodeGrant(config, changed, checks).catch((e: unknown) => e)
      expect(error).to.be.instanceOf(client.ClientError)
      expect((error as Error).cause)
        .to.have.property('message')
        .that.contains('iss')
    }
    await refused((query) => query.set('iss', 'https://other.example.com'))
    await refused((query) => query.delete('iss'))
    expect(await client.authorizationCodeGrant(config, answer, checks)).to.have.property('id_token')
  })

  it('OIDC-02 errors of the authorization endpoint reach the application', async () => {
    const app = await place.world.application('web')
    const config = await configure(app, 'client_secret_basic')
    const stranger = await place.service.person()
    const { answer, checks } = await signIn(config, stranger, { prompt: 'none' })
    const error = await client.authorizationCodeGrant(config, answer, checks).catch((e: unknown) => e)
    expect(error).to.be.instanceOf(client.AuthorizationResponseError).with.property('error', 'access_denied')
  })

  it('OIDC-14 ID tokens pass a check of their signature against the key set', async () => {
    const app = await place.world.application('web')
    const config = await configure(app, 'client_secret_basic')
    client.enableNonRepudiationChecks(config)
    const tokens = await flow(config, await place.world.member(app))
    await client.refreshTokenGrant(config, tokens.refresh_token ?? '')
  })

  for (const method of ['client_secret_basic', 'client_secret_post'] as const)
    it(`OIDC-08 APR-02 APR-04 client credentials, ${method}`, async () => {
      const app = await place.world.application('service', { redirectUris: [] }, { groups: 'none' })
      await place.grant(app, READ)
      const config = await configure(app, method)
      for (const parameters of [{ resource: API }, { scope: READ }]) {
        const tokens = await client.clientCredentialsGrant(config, parameters)
        expect(tokens.scope).to.equal(READ)
        expect(tokens.refresh_token).to.be.undefined
        expect(place.world.claimsIn(tokens.access_token)).to.deep.include({
          iss: place.service.publicUrl,
          sub: app.clientId,
          client_id: app.clientId,
          aud: [API],
          scope: READ,
        })
      }
      for (const [parameters, code] of [
        [{ resource: 'https://other.example.com' }, 'invalid_target'],
        [{ scope: WRITE }, 'invalid_scope'],
      ] as const) {
        const error = await client.clientCredentialsGrant(config, parameters).catch((e: unknown) => e)
        expect(error).to.be.instanceOf(client.ResponseBodyError).with.property('error', code)
      }
    })

  it('OIDC-09 OIDC-15 the device grant of the command line', async () => {
    const config = await discover('svc-cli', client.None())
    const begun = await client.initiateDeviceAuthorization(config, { scope: 'openid email offline_access' })
    expect(begun.user_code).to.match(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
    expect(begun.verification_uri).to.equal(`${place.service.publicUrl}/device`)
    expect(begun).to.include({ expires_in: 600, interval: 5 })
    const person = await place.service.person()
    await place.approve(begun.user_code, person)
    // Nothing was requested before, so the first poll may come immediately.
    const tokens = await client.pollDeviceAuthorizationGrant(config, { ...begun, interval: 0 })
    expect(tokens.claims()).to.include({ sub: person.userId, aud: 'svc-cli' })
    const info = await client.fetchUserInfo(config, tokens.access_token, person.userId)
    expect(info.email).to.equal(person.email)
    const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '')
    expect(refreshed.claims()?.sub).to.equal(person.userId)
  })

  it('OIDC-11 OIDC-12 introspection reports a valid token, and a revoked one', async () => {
    const app = await place.world.application('web')
    const other = await place.world.application('web')
    const person = await place.world.member(app)
    const config = await configure(app, 'client_secret_basic')
    const tokens = await flow(config, person)
    for (const token of [tokens.access_token, tokens.refresh_token ?? ''])
      expect(await client.tokenIntrospection(config, token)).to.include({
        active: true,
        sub: person.userId,
        client_id: app.clientId,
        username: person.email,
        iss: place.service.publicUrl,
      })
    const nothing = { active: false }
    const elsewhere = await configure(other, 'client_secret_basic')
    expect(await client.tokenIntrospection(elsewhere, tokens.access_token)).to.deep.equal(nothing)
    expect(await client.tokenIntrospection(config, 'made up')).to.deep.equal(nothing)
    await client.tokenRevocation(config, tokens.access_token)
    for (const token of [tokens.access_token, tokens.refresh_token ?? ''])
      expect(await client.tokenIntrospection(config, token)).to.deep.equal(nothing)
  })

  it('OIDC-13 the end-session address', async () => {
    const app = await place.world.application('web', { postLogoutRedirectUris: [LOGGED_OUT] })
    const person = await place.world.member(app)
    const config = await configure(app, 'client_secret_basic')
    const tokens = await flow(config, person)
    const url = client.buildEndSessionUrl(config, {
      post_logout_redirect_uri: LOGGED_OUT,
      id_token_hint: tokens.id_token ?? '',
      state: 'bye',
    })
    const back = await place.visit(url, person)
    expect(back.href).to.equal(`${LOGGED_OUT}?state=bye`)
    for (const use of [
      () => client.fetchUserInfo(config, tokens.access_token, person.userId),
      () => client.refreshTokenGrant(config, tokens.refresh_token ?? ''),
    ])
      expect(await use().catch((error: unknown) => error)).to.be.instanceOf(Error)
    const { answer, checks } = await signIn(config, person, { prompt: 'none' })
    const error = await client.authorizationCodeGrant(config, answer, checks).catch((e: unknown) => e)
    expect(error).to.be.instanceOf(client.AuthorizationResponseError).with.property('error', 'login_required')
  })
})
