import { expect } from 'chai'
import { Type, type TSchema } from 'typebox'
import { fields, idOf } from '../../adapters/inbound/http/route.ts'
import { unknownField, strictly } from '../../adapters/inbound/http/validate.ts'
import { errorOf, startApi, USER, type Api } from './support.ts'

describe('API-05 ERR_INVALID names the field and what was expected', () => {
  let api: Api
  before(async () => {
    api = await startApi()
  })
  after(() => api.close())

  const thing = { email: 'ada@example.com', name: 'Ada' }
  const bodies: readonly [object, string, string][] = [
    [{ name: 'Ada' }, '/email', 'email: is missing; expected an email address, for example ada@example.com'],
    [{ ...thing, email: 'nope' }, '/email', 'email: expected an email address, for example ada@example.com'],
    [{ ...thing, email: 5 }, '/email', 'email: expected an email address, for example ada@example.com'],
    [{ ...thing, name: '' }, '/name', 'name: expected text of 1 to 200 characters'],
    [{ ...thing, note: 5 }, '/note', 'note: expected text of at most 20 characters or null'],
    [{ ...thing, note: 'x'.repeat(21) }, '/note', 'note: expected text of at most 20 characters'],
    [{ ...thing, roles: 'auditor' }, '/roles', 'roles: expected a list of at most 6 items'],
    [{ ...thing, roles: ['auditor', 'x'] }, '/roles/1', 'roles[1]: expected one of auditor or app_admin'],
    [
      { ...thing, manager: 'grp_1' },
      '/manager',
      'manager: expected the id of a user, for example usr_01ARZ3NDEKTSV4RRFFQ69G5FAV',
    ],
    [
      { ...thing, name: 'a\u0000b' },
      '/name',
      'name: expected text without NUL characters or broken surrogate pairs',
    ],
    [
      { ...thing, name: 'a\ud800' },
      '/name',
      'name: expected text without NUL characters or broken surrogate pairs',
    ],
  ]
  for (const [body, field, message] of bodies)
    it(message, async () => {
      expect(await errorOf(await api.send('POST', '/things', body))).to.include({
        status: 422,
        code: 'ERR_INVALID',
        field,
        message,
      })
    })

  const queries: readonly [string, string, string][] = [
    ['limit=0', '/limit', 'limit: expected a whole number from 1 to 200 (Items per page)'],
    ['limit=201', '/limit', 'limit: expected a whole number from 1 to 200 (Items per page)'],
    ['limit=ten', '/limit', 'limit: expected a whole number from 1 to 200 (Items per page)'],
    ['limit=1&limit=2', '/limit', 'limit: expected a whole number from 1 to 200 (Items per page)'],
    ['status=lost', '/status', 'status: expected one of active or gone'],
    ['stauts=active', '/stauts', 'stauts: is not a query parameter of this route'],
    ['__proto__=1', '/__proto__', '__proto__: is not a query parameter of this route'],
  ]
  for (const [query, field, message] of queries)
    it(`?${query} → ${message}`, async () => {
      expect(await errorOf(await api.send('GET', `/things?${query}`))).to.include({
        status: 422,
        code: 'ERR_INVALID',
        field,
        message,
      })
    })

  it('lists are arrays with a Link to the next page', async () => {
    const first = await api.send('GET', '/things?limit=2&status=active')
    expect(await first.json()).to.have.length(2)
    expect(first.headers.get('x-total-count')).to.equal('3')
    const link = /^<(https:\/\/id\.example\.com\/api\/v1\/things\?[^>]+)>; rel="next"$/.exec(
      first.headers.get('link') ?? '',
    )
    const next = new URL(link?.[1] ?? '')
    expect(next.searchParams.get('status')).to.equal('active')
    expect(next.searchParams.get('cursor')).to.match(/^[\w-]+$/)
    expect((await api.send('GET', '/things')).headers.get('link')).to.equal(null)
  })

  it('an id of another kind, in lower case or too short is 404', async () => {
    for (const id of [`grp_${USER.slice(4)}`, USER.toLowerCase(), 'usr_', `${USER}0`, '%00']) {
      const response = await api.send('POST', `/things/${id}/poke`)
      expect(await errorOf(response), id).to.include({ status: 404, code: 'ERR_NOT_FOUND' })
    }
  })
})

describe('alternatives', () => {
  const message = (schema: TSchema, value: unknown): string | undefined => strictly(schema)(value)?.message
  const application = Type.Union([
    fields({ protocol: Type.Literal('oidc'), type: Type.Enum(['web', 'spa']) }),
    fields({ protocol: Type.Literal('saml'), saml: fields({ entityId: Type.String({ format: 'uri' }) }) }),
  ])

  it('the error is that of the intended alternative', () => {
    expect(message(application, { protocol: 'oidc' })).to.equal(
      'type: is missing; expected one of web or spa',
    )
    expect(message(application, { protocol: 'oidc', type: 'x' })).to.equal('type: expected one of web or spa')
    expect(message(application, { protocol: 'saml', saml: { entityId: 'x' } })).to.equal(
      'saml.entityId: expected an absolute address, for example https://example.com/path',
    )
    expect(message(application, { protocol: 'oidc', type: 'web', saml: {} })).to.equal(
      'saml: is not a known field',
    )
  })
  it('an unknown choice names the choices', () => {
    expect(message(application, { protocol: 'wsfed' })).to.equal('protocol: expected one of oidc or saml')
    expect(message(application, {})).to.equal('protocol: expected one of oidc or saml')
    expect(message(Type.Union([Type.Literal('a'), Type.Literal('b')]), 'c')).to.equal(
      'body: expected one of a or b',
    )
  })
  it('fields of any alternative are known, others are unknown', () => {
    expect(unknownField(application, { protocol: 'oidc', saml: { entityId: 'x' } })).to.equal(undefined)
    expect(unknownField(application, { protocol: 'oidc', other: 1 })).to.equal('/other')
    expect(unknownField(Type.Array(application), [{ 'a/b': 1 }])).to.equal('/0/a~1b')
  })
  it('title, example and description appear in the message', () => {
    const name = fields({
      code: Type.String({ pattern: '^[0-9]{6}$', title: 'authenticator code', examples: ['123456'] }),
      colour: Type.String({ pattern: '^#', description: 'Accent of the pages' }),
      when: Type.Optional(Type.String({ format: 'date-time' })),
      owners: Type.Optional(Type.Array(idOf('application'), { minItems: 1, uniqueItems: true })),
    })
    const base = { code: '123456', colour: '#fff' }
    expect(message(name, { ...base, code: 'x' })).to.equal(
      'code: expected authenticator code: text, for example 123456',
    )
    expect(message(name, { ...base, colour: 'x' })).to.equal(
      'colour: expected text that matches ^# (Accent of the pages)',
    )
    expect(message(name, { ...base, when: 'now' })).to.match(/^when: expected a date and time with offset/)
    expect(message(name, { ...base, owners: [] })).to.equal(
      'owners: expected a list of at least 1 item, each once',
    )
    expect(message(name, { ...base, owners: ['x'] })).to.match(
      /^owners\[0\]: expected the id of an application/,
    )
  })
})
