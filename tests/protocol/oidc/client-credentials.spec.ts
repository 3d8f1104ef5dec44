import { expect } from 'chai'
import {
  oidcWorld,
  outcome,
  type OidcWorld,
  type TestApi,
  type TestApplication,
} from '../../support/oidc/oidc.ts'
import { testService, type TestService } from '../../support/service/service.ts'

describe('OpenID Connect: services act for themselves', () => {
  let service: TestService
  let world: OidcWorld
  let machine: TestApplication
  let one: TestApi
  let two: TestApi
  before(async () => {
    service = await testService()
    world = oidcWorld(service)
    machine = await world.application('service', { redirectUris: [] }, { groups: 'none' })
    one = await world.api()
    two = await world.api(['run'], { accessTokenLifetimeSeconds: 60 })
    await world.grantApis(machine, one, two)
  })
  after(() => service.stop())

  it('OIDC-04 APR-04 with a token about the client itself, and no other token', async () => {
    const { status, body, headers } = await world.clientCredentials(machine, { scope: one.scopes[0]! })
    expect(status).to.equal(200)
    expect(headers.get('cache-control')).to.equal('no-store')
    expect(Object.keys(body).sort()).to.deep.equal(['access_token', 'expires_in', 'scope', 'token_type'])
    expect(body).to.include({ token_type: 'Bearer', expires_in: 900, scope: one.scopes[0] })
    const { iat, jti, ...rest } = world.claimsIn(body.access_token)
    expect(rest).to.deep.equal({
      iss: service.publicUrl,
      sub: machine.clientId,
      client_id: machine.clientId,
      aud: [one.identifier],
      exp: Number(iat) + 900,
      nbf: iat,
      scope: one.scopes[0],
    })
    expect(jti).to.match(/^atk_[0-9A-HJKMNP-TV-Z]{26}$/)
    expect(world.headerOf(body.access_token)).to.include({ alg: 'RS256', typ: 'at+jwt' })
  })

  it('APR-02 OIDC-16 for resources, with all granted scopes of each, and the shortest lifetime', async () => {
    const both = await world.clientCredentials(machine, { resource: [one.identifier, two.identifier] })
    expect(world.claimsIn(both.body.access_token).aud).to.deep.equal([one.identifier, two.identifier])
    expect(both.body.scope.split(' ')).to.have.members([...one.scopes, ...two.scopes])
    expect(both.body.expires_in).to.equal(60)
  })

  it('APR-03 only for granted scopes', async () => {
    const other = await world.api()
    const refused = async (form: Record<string, string | string[]>, error: string) => {
      expect(outcome(await world.clientCredentials(machine, form))).to.deep.equal([400, error])
    }
    await refused({ resource: other.identifier }, 'invalid_target')
    await refused({ resource: [one.identifier, other.identifier] }, 'invalid_target')
    await refused({ resource: `${one.identifier}/` }, 'invalid_target')
    await refused({ scope: other.scopes[0]! }, 'invalid_scope')
    await refused({ scope: `${one.scopes[0]!} made-up` }, 'invalid_scope')
    for (const scope of ['openid', 'email', 'groups', 'offline_access'])
      await refused({ scope }, 'invalid_scope')
  })

  it('without a scope: a token that permits nothing, for this service', async () => {
    const { status, body } = await world.clientCredentials(machine)
    expect(status).to.equal(200)
    expect(body).to.not.have.property('scope')
    expect(world.claimsIn(body.access_token)).to.deep.include({ aud: [service.publicUrl], scope: '' })
  })

  it('OIDC-10 without a user at userinfo', async () => {
    for (const form of [{}, { scope: one.scopes[0]! }]) {
      const { body } = await world.clientCredentials(machine, form)
      const { status, headers } = await world.userinfo(body.access_token)
      expect(status).to.equal(403)
      expect(headers.get('www-authenticate')).to.include('error="insufficient_scope"')
    }
  })

  it('OIDC-05 with Basic or post, and only with their own secret', async () => {
    const form = { grant_type: 'client_credentials', client_id: machine.clientId }
    const posted = await world.token({ ...form, client_secret: machine.secret })
    expect(posted.status).to.equal(200)
    expect(outcome(await world.token(form))).to.deep.equal([401, 'invalid_client'])
    expect(outcome(await world.token({ ...form, client_secret: 'svs_x' }))).to.deep.equal([
      401,
      'invalid_client',
    ])
  })

  for (const type of ['web', 'spa', 'native'] as const)
    it(`${type} applications cannot: unauthorized_client`, async () => {
      const app = await world.application(type)
      expect(outcome(await world.clientCredentials(app))).to.deep.equal([400, 'unauthorized_client'])
    })

  it('ASG-03 with at most the current grants, and not at all while disabled', async () => {
    const own = await world.application('service', { redirectUris: [] }, { groups: 'none' })
    await world.grantApis(own, one)
    const { access_token } = (await world.clientCredentials(own, { resource: one.identifier })).body
    await world.grantApis(own)
    expect(outcome(await world.clientCredentials(own, { resource: one.identifier }))).to.deep.equal([
      400,
      'invalid_target',
    ])
    await world.grantApis(own, one)
    const again = (await world.clientCredentials(own, { resource: one.identifier })).body.access_token
    const active = async (token: string) => (await world.introspect(own, token)).body.active as boolean
    expect([await active(access_token), await active(again)]).to.deep.equal([true, true])
    await world.change({ type: 'disable', applicationId: own.applicationId })
    expect(outcome(await world.clientCredentials(own))).to.deep.equal([401, 'invalid_client'])
    await world.change({ type: 'enable', applicationId: own.applicationId })
    expect([await active(access_token), await active(again)]).to.deep.equal([false, false])
    const anew = (await world.clientCredentials(own)).body.access_token
    expect(await active(anew)).to.equal(true)
  })

  it('writes nothing', async () => {
    const before = await service.core.eventLog.head()
    for (let n = 0; n < 5; n++) await world.clientCredentials(machine, { scope: one.scopes[0]! })
    expect(await service.core.eventLog.head()).to.equal(before)
  })
})
