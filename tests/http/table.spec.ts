import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { createApp } from '../../adapters/inbound/http/app.ts'
import { sendText } from '../../adapters/inbound/http/respond.ts'
import { endpointTable, type Area, type Endpoint, type Handler } from '../../adapters/inbound/http/table.ts'

describe('the table of endpoints', () => {
  const area = (kind: Area['kind'], under: string, more: Partial<Area> = {}): Area => ({
    kind,
    under: [under],
    refuse: (_, response, allowed) => {
      sendText(response, allowed === null ? 404 : 405, `${kind}: ${allowed?.join(', ') ?? 'nothing'}`)
    },
    failed: (error, _, response) => {
      sendText(response, 500, `${kind}: ${String(error)}`)
    },
    ...more,
  })
  const answers =
    (name: string): Handler =>
    (_, response, params) => {
      sendText(response, 200, `${name} ${JSON.stringify(params)}`)
    }
  const at = (path: string, ...methods: readonly (keyof Endpoint['handlers'])[]): Endpoint => ({
    path,
    handlers: Object.fromEntries(methods.map((method) => [method, answers(`${method} ${path}`)])),
  })
  const areas = [area('page', '/'), area('api', '/api'), area('scim', '/scim', { lenient: true })]

  const table = endpointTable(areas, [
    at('/', 'GET'),
    at('/page/{name}', 'GET'),
    at('/page/new', 'GET'),
    at('/page/new', 'POST'),
    at('/page/{name}/parts/{part}', 'GET', 'DELETE'),
    at('/page/new/parts', 'GET'),
    at('/api/things/{id}', 'PATCH'),
    at('/scim/Users', 'GET', 'POST'),
    at('/scim/Users/{id}', 'GET'),
    { path: '/fails', handlers: { GET: () => Promise.reject(new Error('no')) } },
  ])

  it('SGN-05 finds an endpoint behind more empty segments than the stack has frames', () => {
    expect(table.find('GET', `/scim${'/'.repeat(100_000)}Users`).match).not.to.equal(null)
  })

  let server: Server
  const ask = async (method: string, path: string): Promise<[number, string]> => {
    const { port } = server.address() as AddressInfo
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method })
    return [response.status, await response.text()]
  }
  before((done) => {
    const { app, serverOptions } = createApp(table)
    server = createServer(serverOptions, app).listen(0, '127.0.0.1', done)
  })
  after((done) => {
    server.closeAllConnections()
    server.close(done)
  })

  it('finds an endpoint by its segments, literal before named ones, and returns the values of the named ones', async () => {
    for (const [method, path, expected] of [
      ['GET', '/', 'GET / {}'],
      ['GET', '/?a=/page/b', 'GET / {}'],
      ['GET', '/page/a%2Fb%20c', 'GET /page/{name} {"name":"a/b c"}'],
      ['GET', '/page/new', 'GET /page/new {}'],
      ['POST', '/page/new', 'POST /page/new {}'],
      ['GET', '/page/new/parts', 'GET /page/new/parts {}'],
      ['DELETE', '/page/new/parts/7', 'DELETE /page/{name}/parts/{part} {"name":"new","part":"7"}'],
      ['PATCH', '/api/things/constructor', 'PATCH /api/things/{id} {"id":"constructor"}'],
    ] as const)
      expect(await ask(method, path), `${method} ${path}`).to.deep.equal([200, expected])
  })

  it('handles HEAD like GET, without the body', async () => {
    expect(await ask('HEAD', '/page/a')).to.deep.equal([200, ''])
    expect((await ask('HEAD', '/api/things/a'))[0]).to.equal(405)
  })

  it('rejects unknown requests in the format of the area', async () => {
    for (const [method, path, status, refusal] of [
      ['GET', '/nothing', 404, 'page: nothing'],
      ['GET', '/page', 404, 'page: nothing'],
      ['GET', '/page/', 404, 'page: nothing'],
      ['GET', '/page/a/', 404, 'page: nothing'],
      ['GET', '/PAGE/a', 404, 'page: nothing'],
      ['GET', '/page/%zz', 404, 'page: nothing'],
      ['GET', '//', 404, 'page: nothing'],
      ['GET', '/%70age/a', 404, 'page: nothing'],
      ['GET', '/__proto__', 404, 'page: nothing'],
      ['GET', '/apis', 404, 'page: nothing'],
      ['GET', '/api', 404, 'api: nothing'],
      ['GET', '/api/nothing/at/all', 404, 'api: nothing'],
      ['GET', '/scim/v7/Users', 404, 'scim: nothing'],
      ['DELETE', '/api/things/a', 405, 'api: PATCH'],
      ['DELETE', '/page/new', 405, 'page: GET, POST, HEAD'],
      ['OPTIONS', '/page/a', 405, 'page: GET, HEAD'],
    ] as const)
      expect(await ask(method, path), `${method} ${path}`).to.deep.equal([status, refusal])
  })

  it('ignores letter case and empty segments only in lenient areas', async () => {
    for (const path of ['/scim/users/Ab', '/scim//Users/Ab', '/scim/USERS/Ab/'])
      expect(await ask('GET', path), path).to.deep.equal([200, 'GET /scim/Users/{id} {"id":"Ab"}'])
    expect((await ask('GET', '/SCIM/Users'))[0]).to.equal(404)
  })

  it('passes errors of handlers to the area', async () => {
    expect(await ask('GET', '/fails')).to.deep.equal([500, 'page: Error: no'])
  })

  it('lists every endpoint with its kind', () => {
    expect(table.rows).to.have.length(12)
    expect(table.rows.map(({ kind, method, path }) => `${kind} ${method} ${path}`)).to.include.members([
      'page GET /',
      'api PATCH /api/things/{id}',
      'scim POST /scim/Users',
    ])
  })

  it('does not start with two endpoints or areas at the same path, or a path outside all areas', () => {
    const start =
      (...endpoints: readonly Endpoint[]) =>
      () =>
        endpointTable(areas, endpoints)
    expect(start(at('/a/{b}', 'GET'), at('/a/{c}', 'GET'))).to.throw(
      'two endpoints with the same method and path: GET /a/{c} and /a/{b}',
    )
    expect(start(at('/scim/Users', 'GET'), at('/scim/users', 'GET'))).to.throw('two endpoints')
    expect(start(at('/a/{b}', 'GET'), at('/a/{c}', 'POST'), at('/a/b', 'GET'))).not.to.throw()
    expect(() => endpointTable([...areas, area('saml', '/api')], [])).to.throw('two areas at /api')
    expect(() => endpointTable([area('api', '/api')], [])).to.throw('no area is at /')
  })
})
