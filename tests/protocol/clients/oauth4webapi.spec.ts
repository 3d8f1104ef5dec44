/** oauth4webapi against the running service: it exposes every response, and accepts only what the standards allow. */
import { expect } from 'chai'
import * as oauth from 'oauth4webapi'
import type { OidcApplicationType } from '../../../domain/application/events.ts'
import { CALLBACK, type TestApplication } from '../../support/oidc/oidc.ts'
import type { TestPerson } from '../../support/service/service.ts'
import { API, clientsPlace, LOGGED_OUT, READ, type ClientsPlace } from './support.ts'

// oxlint-disable-next-line typescript/no-deprecated -- the service under test is on plain http
const insecure = { [oauth.allowInsecureRequests]: true }

/** A client of the service, and its authentication. */
interface Party {
  readonly client: oauth.Client
  readonly auth: oauth.ClientAuth
}

describe('oauth4webapi', () => {
  let place: ClientsPlace
  let as: oauth.AuthorizationServer
  before(async () => {
    place = await clientsPlace()
    const issuer = new URL(place.service.publicUrl)
    as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure))
  })
  after(() => place.service.stop())

  const party = ({ clientId, secret }: TestApplication, post = false): Party => ({
    client: { client_id: clientId },
    auth:
      secret === '' ? oauth.None() : post ? oauth.ClientSecretPost(secret) : oauth.ClientSecretBasic(secret),
  })

  const signIn = async (
    { client, auth }: Party,
    person: TestPerson,
    more: Record<string, string> = {},
  ): Promise<oauth.TokenEndpointResponse> => {
    const verifier = oauth.generateRandomCodeVerifier()
    const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()]
    const url = new URL(as.authorization_endpoint ?? '')
    url.search = new URLSearchParams({
      client_id: client.client_id,
      redirect_uri: CALLBACK,
      response_type: 'code',
      scope: 'openid profile offline_access',
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
      ...more,
    }).toString()
    const answer = oauth.validateAuthResponse(as, client, await place.visit(url, person), state)
    const response = await oauth.authorizationCodeGrantRequest(
      as,
      client,
      auth,
      answer,
      CALLBACK,
      verifier,
      insecure,
    )
    const expectations = {
      expectedNonce: nonce,
      requireIdToken: true,
      ...(more['max_age'] === undefined ? {} : { maxAge: Number(more['max_age']) }),
    }
    const tokens = await oauth.processAuthorizationCodeResponse(as, client, response, expectations)
    await oauth.validateApplicationLevelSignature(as, response, insecure)
    return tokens
  }

  const refresh = async ({ client, auth }: Party, token: string): Promise<oauth.TokenEndpointResponse> =>
    oauth.processRefreshTokenResponse(
      as,
      client,
      await oauth.refreshTokenGrantRequest(as, client, auth, token, insecure),
    )

  const userinfo = async ({ client }: Party, token: string, sub: string): Promise<oauth.UserInfoResponse> =>
    oauth.processUserInfoResponse(as, client, sub, await oauth.userInfoRequest(as, client, token, insecure))

  const introspect = async ({ client, auth }: Party, token: string) =>
    oauth.processIntrospectionResponse(
      as,
      client,
      await oauth.introspectionRequest(as, client, auth, token, insecure),
    )

  const revoke = async ({ client, auth }: Party, token: string): Promise<void> =>
    oauth.processRevocationResponse(await oauth.revocationRequest(as, client, auth, token, insecure))

  const refusal = async (work: Promise<unknown>, code: string): Promise<oauth.ResponseBodyError> => {
    const error = await work.then(
      () => null,
      (e: unknown) => e,
    )
    expect(error).to.be.instanceOf(oauth.ResponseBodyError).with.property('error', code)
    return error as oauth.ResponseBodyError
  }

  const kinds: readonly (readonly [OidcApplicationType, string, boolean])[] = [
    ['web', 'client_secret_basic', false],
    ['web', 'client_secret_post', true],
    ['spa', 'none', false],
    ['native', 'none', false],
  ]
  for (const [type, method, post] of kinds)
    it(`OIDC-02 OIDC-03 OIDC-05 OIDC-06 OIDC-07 OIDC-10 OIDC-12 a ${type} application, ${method}`, async () => {
      const app = await place.world.application(type)
      const person = await place.world.member(app, { name: 'Ada Lovelace' })
      const who = party(app, post)
      const tokens = await signIn(who, person)
      expect(oauth.getValidatedIdTokenClaims(tokens)).to.include({ sub: person.userId, name: 'Ada Lovelace' })
      expect((await userinfo(who, tokens.access_token, person.userId)).name).to.equal('Ada Lovelace')

      const refreshed = await refresh(who, tokens.refresh_token ?? '')
      expect(oauth.getValidatedIdTokenClaims(refreshed)?.sub).to.equal(person.userId)
      expect((await userinfo(who, refreshed.access_token, person.userId)).sub).to.equal(person.userId)

      // Reusing the old one revokes the whole family.
      await refusal(refresh(who, tokens.refresh_token ?? ''), 'invalid_grant')
      await refusal(refresh(who, refreshed.refresh_token ?? ''), 'invalid_grant')

      const next = await signIn(who, person)
      await revoke(who, next.access_token)
      await refusal(refresh(who, next.refresh_token ?? ''), 'invalid_grant')
      await revoke(who, 'made up')
    })

  it('OIDC-20 max_age is checked against auth_time', async () => {
    const app = await place.world.application('web')
    await signIn(party(app), await place.world.member(app), { max_age: '3600' })
  })

  it('OIDC-05 a wrong secret is reported as the standard requires', async () => {
    const app = await place.world.application('service', { redirectUris: [] }, { groups: 'none' })
    const { client, auth } = party({ ...app, secret: `${app.secret}x` })
    const response = await oauth.clientCredentialsGrantRequest(as, client, auth, {}, insecure)
    const error = await oauth.processClientCredentialsResponse(as, client, response).catch((e: unknown) => e)
    expect(error).to.be.instanceOf(oauth.WWWAuthenticateChallengeError).with.property('status', 401)
    expect((error as oauth.WWWAuthenticateChallengeError).cause[0]?.scheme).to.equal('basic')
  })

  for (const [method, post] of [
    ['client_secret_basic', false],
    ['client_secret_post', true],
  ] as const)
    it(`OIDC-08 OIDC-11 OIDC-15 APR-04 client credentials, ${method}, and the API that gets the token`, async () => {
      const app = await place.world.application('service', { redirectUris: [] }, { groups: 'none' })
      await place.grant(app, READ)
      const { client, auth } = party(app, post)
      const tokens = await oauth.processClientCredentialsResponse(
        as,
        client,
        await oauth.clientCredentialsGrantRequest(as, client, auth, { resource: API }, insecure),
      )
      const request = new Request(`${API}/invoices`, {
        headers: { Authorization: `Bearer ${tokens.access_token}` },
      })
      const claims = await oauth.validateJwtAccessToken(as, request, API, insecure)
      expect(claims).to.include({ client_id: app.clientId, sub: app.clientId, scope: READ })
      expect(claims.jti).to.match(/^atk_/)
      expect(await introspect({ client, auth }, tokens.access_token)).to.include({
        active: true,
        client_id: app.clientId,
        scope: READ,
        token_type: 'Bearer',
      })
    })

  it('OIDC-09 the device grant waits for its user and reveals nothing', async () => {
    const who: Party = { client: { client_id: 'svc-cli' }, auth: oauth.None() }
    const begin = async () =>
      oauth.processDeviceAuthorizationResponse(
        as,
        who.client,
        await oauth.deviceAuthorizationRequest(as, who.client, who.auth, { scope: 'openid' }, insecure),
      )
    const poll = async (code: string) =>
      oauth.processDeviceCodeResponse(
        as,
        who.client,
        await oauth.deviceCodeGrantRequest(as, who.client, who.auth, code, insecure),
      )
    const person = await place.service.person()

    const begun = await begin()
    await refusal(poll(begun.device_code), 'authorization_pending')
    await refusal(poll(begun.device_code), 'slow_down')
    await place.approve(begun.user_code, person)
    const tokens = await poll(begun.device_code)
    expect(oauth.getValidatedIdTokenClaims(tokens)).to.include({ sub: person.userId, aud: 'svc-cli' })
    await refusal(poll(begun.device_code), 'invalid_grant')

    const denied = await begin()
    await place.service.api('POST', `/device/${denied.user_code}/deny`, { as: person })
    await refusal(poll(denied.device_code), 'access_denied')
    await refusal(poll('made up'), 'invalid_grant')

    const app = await place.world.application('native')
    const stranger = party(app)
    const response = await oauth.deviceAuthorizationRequest(as, stranger.client, stranger.auth, {}, insecure)
    await refusal(
      oauth.processDeviceAuthorizationResponse(as, stranger.client, response),
      'unauthorized_client',
    )
  })

  it('OIDC-11 invalid tokens are inactive', async () => {
    const app = await place.world.application('web')
    const person = await place.world.member(app)
    const who = party(app)
    const tokens = await signIn(who, person)
    expect(await introspect(who, tokens.access_token)).to.include({ active: true, sub: person.userId })
    await place.world.leave(app.groupId, person.userId)
    expect(await introspect(who, tokens.access_token)).to.deep.equal({ active: false })
  })

  it('OIDC-13 the end-session address', async () => {
    const app = await place.world.application('web', { postLogoutRedirectUris: [LOGGED_OUT] })
    const person = await place.world.member(app)
    const who = party(app)
    const tokens = await signIn(who, person)
    const url = new URL(as.end_session_endpoint ?? '')
    url.search = new URLSearchParams({
      id_token_hint: tokens.id_token ?? '',
      post_logout_redirect_uri: LOGGED_OUT,
      state: 'bye',
    }).toString()
    expect((await place.visit(url, person)).href).to.equal(`${LOGGED_OUT}?state=bye`)
    await refusal(refresh(who, tokens.refresh_token ?? ''), 'invalid_grant')
  })
})
