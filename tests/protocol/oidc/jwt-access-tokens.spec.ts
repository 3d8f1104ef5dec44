import { expect } from 'chai'
import { createRemoteJWKSet, errors, jwtVerify } from 'jose'
import {
  oidcWorld,
  outcome,
  pkce,
  type OidcWorld,
  type TestApi,
  type TestApplication,
} from '../../support/oidc/oidc.ts'
import { testService, type TestPerson, type TestService } from '../../support/service/service.ts'

const PAYLOAD = ['aud', 'client_id', 'exp', 'iat', 'iss', 'jti', 'nbf', 'scope', 'sub']

describe('OpenID Connect: access tokens for APIs', () => {
  let service: TestService
  let world: OidcWorld
  let app: TestApplication
  let person: TestPerson
  let one: TestApi
  let two: TestApi
  before(async () => {
    service = await testService()
    world = oidcWorld(service)
    app = await world.application('web')
    person = await world.member(app, { name: 'Ada Lovelace' })
    one = await world.api()
    two = await world.api(['run'])
    await world.grantApis(app, one, two)
  })
  after(() => service.stop())

  const resources = (...apis: readonly TestApi[]) =>
    apis.map(({ identifier }) => `&resource=${encodeURIComponent(identifier)}`).join('')
  const keys = () => createRemoteJWKSet(new URL(`${service.publicUrl}/oauth2/keys`))
  /** Verifies a token like an API that knows only the address of the service. */
  const verified = (token: string, { identifier }: TestApi, seconds = 0) =>
    jwtVerify(token, keys(), {
      issuer: service.publicUrl,
      audience: identifier,
      algorithms: ['RS256'],
      typ: 'at+jwt',
      clockTolerance: 60,
      currentDate: new Date(Date.now() + seconds * 1000),
    })
  const problem = async (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => null,
      (error: unknown) => error,
    )

  it('APR-04 have exactly these nine claims, whatever the scopes', async () => {
    const scope = `openid profile email groups offline_access ${one.scopes[0]!}`
    const { access_token, expires_in } = await world.tokens(app, person, scope)
    const claims = world.claimsIn(access_token)
    expect(Object.keys(claims).sort()).to.deep.equal(PAYLOAD)
    const { iat, jti, ...rest } = claims
    expect(rest).to.deep.equal({
      iss: service.publicUrl,
      sub: person.userId,
      aud: [one.identifier],
      exp: Number(iat) + 900,
      nbf: iat,
      client_id: app.clientId,
      scope,
    })
    expect(expires_in).to.equal(900)
    expect(jti).to.match(/^atk_[0-9A-HJKMNP-TV-Z]{26}$/)
    expect(Math.abs(iat - Date.now() / 1000)).to.be.lessThan(5)
    const { alg, typ, kid, ...others } = world.headerOf(access_token)
    expect([alg, typ]).to.deep.equal(['RS256', 'at+jwt'])
    const published = (await (await fetch(`${service.publicUrl}/oauth2/keys`)).json()) as {
      keys: { kid: string }[]
    }
    expect(published.keys.map((key) => key.kid)).to.include(kid)
    expect(Object.keys(others)).to.deep.equal(['ref'])
    for (const secret of [person.email, person.userId, person.sessionId, 'Ada'])
      expect(others.ref).to.not.include(Buffer.from(secret).toString('base64url').slice(0, 8))
  })

  it('APR-04 each has its own id', async () => {
    const { refresh_token, access_token } = await world.tokens(app, person)
    const later = await world.refresh(app, refresh_token)
    expect(world.claimsIn(later.body.access_token).jti).to.not.equal(world.claimsIn(access_token).jti)
  })

  it('APR-02 a resource adds its granted scopes; two resources are both in the audience', async () => {
    const { access_token, scope } = await world.tokens(app, person, 'openid', resources(one, two))
    expect(scope.split(' ')).to.have.members(['openid', ...one.scopes, ...two.scopes])
    expect(world.claimsIn(access_token)).to.deep.include({ scope, aud: [one.identifier, two.identifier] })
    for (const api of [one, two])
      expect((await verified(access_token, api)).payload.sub).to.equal(person.userId)
  })

  it('APR-02 the resource parameter is ignored at the token endpoint', async () => {
    const { refresh_token } = await world.tokens(app, person, 'openid offline_access', resources(one))
    const { body } = await world.refresh(app, refresh_token, { resource: [two.identifier] })
    expect(world.claimsIn(body.access_token).aud).to.deep.equal([one.identifier])
  })

  it('APR-03 a resource or a scope without a grant fails', async () => {
    const other = await world.api()
    const tried = async (scope: string, raw: string) =>
      (await world.authorize(app, person, { scope }, raw)).query
    const challenge = `&code_challenge_method=S256&code_challenge=${pkce().challenge}`
    for (const raw of [resources(other), resources(one, other), '&resource=https%3A%2F%2Fnobody.example'])
      expect((await tried('openid', raw + challenge))['error']).to.equal('invalid_target')
    expect((await tried(`openid ${other.scopes[0]!}`, challenge))['error']).to.equal('invalid_scope')
    expect((await tried('openid made-up', challenge))['code'], 'no scope of any API').to.be.a('string')
  })

  it('without an API in the request they are for this service', async () => {
    const { access_token } = await world.tokens(app, person, 'openid email')
    expect(world.claimsIn(access_token).aud).to.deep.equal([service.publicUrl])
    expect((await problem(verified(access_token, one))) instanceof errors.JWTClaimValidationFailed).to.equal(
      true,
    )
  })

  it('OIDC-10 work at userinfo like opaque ones', async () => {
    const plain = await world.application('web')
    await world.join(plain.groupId, person.userId)
    const opaque = (await world.tokens(plain, person, 'openid profile email')).access_token
    const jwt = (await world.tokens(app, person, 'openid profile email', resources(one))).access_token
    expect(opaque).to.not.match(/^eyJ/)
    const answer = await world.userinfo(jwt)
    expect(answer.status).to.equal(200)
    expect(answer.body).to.include({ sub: person.userId, name: 'Ada Lovelace', email: person.email })
    expect(answer.body).to.deep.equal((await world.userinfo(opaque)).body)
    const mute = (await world.tokens(app, person, one.scopes[0])).access_token
    expect((await world.userinfo(mute)).status).to.equal(403)
  })

  it('that another party created or changed are invalid', async () => {
    const { access_token: token, id_token } = await world.tokens(app, person, 'openid email')
    const [head = '', payload = '', signature = ''] = token.split('.')
    const json = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const header = world.headerOf(token)
    const claims = world.claimsIn(token)
    const other = world.headerOf((await world.tokens(app, person, 'openid')).access_token)
    const bad = [
      `${head}.${json({ ...claims, scope: 'openid profile email' })}.${signature}`,
      `${json({ ...header, ref: other.ref })}.${payload}.${signature}`,
      `${json({ ...header, alg: 'none' })}.${payload}.`,
      `${json({ ...header, alg: 'HS256' })}.${payload}.${signature}`,
      `${json({ ...header, kid: 'nobody' })}.${payload}.${signature}`,
      `${head}.${payload}.${signature.slice(2)}`,
      `${token}.x`,
      `${head}.${payload}`,
      id_token,
    ]
    for (const text of bad) {
      expect((await world.userinfo(text)).status, text).to.equal(401)
      expect((await world.introspect(app, text)).body).to.deep.equal({ active: false })
    }
    expect((await world.userinfo(token)).status).to.equal(200)
  })

  it('APR-05 an API with only jose accepts valid tokens and rejects wrong audiences, ID tokens and expired tokens', async () => {
    const { access_token, id_token } = await world.tokens(app, person, 'openid', resources(one))
    const { payload } = await verified(access_token, one)
    expect(String(payload['scope']).split(' ')).to.include.members([...one.scopes])
    expect(String(payload['scope']).split(' ')).to.not.include(two.scopes[0])
    expect(await problem(verified(access_token, two))).to.be.instanceOf(errors.JWTClaimValidationFailed)
    expect(await problem(verified(id_token, one))).to.be.instanceOf(errors.JWTClaimValidationFailed)
    expect(await problem(verified(access_token, one, 955))).to.equal(null)
    expect(await problem(verified(access_token, one, 965))).to.be.instanceOf(errors.JWTExpired)
    expect(await problem(verified(access_token, one, -55))).to.equal(null)
    expect(await problem(verified(access_token, one, -70))).to.be.instanceOf(errors.JWTClaimValidationFailed)
  })

  it('APR-05 stay valid after revocation only for APIs that do not introspect', async () => {
    const { access_token, refresh_token } = await world.tokens(
      app,
      person,
      'openid offline_access',
      resources(one),
    )
    expect((await world.introspect(app, access_token)).body.active).to.equal(true)
    expect((await world.revoke(app, refresh_token)).status).to.equal(200)
    expect((await verified(access_token, one)).payload.sub).to.equal(person.userId)
    expect((await world.introspect(app, access_token)).body).to.deep.equal({ active: false })
    expect((await world.userinfo(access_token)).status).to.equal(401)
  })

  it('OIDC-16 have the shortest lifetime of application and APIs', async () => {
    const brief = await world.api(['read'], { accessTokenLifetimeSeconds: 120 })
    const long = await world.api(['read'], { accessTokenLifetimeSeconds: 86_400 })
    const slow = await world.application('web', { accessTokenLifetimeSeconds: 3600 })
    const someone = await world.member(slow)
    await world.grantApis(slow, brief, long)
    const lifetime = async (...apis: readonly TestApi[]) => {
      const { access_token, expires_in } = await world.tokens(slow, someone, 'openid', resources(...apis))
      const { iat, exp } = world.claimsIn(access_token)
      expect(exp - iat).to.equal(expires_in)
      return expires_in as number
    }
    expect(await lifetime()).to.equal(3600)
    expect(await lifetime(long)).to.equal(3600)
    expect(await lifetime(brief)).to.equal(120)
    expect(await lifetime(long, brief)).to.equal(120)
  })

  it('users can never sign in to a service application', async () => {
    const machine = await world.application('service', { redirectUris: [] })
    const { query, status } = await world.authorize(machine, person)
    expect(status).to.equal(400)
    expect(query['code']).to.equal(undefined)
    expect(outcome(await world.redeem(machine, { code: 'x', verifier: 'y' }))).to.deep.equal([
      400,
      'unauthorized_client',
    ])
  })
})
