import { expect } from 'chai'
import { accessTokens } from '../../../adapters/inbound/oidc/access-tokens.ts'
import {
  basic,
  oidcWorld,
  outcome,
  type OidcWorld,
  type TestApi,
  type TestApplication,
} from '../../support/oidc/oidc.ts'
import { testService, type TestPerson, type TestService } from '../../support/service/service.ts'

const INACTIVE = { active: false }

describe('OAuth: introspection', () => {
  let service: TestService
  let world: OidcWorld
  /** Has opaque tokens. */
  let app: TestApplication
  /** Has JWTs. */
  let signed: TestApplication
  let owner: TestApplication
  let stranger: TestApplication
  let api: TestApi
  let person: TestPerson
  before(async () => {
    service = await testService()
    world = oidcWorld(service)
    app = await world.application('web')
    signed = await world.application('web')
    owner = await world.application('service', { redirectUris: [] }, { groups: 'none' })
    stranger = await world.application('web')
    api = await world.api(['read'], { ownerApplicationIds: [owner.applicationId] })
    await world.grantApis(signed, api)
    person = await world.member(app)
    for (const { groupId } of [signed, stranger]) await world.join(groupId, person.userId)
  })
  after(() => service.stop())

  const bodyOf = async (by: TestApplication, token: string): Promise<unknown> => {
    const { status, body, headers } = await world.introspect(by, token)
    expect(status).to.equal(200)
    expect(headers.get('cache-control')).to.equal('no-store')
    return body
  }
  const forApi = (scope = 'openid offline_access') =>
    world.tokens(signed, person, scope, `&resource=${encodeURIComponent(api.identifier)}`)

  it('OIDC-11 describes to a client its opaque token', async () => {
    const { access_token, scope } = await world.tokens(app, person, 'openid email')
    const { iat, jti, ...rest } = (await world.introspect(app, access_token)).body
    expect(rest).to.deep.equal({
      active: true,
      scope,
      client_id: app.clientId,
      username: person.email,
      token_type: 'Bearer',
      exp: Number(iat) + 900,
      nbf: iat,
      sub: person.userId,
      aud: [service.publicUrl],
      iss: service.publicUrl,
      sid: person.sessionId,
    })
    expect(jti).to.match(/^atk_/)
  })

  it('OIDC-11 returns to a client the contents of its JWT and its session', async () => {
    const { access_token } = await forApi()
    expect(await bodyOf(signed, access_token)).to.deep.equal({
      ...world.claimsIn(access_token),
      active: true,
      token_type: 'Bearer',
      username: person.email,
      sid: person.sessionId,
    })
  })

  it('OIDC-11 describes to a client its refresh token, only the newest', async () => {
    const first = (await world.tokens(app, person)).refresh_token
    const { iat, exp, ...rest } = (await world.introspect(app, first)).body
    expect(rest).to.deep.equal({
      active: true,
      scope: 'openid offline_access',
      client_id: app.clientId,
      username: person.email,
      sub: person.userId,
      iss: service.publicUrl,
      sid: person.sessionId,
    })
    expect(exp - iat).to.equal(28_800)
    const second = (await world.refresh(app, first)).body.refresh_token
    expect(await bodyOf(app, first)).to.deep.equal(INACTIVE)
    expect((await world.introspect(app, second)).body.active).to.equal(true)
    expect((await world.refresh(app, second)).status, 'introspection does not redeem it').to.equal(200)
  })

  it('OIDC-11 describes to a service its own token', async () => {
    await world.grantApis(owner, api)
    const { access_token } = (await world.clientCredentials(owner, { resource: api.identifier })).body
    expect(await bodyOf(owner, access_token)).to.deep.equal({
      ...world.claimsIn(access_token),
      active: true,
      token_type: 'Bearer',
    })
    expect(await bodyOf(stranger, access_token)).to.deep.equal(INACTIVE)
    await world.revoke(owner, access_token)
    expect(await bodyOf(owner, access_token)).to.deep.equal(INACTIVE)
  })

  it('APR-01 the current owner of an API can introspect every token for it', async () => {
    const { access_token, refresh_token } = await forApi()
    expect(await bodyOf(owner, access_token)).to.include({ active: true, sub: person.userId })
    expect(await bodyOf(owner, refresh_token), 'a refresh token is not for the API').to.deep.equal(INACTIVE)
    const elsewhere = (await world.tokens(signed, person, 'openid')).access_token
    expect(await bodyOf(owner, elsewhere), 'a token for this service').to.deep.equal(INACTIVE)
    const former = await world.application('service', { redirectUris: [] }, { groups: 'none' })
    const other = await world.api(['read'], { ownerApplicationIds: [former.applicationId] })
    await world.grantApis(signed, api, other)
    const both = await world.tokens(
      signed,
      person,
      'openid',
      [api, other].map(({ identifier }) => `&resource=${encodeURIComponent(identifier)}`).join(''),
    )
    expect((await world.introspect(former, both.access_token)).body.active).to.equal(true)
    expect((await world.introspect(owner, both.access_token)).body.active).to.equal(true)
    await world.grantApis(signed, api)
    expect(await bodyOf(former, both.access_token), 'revoked from the client').to.deep.equal(INACTIVE)
    expect(await bodyOf(owner, both.access_token)).to.deep.include({ active: true, aud: [api.identifier] })
  })

  it('OIDC-11 describes tokens to no other client', async () => {
    const opaque = await world.tokens(app, person)
    const jwt = await forApi()
    for (const token of [opaque.access_token, opaque.refresh_token, jwt.access_token, jwt.refresh_token])
      expect(await bodyOf(stranger, token)).to.deep.equal(INACTIVE)
  })

  it('OIDC-11 returns the same response for every invalid token', async () => {
    const { access_token, id_token, refresh_token } = await world.tokens(app, person)
    const { code } = await world.code(app, person)
    const altered = `${access_token.slice(0, -1)}${access_token.endsWith('A') ? 'B' : 'A'}`
    const cookie = person.cookie.split('=')[1] ?? ''
    for (const token of [
      'made-up',
      'é',
      'eyJ.eyJ.x',
      altered,
      id_token,
      code,
      cookie,
      app.secret,
      app.clientId,
    ])
      expect(await bodyOf(app, token), token).to.deep.equal(INACTIVE)
    expect((await world.refresh(app, refresh_token)).status).to.equal(200)
  })

  it('OIDC-11 returns the same response for an expired token', async () => {
    const { services } = service.core
    const { access_token } = await world.tokens(app, person)
    const reference = await accessTokens(services).open(access_token)
    if (reference === null) throw new Error('not an access token')
    const then = { ...services.clock, now: () => services.clock.in(-901) }
    const before = accessTokens({ ...services, clock: then })
    const { activeKey } = services.configuration.now()
    const { clientId } = app
    for (const [lifetime, active] of [
      [900, false],
      [960, true],
    ] as const)
      for (const old of [
        before.issueOpaque(reference, lifetime),
        await before.issueJwt(reference, clientId, lifetime, activeKey!),
      ]) {
        const body = await bodyOf(app, old)
        if (active) expect(body).to.include({ active: true })
        else expect(body).to.deep.equal(INACTIVE)
        expect((await world.userinfo(old)).status).to.equal(active ? 200 : 401)
      }
  })

  it('OIDC-11 a token that was opened before becomes invalid when it expires or its signing key is removed', async () => {
    const { services } = service.core
    const { access_token } = await world.tokens(app, person)
    const reference = await accessTokens(services).open(access_token)
    if (reference === null) throw new Error('not an access token')
    let current = services.configuration.now()
    let later = 0
    const tokens = accessTokens({
      ...services,
      clock: { ...services.clock, now: () => services.clock.in(later) },
      configuration: { ...services.configuration, now: () => current, fresh: () => Promise.resolve(current) },
    })
    const opaque = tokens.issueOpaque(reference, 60)
    const jwt = await tokens.issueJwt(reference, app.clientId, 60, current.activeKey!)
    const opened = async () => [(await tokens.open(opaque)) !== null, (await tokens.open(jwt)) !== null]
    expect(await opened()).to.deep.equal([true, true])
    current = { ...current, signingKeys: [] }
    expect(await opened()).to.deep.equal([true, false])
    current = services.configuration.now()
    expect(await opened()).to.deep.equal([true, true])
    later = 61
    expect(await opened()).to.deep.equal([false, false])
  })

  it('OIDC-05 OIDC-11 requires a client secret, by Basic or post', async () => {
    const { access_token: token } = await world.tokens(app, person)
    const { secret: client_secret } = app
    const tried = (form: Record<string, string>) =>
      world.asClient({ ...app, secret: '' }, '/oauth2/introspect', { token, ...form })
    expect((await tried({ client_secret })).body.active).to.equal(true)
    expect(outcome(await tried({}))).to.deep.equal([401, 'invalid_client'])
    expect(outcome(await tried({ client_secret: 'svs_x' }))).to.deep.equal([401, 'invalid_client'])
    const both = await world.asClient(app, '/oauth2/introspect', { token, client_secret })
    expect(outcome(both)).to.deep.equal([400, 'invalid_request'])
    const wrong = await world.introspect({ ...app, secret: 'svs_x' }, token)
    expect(outcome(wrong)).to.deep.equal([401, 'invalid_client'])
    expect(wrong.headers.get('www-authenticate')).to.match(/^Basic /)
    const anonymous = await fetch(`${service.publicUrl}/oauth2/introspect`, {
      method: 'POST',
      body: new URLSearchParams({ token }),
    })
    expect(anonymous.status).to.equal(401)
  })

  for (const type of ['spa', 'native'] as const)
    it(`OIDC-11 a ${type} application cannot introspect, even its own token`, async () => {
      const open = await world.application(type)
      const { access_token } = await world.tokens(open, await world.member(open))
      for (const token of [access_token, 'made-up', ''])
        expect(outcome(await world.introspect(open, token))).to.deep.equal([401, 'invalid_client'])
    })

  it('without a token, with two, or without a form: invalid_request', async () => {
    expect(outcome(await world.introspect(app, ''))).to.deep.equal([400, 'invalid_request'])
    const path = '/oauth2/introspect'
    expect(outcome(await world.asClient(app, path, {}))).to.deep.equal([400, 'invalid_request'])
    const twice = await world.asClient(app, path, { token: ['a', 'b'] })
    expect(outcome(twice)).to.deep.equal([400, 'invalid_request'])
    const json = await fetch(service.publicUrl + path, {
      method: 'POST',
      headers: { Authorization: basic(app.clientId, app.secret), 'Content-Type': 'application/json' },
      body: '{"token":"x"}',
    })
    expect([json.status, ((await json.json()) as { error: string }).error]).to.deep.equal([
      400,
      'invalid_request',
    ])
  })

  it('accepts any token_type_hint (RFC 7662 §2.1)', async () => {
    const { access_token, refresh_token } = await world.tokens(app, person)
    for (const token of [access_token, refresh_token])
      for (const token_type_hint of ['access_token', 'refresh_token', 'made-up']) {
        const { body } = await world.asClient(app, '/oauth2/introspect', { token, token_type_hint })
        expect(body.active).to.equal(true)
      }
  })

  it('writes nothing', async () => {
    const { access_token, refresh_token } = await world.tokens(app, person)
    const jwt = (await forApi()).access_token
    const before = await service.core.eventLog.head()
    for (const token of [access_token, refresh_token, 'made-up'])
      for (const by of [app, stranger]) await world.introspect(by, token)
    await world.introspect(owner, jwt)
    await world.introspect({ ...app, secret: 'svs_x' }, access_token)
    expect(await service.core.eventLog.head()).to.equal(before)
  })
})
