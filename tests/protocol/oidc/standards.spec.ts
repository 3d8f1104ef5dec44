/** Properties of the protocol endpoints that external tools and reviewers check. */
import { expect } from 'chai'
import { declaredRoutes } from '../../support/api/declared-routes.ts'
import type { Schema } from '../../../adapters/inbound/http/expectation.ts'
import { CALLBACK, oidcWorld } from '../../support/oidc/oidc.ts'
import { testService, type TestService } from '../../support/service/service.ts'

const unsigned = (claims: object): string =>
  [{ alg: 'none' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.') +
  '.'

describe('protocol endpoints and their standards', () => {
  let service: TestService
  let world: ReturnType<typeof oidcWorld>
  before(async () => {
    service = await testService()
    world = oidcWorld(service)
  })
  after(() => service.stop())

  it('OIDC-07 every 401 has a challenge, whichever way the client sent its secret (RFC 9110 §15.5.2)', async () => {
    const app = await world.application()
    for (const path of ['/oauth2/token', '/oauth2/introspect', '/oauth2/revoke'])
      for (const form of [
        { client_id: app.clientId, client_secret: 'wrong' },
        { client_id: 'unknown' },
        {},
      ]) {
        const answer = await world.post(path, { token: 'x', grant_type: 'client_credentials', ...form })
        expect(answer.status, path).to.equal(401)
        expect(answer.headers.get('www-authenticate'), path).to.equal('Basic realm="oauth2"')
      }
  })

  it('OIDC-02 an error returns a state that is too long unchanged (RFC 6749 §4.1.2.1)', async () => {
    const app = await world.application()
    const state = 's'.repeat(2049)
    const { query } = await world.authorize(app, null, { state })
    expect(query).to.include({ error: 'invalid_request', error_description: 'state is too long', state })
  })

  it('OIDC-02 a request object is rejected by the response mode that it names', async () => {
    const app = await world.application()
    const request = unsigned({ client_id: app.clientId, response_mode: 'form_post' })
    const posted = await world.authorize(app, null, { request })
    expect(posted.location).to.equal(null)
    expect(posted.text).to.include('request_not_supported').and.to.include(`action="${CALLBACK}"`)
    for (const other of ['x', 'a.b.c', unsigned({}), unsigned({ response_mode: 1 }), unsigned([])]) {
      const { query } = await world.authorize(app, null, { request: other })
      expect(query['error'], other).to.equal('request_not_supported')
    }
  })

  it('OIDC-16 the sign-out page says what is wrong with the request', async () => {
    const app = await world.application()
    const { id_token: idToken } = await world.tokens(app, await world.member(app))
    const target = `post_logout_redirect_uri=${encodeURIComponent('https://elsewhere.example.com/')}`
    const cases: readonly [string, string][] = [
      [target, 'post_logout_redirect_uri requires client_id or id_token_hint'],
      ['id_token_hint=nonsense', 'id_token_hint is not an ID token of this service'],
      [`id_token_hint=${String(idToken)}&${target}`, 'post_logout_redirect_uri is not registered'],
    ]
    for (const [query, reason] of cases) {
      const answer = await world.browse(`/oauth2/logout?${query}`, null)
      expect(answer.status, query).to.equal(400)
      expect(answer.text, query).to.include(reason)
    }
  })

  it('OIDC-14 the scopes profile and phone return what is known about the user, in userinfo and the ID token', async () => {
    const app = await world.application()
    const person = await world.member(app, {
      ...{ givenName: 'Ada', familyName: 'Lovelace', phone: '+44 20 7946 0000' },
      ...{ locale: 'en-GB', timeZone: 'Europe/London' },
    })
    const tokens = await world.tokens(app, person, 'openid profile phone')
    const { body } = await world.userinfo(tokens.access_token as string)
    for (const claims of [body, world.claimsIn(tokens.id_token as string)]) {
      expect(claims).to.include({
        ...{ given_name: 'Ada', family_name: 'Lovelace', phone_number: '+44 20 7946 0000' },
        ...{ locale: 'en-GB', zoneinfo: 'Europe/London', phone_number_verified: false },
      })
      expect(claims.updated_at).to.be.a('number')
    }
    const bare = await world.tokens(app, await world.member(app), 'openid profile phone')
    expect((await world.userinfo(bare.access_token as string)).body).not.to.have.any.keys(
      ...['given_name', 'family_name', 'locale', 'zoneinfo', 'phone_number', 'phone_number_verified'],
    )
  })

  it('OIDC-01 the discovery document lists every acr that is issued', async () => {
    const { text } = await world.browse('/.well-known/openid-configuration', null)
    expect(JSON.parse(text).acr_values_supported).to.deep.equal(['urn:svc:acr:otp', 'phr'])
  })

  it('OIDC-02 APR-01 an unknown scope of an API is invalid_scope at every endpoint', async () => {
    const web = await world.application('web', { requirePkce: false })
    const [app, program] = [web, await world.application('service', { redirectUris: [] })]
    const api = await world.api()
    for (const each of [app, program]) await world.grantApis(each, api)
    const [granted = ''] = api.scopes
    const person = await world.member(app)
    const { query } = await world.authorize(app, person, { scope: 'openid no-such:scope' })
    expect(query['error']).to.equal('invalid_scope')
    const { body } = await world.clientCredentials(program, { scope: `${granted} no-such:scope` })
    expect(body.error).to.equal('invalid_scope')
  })

  it('ASG-01 a service application is not among the applications of a user', async () => {
    const program = await world.application('service', { redirectUris: [] })
    const person = await world.member(program)
    expect((await service.api('GET', '/me/applications', { as: person })).body).to.deep.equal([])
  })

  it('API-03 every PATCH with a field of the record that it does not change says so', async () => {
    const admin = await service.person({}, ['global_admin'])
    const patches = declaredRoutes(service.core.services).filter(({ method }) => method === 'PATCH')
    const propertiesOf = ({ properties, anyOf = [] }: Schema): readonly string[] => [
      ...Object.keys(properties ?? {}),
      ...anyOf.flatMap(propertiesOf),
    ]
    const known = (schema: unknown) => propertiesOf(schema ?? {})
    const sent: string[] = []
    for (const { path, body, result } of patches) {
      const prefix = { '/users': 'usr', '/service-accounts': 'usr', '/groups': 'grp', '/applications': 'app' }
      const start = Object.entries({ ...prefix, '/api-resources': 'api', '/webhooks': 'whk' }).find(
        ([each]) => path.startsWith(each),
      )
      const kind = start?.[1] ?? (path.includes('methods') ? 'mth' : 'dev')
      const place = path.replace('{id}', `${kind}_01ARZ3NDEKTSV4RRFFQ69G5FAV`).replace('{type}', 'passkey')
      const immutable = known(result).filter((field) => !known(body).includes(field))
      for (const field of [...new Set(immutable), 'nonsense']) {
        const message =
          field === 'nonsense'
            ? 'The body has an unknown field: nonsense.'
            : `The field cannot be changed: ${field}.`
        const reply = await service.api('PATCH', place, { as: admin, body: { [field]: null } })
        expect([reply.status, reply.body.error.code, reply.body.error.message], place).to.deep.equal([
          400,
          'ERR_INVALID_JSON',
          message,
        ])
        sent.push(`${path} ${field}`)
      }
    }
    expect(sent).to.include.members(['/api-resources/{id} identifier', '/applications/{id} protocol'])
  })

  it('OIDC-01 another method returns 405 with Allow, in the format of the protocol', async () => {
    const cases: readonly [string, string, RegExp][] = [
      ['PUT', '/oauth2/token', /"error":"invalid_request"/],
      ['DELETE', '/oauth2/authorize', /"error":"invalid_request"/],
      ['POST', '/.well-known/openid-configuration', /"error":"invalid_request"/],
      ['PUT', '/oauth2/userinfo', /"error":"invalid_request"/],
      ['DELETE', '/saml/metadata', /./],
    ]
    for (const [method, path, body] of cases) {
      const response = await fetch(service.publicUrl + path, { method })
      expect(response.status, path).to.equal(405)
      expect(response.headers.get('allow'), path).to.match(/GET|POST/)
      expect(await response.text(), path).to.match(body)
    }
  })
})
