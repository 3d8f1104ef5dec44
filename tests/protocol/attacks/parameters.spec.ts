import { expect } from 'chai'
import {
  basic,
  CALLBACK,
  oidcWorld,
  pkce,
  type OidcWorld,
  type TestApplication,
} from '../../support/oidc/oidc.ts'
import { testService, type TestPerson, type TestService } from '../../support/service/service.ts'

/** RFC 6749 §5.2: the characters that error_description may contain. */
const DESCRIPTION = /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/

describe('Attacks: parameters', () => {
  let service: TestService
  let world: OidcWorld
  let app: TestApplication
  let person: TestPerson
  const proof = { code_challenge: pkce().challenge, code_challenge_method: 'S256' }
  before(async () => {
    service = await testService()
    world = oidcWorld(service)
    app = await world.application('web')
    person = await world.member(app)
  })
  after(() => service.stop())

  const evil: Record<string, string> = {
    response_type: 'token',
    response_mode: 'form_post',
    scope: 'openid email',
    state: 'other',
    nonce: 'other',
    code_challenge: pkce().challenge,
    code_challenge_method: 'plain',
    prompt: 'none',
    max_age: '1',
    login_hint: 'eve@example.com',
    id_token_hint: 'a.b.c',
    acr_values: 'phr',
    ui_locales: 'de',
    claims: '{}',
    display: 'page',
    anything: 'at all',
  }
  const usual = () => ({
    client_id: app.clientId,
    redirect_uri: CALLBACK,
    response_type: 'code',
    response_mode: 'query',
    scope: 'openid',
    state: 'mine',
    nonce: 'mine',
    ...proof,
    prompt: 'consent',
    max_age: '9999',
    login_hint: 'ada@example.com',
    acr_values: 'urn:svc:acr:otp',
    ui_locales: 'en',
    claims: '{}',
    display: 'page',
    anything: '1',
  })
  const raw = (pairs: Iterable<readonly [string, string]>) =>
    [...pairs].map((pair) => pair.map(encodeURIComponent).join('=')).join('&')

  describe('sent twice to the authorization endpoint (RFC 6749 §3.1)', () => {
    for (const [name, value] of Object.entries(evil))
      for (const order of ['first', 'last'])
        it(`${name}, with a different value ${order}: invalid_request, never a code`, async () => {
          const pairs = Object.entries(usual()).filter(
            ([other]) => other !== 'id_token_hint' || name === other,
          )
          const own = pairs.find(([other]) => other === name) ?? [name, value]
          const rest = pairs.filter(([other]) => other !== name)
          const twice = order === 'first' ? [[name, value] as const, own] : [own, [name, value] as const]
          const answer = await world.browse(`/oauth2/authorize?${raw([...twice, ...rest])}`, person)
          expect(answer.query).to.include({ error: 'invalid_request', iss: service.publicUrl })
          expect(answer.query['code']).to.equal(undefined)
          expect(answer.query['state']).to.equal(name === 'state' ? undefined : 'mine')
        })
    for (const [name, value] of [
      ['client_id', 'sv_other'],
      ['redirect_uri', 'https://evil.example/'],
    ] as const)
      for (const order of ['first', 'last'])
        it(`${name}, with a different value ${order}: a page`, async () => {
          const pairs = Object.entries(usual())
          const all =
            order === 'first' ? [[name, value] as const, ...pairs] : [...pairs, [name, value] as const]
          const answer = await world.browse(`/oauth2/authorize?${raw(all)}`, person)
          expect([answer.status, answer.location]).to.deep.equal([400, null])
        })
    it('the same value twice counts as repeated', async () => {
      const { query } = await world.authorize(app, person, proof, '&response_type=code')
      expect(query['error']).to.equal('invalid_request')
    })
    it('resource may be repeated (RFC 8707 §2), and each one is checked', async () => {
      const { query } = await world.authorize(
        app,
        person,
        proof,
        '&resource=https://a.example&resource=https://b.example',
      )
      expect(query['error']).to.equal('invalid_target')
    })
  })

  it('a posted request is read only from its body', async () => {
    const answer = await world.browse(
      `/oauth2/authorize?${raw(Object.entries({ ...usual(), redirect_uri: CALLBACK }))}`,
      person,
      { method: 'POST', body: new URLSearchParams({ client_id: app.clientId }) },
    )
    expect(answer.status).to.equal(400)
    expect(answer.text).to.include('ERR_INVALID_REDIRECT_URI')
  })
  for (const type of ['application/json', 'multipart/form-data; boundary=x', 'text/plain', ''])
    it(`a posted request of type "${type}" is ignored`, async () => {
      const body = new Blob([raw(Object.entries(usual()))], { type })
      const { status, location } = await world.browse('/oauth2/authorize', person, { method: 'POST', body })
      expect([status, location]).to.deep.equal([400, null])
    })

  describe('oversized', () => {
    for (const [name, length] of [
      ['scope', 2049],
      ['nonce', 513],
      ['login_hint', 2049],
      ['id_token_hint', 16_385],
      ['acr_values', 2049],
      ['resource', 2049],
    ] as const)
      it(`${name}: invalid_request`, async () => {
        const body = new URLSearchParams({ ...usual(), [name]: 'x'.repeat(length) })
        const { query, status } = await world.browse('/oauth2/authorize', person, { method: 'POST', body })
        expect([status, query['error']]).to.deep.equal([303, 'invalid_request'])
      })
    for (const name of ['client_id', 'redirect_uri'])
      it(`${name}: a page`, async () => {
        const body = new URLSearchParams({ ...usual(), [name]: 'x'.repeat(60_000) })
        const { status, location } = await world.browse('/oauth2/authorize', person, { method: 'POST', body })
        expect([status, location]).to.deep.equal([400, null])
      })
    it('ignored parameters may have any length', async () => {
      const body = new URLSearchParams({
        ...usual(),
        claims: 'x'.repeat(20_000),
        unknown: 'x'.repeat(20_000),
      })
      const { location } = await world.browse('/oauth2/authorize', person, { method: 'POST', body })
      expect(location).to.include('/oauth2/authorize/resume?authRequest=')
    })
    it('a body beyond 64 KiB, and an address beyond what a server reads', async () => {
      const body = new URLSearchParams({ ...usual(), state: 'x'.repeat(70_000) })
      expect((await world.browse('/oauth2/authorize', person, { method: 'POST', body })).status).to.equal(400)
      const long = await world.authorize(app, person, { ...proof, state: 'x'.repeat(20_000) })
      expect([long.status, long.location]).to.deep.equal([431, null])
    })
    it('ten thousand parameters', async () => {
      const many = Array.from({ length: 10_000 }, (_, n) => `p${String(n)}=`).join('&')
      const { status } = await world.browse('/oauth2/authorize', person, {
        method: 'POST',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        body: `${raw(Object.entries(usual()))}&${many}`.slice(0, 65_000),
      })
      expect(status).to.equal(400)
    })
  })

  describe('with unusual names', () => {
    const names = [
      '__proto__',
      'constructor',
      'toString',
      'hasOwnProperty',
      'scope[]',
      'scope[0]',
      'client_id[$ne]',
      'redirect_uri.x',
      'SCOPE',
      ' scope',
      'scope\0',
      '%',
      '',
    ]
    it('that are not ours are ignored', async () => {
      const odd = raw(names.map((name) => [name, 'x'] as const))
      const { query } = await world.authorize(app, person, proof, `&${odd}`)
      expect(query['code']).to.be.a('string')
      expect(({} as Record<string, unknown>)['x']).to.equal(undefined)
    })
    it('with similar names replace no known parameter', async () => {
      for (const name of ['client_id', 'redirect_uri', 'response_type', 'scope', 'code_challenge'])
        for (const odd of [`${name}[]`, `${name}[0]`, name.toUpperCase(), ` ${name}`, `${name}\0`]) {
          const fields: Record<string, string> = usual()
          const { [name]: value = '', ...rest } = fields
          const { query } = await world.browse(
            `/oauth2/authorize?${raw(Object.entries({ ...rest, [odd]: value }))}`,
            person,
          )
          expect(query['code'], odd).to.equal(undefined)
        }
    })
    it('as values are ordinary values', async () => {
      for (const value of ['__proto__', 'constructor', 'toString'])
        for (const name of [
          'client_id',
          'redirect_uri',
          'response_type',
          'response_mode',
          'prompt',
          'code_challenge_method',
        ]) {
          const { status, query } = await world.authorize(app, person, { ...proof, [name]: value })
          expect(status, `${name} ${value}`).to.be.oneOf([303, 400])
          expect(query['code']).to.equal(undefined)
        }
      const { query } = await world.authorize(app, person, {
        ...proof,
        acr_values: '__proto__ constructor',
        scope: 'openid __proto__',
      })
      expect(query['code']).to.be.a('string')
    })
    for (const id of [
      '',
      '%00',
      'x',
      "'%20or%201=1",
      '__proto__',
      '%ff',
      'a'.repeat(3000),
      'x&authRequest=y',
    ])
      it(`as the id of a pending request: ${id.slice(0, 20) || 'none'}`, async () => {
        const resumed = await world.browse(`/oauth2/authorize/resume?authRequest=${id}`, person)
        expect([resumed.status, resumed.location]).to.deep.equal([404, null])
        const shown = await world.browse(`/sign-in?authRequest=${id}`, null)
        expect(shown.status).to.be.oneOf([200, 404])
        const cancelled = await world.browse('/sign-in/cancel', null, {
          method: 'POST',
          headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
          body: `authRequest=${id}`,
        })
        expect([cancelled.status, cancelled.location]).to.deep.equal([404, null])
      })
  })

  describe('of the token endpoint', () => {
    const grant = async () => {
      const { code, verifier } = await world.code(app, person, { scope: 'openid offline_access' })
      return { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: verifier }
    }
    const auth = () => ({ Authorization: basic(app.clientId, app.secret) })
    for (const [name, value] of Object.entries({
      grant_type: 'refresh_token',
      code: 'x',
      redirect_uri: 'https://evil.example/',
      code_verifier: pkce().verifier,
      client_id: 'sv_other',
      scope: 'openid',
      anything: 'at all',
    }))
      it(`${name} sent twice: invalid_request, and the code is not used up`, async () => {
        const fields: Record<string, string> = await grant()
        const own = new URLSearchParams({
          ...fields,
          ...(name in fields ? {} : { [name]: value }),
        }).toString()
        for (const body of [`${own}&${raw([[name, value]])}`, `${raw([[name, value]])}&${own}`]) {
          const answer = await world.token(body, auth())
          expect([answer.status, answer.body.error]).to.deep.equal([400, 'invalid_request'])
        }
        expect((await world.token(fields, auth())).status).to.equal(200)
      })
    it('a client_secret that is sent twice or in the address is rejected', async () => {
      const fields = { ...(await grant()), client_id: app.clientId, client_secret: app.secret }
      const twice = `${new URLSearchParams(fields).toString()}&client_secret=${app.secret}`
      expect((await world.token(twice)).body.error).to.equal('invalid_request')
      const response = await fetch(
        `${service.publicUrl}/oauth2/token?${new URLSearchParams(fields).toString()}`,
        {
          method: 'POST',
          headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
          body: '',
        },
      )
      expect(response.status).to.equal(401)
    })
    it('with odd names are ignored, and replace no known parameter', async () => {
      const fields = await grant()
      const { code, ...without } = fields
      const odd = raw([
        ['code[]', code],
        ['CODE', code],
        ['__proto__', code],
      ])
      const missing = await world.token(`${new URLSearchParams(without).toString()}&${odd}`, auth())
      expect(missing.body.error).to.equal('invalid_request')
      expect((await world.token(`${new URLSearchParams(fields).toString()}&${odd}`, auth())).status).to.equal(
        200,
      )
    })
    it('named like prototype properties: errors, each with its status', async () => {
      for (const value of ['__proto__', 'constructor', 'toString']) {
        const answer = await world.token({ grant_type: value }, auth())
        expect([answer.status, answer.body.error]).to.deep.equal([400, 'unsupported_grant_type'])
        const client = await world.token({
          grant_type: 'client_credentials',
          client_id: value,
          client_secret: value,
        })
        expect([client.status, client.body.error]).to.deep.equal([401, 'invalid_client'])
      }
    })
  })

  it('RFC 6749 §5.2 error_description contains no quotes, backslashes or non-ASCII characters, whatever was sent', async () => {
    const nasty = '"\\\r\n<b>\u00e9\u2028\u{1F600}'
    const requests: [Record<string, string>, string][] = [
      ...Object.keys(evil).map((name): [Record<string, string>, string] => [{ [name]: nasty }, '']),
      [{ resource: nasty }, ''],
      [{ scope: `billing:${nasty}` }, ''],
      [
        {},
        `&${raw([
          [nasty, '1'],
          [nasty, '2'],
        ])}`,
      ],
      [{ id_token_hint: nasty }, ''],
      [{ request: nasty }, ''],
    ]
    let said = 0
    for (const [more, tail] of requests) {
      const { query } = await world.authorize(app, person, { ...proof, ...more }, tail)
      if (query['error'] === undefined) continue
      said += 1
      expect(query['error_description'], JSON.stringify(more)).to.match(DESCRIPTION)
    }
    expect(said).to.be.greaterThan(8)
    const auth = { Authorization: basic(app.clientId, app.secret) }
    const bodies: [string | Record<string, string>, Record<string, string>][] = [
      [{ grant_type: nasty }, auth],
      [{ grant_type: 'authorization_code', code: nasty, redirect_uri: nasty }, auth],
      [{ grant_type: 'refresh_token', refresh_token: nasty, scope: nasty }, auth],
      [
        raw([
          [nasty, '1'],
          [nasty, '2'],
        ]),
        auth,
      ],
      [{ grant_type: 'client_credentials', client_id: nasty, client_secret: nasty }, {}],
      [{}, { Authorization: 'Basic "' }],
      [{}, {}],
    ]
    for (const [body, headers] of bodies) {
      const answer = await world.token(body, headers)
      expect(answer.status).to.be.within(400, 401)
      expect(answer.body.error_description, JSON.stringify(body)).to.match(DESCRIPTION)
    }
  })
})
