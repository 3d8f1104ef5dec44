import { Validator } from '@seriousme/openapi-schema-validator'
import { expect } from 'chai'
import { Type } from 'typebox'
import { parse } from 'yaml'
import { allRoutes, documentOf } from '../../adapters/inbound/http/openapi.ts'
import { fields, idOf, route, type Route } from '../../adapters/inbound/http/route.ts'
import { demoRoutes, errorOf, startApi, type Api } from './support.ts'

const info = { version: '1.2.3', publicUrl: 'https://id.example.com' }

interface Operation {
  readonly operationId: string
  readonly responses: Record<string, { content?: Record<string, { schema: never }> }>
  readonly [key: string]: unknown
}
interface Document {
  readonly openapi: string
  readonly info: { readonly version: string; readonly description: string }
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: {
    readonly schemas: Record<string, unknown>
    readonly responses: Record<string, unknown>
  }
}

describe('API-02 the OpenAPI document', () => {
  let api: Api
  let document: Document
  let routes: readonly Route[]
  before(async () => {
    api = await startApi()
    routes = allRoutes(demoRoutes(api.seen), info)
    const response = await api.send('GET', '/openapi.yaml', undefined, { cookie: '' })
    expect(response.status).to.equal(200)
    expect(response.headers.get('content-type')).to.equal('application/yaml')
    document = parse(await response.text()) as Document
  })
  after(() => api.close())

  it('is valid OpenAPI 3.1', async () => {
    const result = await new Validator().validate(structuredClone(document) as never)
    expect(result.errors ?? []).to.deep.equal([])
    expect(result.valid).to.equal(true)
    expect(document.openapi).to.equal('3.1.0')
    expect(document.info.version).to.equal('1.2.3')
  })
  it('lists the served routes, no more and no fewer', async () => {
    const documented = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    )
    expect(documented).to.have.members(routes.map(({ method, path }) => `${method} ${path}`))
    for (const entry of documented) {
      const [method = '', path = ''] = entry.split(' ')
      const response = await api.send(method, path.replace('{id}', 'usr_x'), undefined, { cookie: '' })
      const code = response.status === 200 ? 'served' : (await errorOf(response)).code
      expect(code, entry).not.to.equal('ERR_NO_ROUTE')
    }
  })
  it('describes HEAD, which no path lists', () => {
    expect(document.info.description).to.contain('HEAD is answered as GET is, without the body.')
  })
  it('contains callers, audit actions, and every error by code', () => {
    const create = document.paths['/things']?.['post']
    expect(create?.['x-required-roles']).to.deep.equal(['global_admin', 'user_admin'])
    expect(create?.['x-credentials']).to.deep.equal(['session', 'api_key'])
    expect(create?.['x-audit-action']).to.deep.equal(['thing.create'])
    expect(create?.['security']).to.deep.equal([{ session: [] }, { api_key: [] }])
    const text = JSON.stringify(create?.responses)
    for (const code of [
      'ERR_INVALID_JSON',
      'ERR_UNAUTHENTICATED',
      'ERR_FORBIDDEN',
      'ERR_CROSS_SITE',
      'ERR_CONFLICT',
      'ERR_INVALID',
      'ERR_RATE_LIMITED',
      'ERR_INTERNAL',
      'ERR_UNAVAILABLE',
    ])
      expect(text).to.include(code)
    // Any session can be blocked by an access policy; roles are not required here.
    expect(JSON.stringify(document.paths['/things/mine']?.['get']?.responses['403']))
      .to.include('ERR_BLOCKED_BY_POLICY')
      .and.not.include('ERR_FORBIDDEN')
    expect(document.paths['/openapi.yaml']?.['get']?.['security']).to.deep.equal([{}])
  })
  it('names operations uniquely and shares titled schemas', () => {
    const ids = Object.values(document.paths).flatMap((operations) =>
      Object.values(operations).map(({ operationId }) => operationId),
    )
    expect(new Set(ids).size).to.equal(ids.length)
    expect(ids).to.include('patch_things_id')
    expect(Object.keys(document.components.schemas)).to.deep.equal(['Error', 'Thing'])
    expect(JSON.stringify(document.paths)).to.include('#/components/schemas/Thing')
  })
  it('describes a failure once, and refers to it', () => {
    expect(document.components.responses['ERR_UNAVAILABLE']).to.nested.include({
      'content.application/json.schema.$ref': '#/components/schemas/Error',
      'x-error-codes[0]': 'ERR_UNAVAILABLE',
    })
    const references = [...JSON.stringify(document.paths).matchAll(/"#\/components\/(\w+)\/([\w.-]+)"/g)]
    expect(references).not.to.have.length(0)
    for (const [reference, kind = '', name = ''] of references)
      expect(document.components, reference).to.have.property(kind).with.property(name)
  })
  it('rejects two schemas with the same title', () => {
    const result = (properties: Record<string, ReturnType<typeof Type.String>>) =>
      Type.Object(properties, { title: 'Same' })
    const get = (path: string, schema: ReturnType<typeof result>) =>
      route({
        method: 'GET',
        path,
        tag: 'T',
        summary: 'S',
        access: { credentials: ['none'] },
        result: schema,
        status: 200,
        errors: [],
        handle: () => Promise.resolve({ body: {} as never }),
      })
    expect(() =>
      documentOf([get('/a', result({ a: Type.String() })), get('/b', result({ b: Type.String() }))], info),
    ).to.throw('Same')
  })
})

describe('a declaration that contradicts itself does not start', () => {
  const base = {
    method: 'POST',
    path: '/x',
    tag: 'X',
    summary: 'X',
    access: { credentials: ['session'] },
    status: 204,
    errors: [],
    handle: () => Promise.resolve({}),
  } as const
  const wrong: readonly [string, object][] = [
    ['API keys', { path: '/me/x', access: { credentials: ['api_key'] } }],
    ['API keys', { path: '/auth/x', access: { credentials: ['api_key'] } }],
    ['CLI tokens', { path: '/me', access: { credentials: ['cli_token'] } }],
    ['requires authentication', { access: { credentials: ['none'], roles: ['auditor'] } }],
    ['params', { path: '/x/{id}' }],
    ['params', { path: '/x/{id}', params: fields({ other: idOf('user') }) }],
    ['GET has no body', { method: 'GET', body: fields({}) }],
    ['use fields()', { body: Type.Object({ a: Type.String() }) }],
    ['use fields()', { body: fields({ a: Type.Array(Type.Object({})) }) }],
    ['path parameters', { path: 'x' }],
  ]
  for (const [why, difference] of wrong)
    it(`${why}: ${JSON.stringify(difference)}`, () => {
      expect(() => route({ ...base, ...difference })).to.throw(why)
    })
  it('two routes with the same method and path do not start', async () => {
    const twice = (): readonly Route[] => [route(base), route(base)]
    await startApi({}, twice).then(
      () => expect.fail('started'),
      (error: unknown) =>
        expect(String(error)).to.include('two endpoints with the same method and path: POST /api/v1/x'),
    )
  })
})

describe('strict mode', () => {
  it('an undeclared field of a result or an undeclared error causes an error', async () => {
    const api = await startApi({ strict: true })
    try {
      const post = async (name: string) =>
        errorOf(await api.send('POST', '/things', { email: 'ada@example.com', name }))
      expect(await post('leaky')).to.include({ status: 500 })
      expect((await post('leaky')).message).to.include('undeclared field hash')
      expect((await post('wrong')).message).to.include('undeclared ERR_SELF_APPROVAL')
      expect((await api.send('POST', '/things', { email: 'ada@example.com', name: 'Ada' })).status).to.equal(
        201,
      )
    } finally {
      await api.close()
    }
  })
})
