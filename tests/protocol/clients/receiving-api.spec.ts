import { createHmac } from 'node:crypto'
import { expect } from 'chai'
import { decodeProtectedHeader } from 'jose'
import { apiResourceCommands } from '../../../adapters/application/commands/api-resources.ts'
import { applicationCommands } from '../../../adapters/application/commands/applications.ts'
import { basic, type TestApplication } from '../../support/oidc/oidc.ts'
import { system, type TestPerson } from '../../support/service/service.ts'
import { invoicesApi, type InvoicesApi } from './invoices-api.ts'
import { API, clientsPlace, READ, WRITE, type ClientsPlace } from './support.ts'

const LIFETIME = 900

describe('jose in an API that receives tokens', () => {
  let place: ClientsPlace
  let api: InvoicesApi
  let machine: TestApplication
  let web: TestApplication
  let person: TestPerson
  before(async () => {
    place = await clientsPlace()
    api = await invoicesApi(place.service.publicUrl)
    machine = await place.world.application('service', { redirectUris: [] }, { groups: 'none' })
    await place.grant(machine, READ, WRITE)
    web = await place.world.application('web')
    await place.grant(web, READ, WRITE)
    person = await place.world.member(web)
  })
  after(async () => {
    await api.stop()
    await place.service.stop()
  })

  const machineToken = async (fields: Record<string, string> = { resource: API }): Promise<string> => {
    const { body } = await place.world.token(
      { grant_type: 'client_credentials', ...fields },
      { Authorization: basic(machine.clientId, machine.secret) },
    )
    return body.access_token
  }

  const personTokens = async (scope = `openid ${READ}`) => {
    const { body } = await place.world.redeem(web, await place.world.code(web, person, { scope }))
    return body as { access_token: string; id_token: string }
  }

  const refused = async (token: string, reason: string, secondsFromNow = 0) =>
    expect(await api.call(token, secondsFromNow)).to.deep.equal({ status: 401, reason })

  it('APR-05 accepts the tokens of services and users', async () => {
    expect(await api.call(await machineToken())).to.deep.equal({ status: 200, reason: machine.clientId })
    const { access_token: token } = await personTokens()
    expect(await api.call(token)).to.deep.equal({ status: 200, reason: person.userId })
  })

  it('APR-04 the token contains what RFC 9068 requires, and no personal data', async () => {
    const { access_token: token } = await personTokens(`openid profile email groups ${READ}`)
    const claims = place.world.claimsIn(token)
    const all = ['iss', 'sub', 'aud', 'exp', 'iat', 'nbf', 'jti', 'client_id', 'scope']
    expect(claims).to.have.all.keys(...all)
    expect(claims.aud).to.deep.equal([API])
    expect(claims.exp - claims.iat).to.equal(LIFETIME)
    expect(decodeProtectedHeader(token)).to.include({ alg: 'RS256', typ: 'at+jwt' })
  })

  it('APR-05 refuses a token for another API', async () => {
    const { services } = place.service.core
    const other = { identifier: 'https://other.example.com', name: 'Other', scopes: [{ name: 'other:read' }] }
    const { apiResourceId } = await apiResourceCommands(services).create(other, system)
    await applicationCommands(services).setApiGrant(
      machine.applicationId,
      apiResourceId,
      ['other:read'],
      system,
    )
    await refused(await machineToken({ resource: other.identifier }), 'ERR_JWT_CLAIM_VALIDATION_FAILED')
    // A token for both is a token for this one.
    expect((await api.call(await machineToken({ scope: `other:read ${READ}` }))).status).to.equal(200)
  })

  it('APR-05 refuses a token that expired more than a minute ago', async () => {
    const token = await machineToken()
    expect((await api.call(token, LIFETIME + 50)).status).to.equal(200)
    await refused(token, 'ERR_JWT_EXPIRED', LIFETIME + 61)
  })

  it('APR-05 accepts one from a clock that is at most a minute ahead', async () => {
    const token = await machineToken()
    expect((await api.call(token, -55)).status).to.equal(200)
    await refused(token, 'ERR_JWT_CLAIM_VALIDATION_FAILED', -75)
  })

  it('APR-05 refuses ID tokens', async () => {
    await refused((await personTokens()).id_token, 'ERR_JWT_CLAIM_VALIDATION_FAILED')
  })

  it('OIDC-15 refuses opaque tokens and tokens for the service itself', async () => {
    const plain = await place.world.application('web')
    const { body } = await place.world.redeem(
      plain,
      await place.world.code(plain, await place.world.member(plain)),
    )
    await refused(body.access_token, 'ERR_JWS_INVALID')
    await refused((await personTokens('openid')).access_token, 'ERR_JWT_CLAIM_VALIDATION_FAILED')
  })

  it('APR-05 refuses a token without the scope', async () => {
    const token = await machineToken({ scope: WRITE })
    expect(await api.call(token)).to.deep.equal({ status: 403, reason: 'insufficient_scope' })
  })

  it('APR-05 rejects tokens that were changed, are unsigned, or are signed with the public key as a secret', async () => {
    const token = await machineToken({ scope: WRITE })
    const [head = '', payload = '', signature = ''] = token.split('.')
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const more = part({ ...place.world.claimsIn(token), scope: READ })
    await refused(`${head}.${more}.${signature}`, 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED')
    await refused(`${part({ alg: 'none', typ: 'at+jwt' })}.${more}.`, 'ERR_JOSE_ALG_NOT_ALLOWED')
    const { keys } = (await (await fetch(`${place.service.publicUrl}/oauth2/keys`)).json()) as {
      keys: Record<string, string>[]
    }
    const signed = `${part({ alg: 'HS256', typ: 'at+jwt', kid: keys[0]?.['kid'] })}.${more}`
    const mac = createHmac('sha256', JSON.stringify(keys[0])).update(signed).digest('base64url')
    await refused(`${signed}.${mac}`, 'ERR_JOSE_ALG_NOT_ALLOWED')
    expect((await api.call(`${head}.${payload}.${signature}`)).status).to.equal(403)
  })

  it('APR-05 a token stays valid until it expires, whatever happens to its application', async () => {
    const app = await place.world.application('service', { redirectUris: [] }, { groups: 'none' })
    await place.grant(app, READ)
    const { body } = await place.world.token(
      { grant_type: 'client_credentials', resource: API },
      { Authorization: basic(app.clientId, app.secret) },
    )
    await place.world.change({ type: 'disable', applicationId: app.applicationId })
    expect((await api.call(body.access_token)).status).to.equal(200)
  })

  it('OIDC-17 a rotation of keys affects neither clients with tokens nor APIs that cache keys', async () => {
    const before = await machineToken()
    expect((await api.call(before)).status).to.equal(200)
    const admin = await place.service.person({}, ['global_admin'])
    const rotated = await place.service.api('POST', '/signing-keys/rotate', { as: admin })
    expect(rotated.status, JSON.stringify(rotated.body)).to.equal(200)
    const after = await machineToken()
    expect(decodeProtectedHeader(after).kid).not.to.equal(decodeProtectedHeader(before).kid)
    const fresh = await invoicesApi(place.service.publicUrl)
    try {
      for (const receiver of [api, fresh])
        for (const token of [before, after])
          expect(await receiver.call(token)).to.deep.equal({ status: 200, reason: machine.clientId })
    } finally {
      await fresh.stop()
    }
  })
})
