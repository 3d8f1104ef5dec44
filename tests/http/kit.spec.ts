import { expect } from 'chai'
import { errorOf, raw, startApi, USER, type Api } from './support.ts'

const thing = { email: 'ada@example.com', name: 'Ada' }

describe('the layer of the JSON API', () => {
  let api: Api
  before(async () => {
    api = await startApi({ bodyTimeoutMs: 1500 })
  })
  after(() => api.close())

  it('API-06 every response is JSON, must not be cached or sniffed, and contains the request id', async () => {
    for (const [method, path, body] of [
      ['GET', '/things', undefined],
      ['GET', '/nowhere', undefined],
      ['POST', '/things', { ...thing, name: '' }],
      ['POST', '/things', thing],
    ] as const) {
      const response = await api.send(method, path, body)
      expect(response.headers.get('cache-control')).to.equal('no-store')
      expect(response.headers.get('x-content-type-options')).to.equal('nosniff')
      expect(response.headers.get('content-type')).to.equal('application/json')
      expect(response.headers.get('x-request-id')).to.match(/^[0-9a-f-]{36}$/)
      expect(response.headers.get('content-security-policy')).to.equal(
        "default-src 'none';frame-ancestors 'none'",
      )
      expect(response.headers.get('strict-transport-security')).to.match(/^max-age=\d+$/)
      expect(response.headers.get('x-powered-by')).to.equal(null)
      await response.text()
    }
  })

  it('returns 201 with Location below the public address, ETag and several cookies', async () => {
    const response = await api.send('POST', '/things', thing)
    expect(response.status).to.equal(201)
    expect(response.headers.get('location')).to.equal(`https://id.example.com/api/v1/things/${USER}`)
    expect(response.headers.getSetCookie()).to.deep.equal(['a=1', 'b=2'])
    const { version } = (await response.json()) as { version: number }
    expect(response.headers.get('etag')).to.equal(`"${version}"`)
  })

  it('accepts X-Request-Id only if it is a safe token', async () => {
    const kept = await api.send('GET', '/nowhere', undefined, { 'x-request-id': 'trace-1:a.b' })
    expect(kept.headers.get('x-request-id')).to.equal('trace-1:a.b')
    expect((await errorOf(kept)).requestId).to.equal('trace-1:a.b')
    for (const unsafe of ['a b', '<script>', 'x'.repeat(129), '{"a":1}']) {
      const response = await api.send('GET', '/nowhere', undefined, { 'x-request-id': unsafe })
      expect(response.headers.get('x-request-id')).to.match(/^[0-9a-f-]{36}$/)
    }
  })

  it('API-04 a number consists only of digits', async () => {
    expect((await api.send('GET', '/things?limit=5')).status).to.equal(200)
    for (const odd of ['0x5', '5e0', '%205', '5.0e0', '+5', '5_0', '', 'five']) {
      const problem = await errorOf(await api.send('GET', `/things?limit=${odd}`))
      expect(problem, odd).to.include({ status: 422, code: 'ERR_INVALID', field: '/limit' })
      expect(problem.message).to.match(/^limit: expected /)
    }
  })

  it('HEAD is handled like GET, without the body', async () => {
    const get = await api.send('GET', '/things')
    const head = await api.send('HEAD', '/things')
    expect(head.status).to.equal(200)
    expect(head.headers.get('content-length')).to.equal(String((await get.text()).length))
    expect(await head.text()).to.equal('')
    expect((await api.send('HEAD', '/nowhere')).status).to.equal(404)
  })

  it('API-04 a wrong method, another case, a trailing slash and a broken escape are ERR_NO_ROUTE', async () => {
    for (const [method, path] of [
      ['DELETE', '/things'],
      ['POST', '/things/mine'],
      ['OPTIONS', '/things'],
      ['GET', '/THINGS'],
      ['GET', '/things/'],
      ['GET', '/%ff'],
      ['GET', ''],
      ['PATCH', '/things/%'],
    ] as const) {
      const response = await api.send(method, path)
      expect(await errorOf(response), `${method} ${path}`).to.include({ status: 404, code: 'ERR_NO_ROUTE' })
    }
  })

  it('prefers a literal segment to a parameter', async () => {
    expect(await (await api.send('GET', '/things/mine')).json()).to.deep.equal({ mine: true })
  })

  describe('order of checks', () => {
    const crossSite = { 'sec-fetch-site': 'cross-site' }
    const nobody = { cookie: '' }
    const auditor = { cookie: 'svc_session=auditor' }
    const cases: readonly [string, string, string, unknown, Record<string, string>, number, string][] = [
      [
        'no route before cross-site',
        'POST',
        '/nowhere',
        '{',
        { ...crossSite, ...nobody },
        404,
        'ERR_NO_ROUTE',
      ],
      [
        'cross-site before credentials',
        'POST',
        '/things',
        '{',
        { ...crossSite, ...nobody },
        403,
        'ERR_CROSS_SITE',
      ],
      ['credentials before body', 'POST', '/things', '{', nobody, 401, 'ERR_UNAUTHENTICATED'],
      ['roles before body', 'POST', '/things', '{', auditor, 403, 'ERR_FORBIDDEN'],
      ['body before path', 'PATCH', '/things/usr_x', '{', {}, 400, 'ERR_INVALID_JSON'],
      ['unknown field before path', 'PATCH', '/things/usr_x', { x: 1 }, {}, 400, 'ERR_INVALID_JSON'],
      ['unknown field before values', 'POST', '/things', { email: 1, x: 1 }, {}, 400, 'ERR_INVALID_JSON'],
      ['path before values', 'PATCH', `/things/grp_${USER.slice(4)}`, { name: '' }, {}, 404, 'ERR_NOT_FOUND'],
      ['values before the handler', 'POST', '/things', { name: 'taken' }, {}, 422, 'ERR_INVALID'],
      ['the handler last', 'POST', '/things', { ...thing, name: 'taken' }, {}, 409, 'ERR_CONFLICT'],
    ]
    for (const [title, method, path, body, headers, status, code] of cases)
      it(title, async () => {
        const response = await api.send(method, path, body, headers)
        expect(await errorOf(response)).to.include({ status, code })
      })
  })

  describe('credentials', () => {
    const bearer = (token: string) => ({ cookie: '', authorization: `Bearer ${token}` })
    const ask = async (path: string, headers: Record<string, string>) =>
      (await api.send('GET', path, undefined, headers)).status

    it('AUT-03 missing, unknown and unaccepted credentials get 401', async () => {
      expect(await ask('/things', { cookie: '' })).to.equal(401)
      expect(await ask('/things', { cookie: 'svc_session=unknown' })).to.equal(401)
      expect(await ask('/things', bearer('svk_unknown'))).to.equal(401)
      expect(await ask('/things', bearer('cli'))).to.equal(401)
      expect(await ask('/things', { cookie: '', authorization: 'Basic svk_user' })).to.equal(401)
      const response = await api.send('GET', '/things', undefined, { cookie: '' })
      expect(response.headers.get('www-authenticate')).to.equal('Bearer')
    })
    it('AUT-02 an API key works with scope api only', async () => {
      expect(await ask('/things', bearer('svk_user'))).to.equal(200)
      expect(await ask('/things', bearer('svk_scim'))).to.equal(403)
    })
    it('API-09 a key is ignored on personal routes; a cookie that is sent with it is used', async () => {
      expect(await ask('/me/ping', bearer('svk_user'))).to.equal(401)
      expect(await ask('/me/ping', { ...bearer('svk_user'), cookie: 'svc_session=plain' })).to.equal(200)
      expect(await ask('/me/ping', bearer('cli'))).to.equal(200)
    })
    it('an unaccepted credential does not fall back to another wrong one', async () => {
      expect(await ask('/things', { ...bearer('svk_unknown'), cookie: 'svc_session=admin' })).to.equal(401)
    })
    it('a route open to anonymous callers still identifies the caller', async () => {
      const nobody = await api.send('POST', '/auth/echo', {}, { cookie: '' })
      expect(await nobody.json()).to.deep.equal({ caller: 'nobody' })
      const somebody = await api.send('POST', '/auth/echo', {})
      expect(await somebody.json()).to.deep.equal({ caller: USER })
    })
  })

  describe('body', () => {
    const refused: readonly [string, string | Uint8Array, Record<string, string>?][] = [
      ['not JSON', '{"email":'],
      ['an array', '[]'],
      ['null', 'null'],
      ['a string', '"x"'],
      ['a key twice', '{"email":"a@b.example","name":"A","name":"B"}'],
      ['a key twice, once escaped', '{"email":"a@b.example","name":"A","n\\u0061me":"B"}'],
      ['__proto__', '{"email":"a@b.example","name":"A","__proto__":{"x":1}}'],
      ['constructor', '{"email":"a@b.example","name":"A","constructor":{}}'],
      ['invalid UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
      ['deep nesting', `{"any":${'['.repeat(70)}${']'.repeat(70)}}`],
      ['very deep nesting', `{"any":${'['.repeat(400_000)}${']'.repeat(400_000)}}`],
      ['another Content-Type', '{}', { 'content-type': 'text/plain' }],
      ['a form', 'a=b', { 'content-type': 'application/x-www-form-urlencoded' }],
      ['another charset', '{}', { 'content-type': 'application/json; charset=utf-16' }],
      ['an unknown encoding', '{}', { 'content-encoding': 'zstd' }],
      ['a broken encoding', '{}', { 'content-encoding': 'gzip' }],
      ['more than 1 MiB', JSON.stringify({ any: 'x'.repeat(1024 * 1024) })],
    ]
    for (const [title, body, headers] of refused)
      it(`API-05 ${title} → 400 ERR_INVALID_JSON`, async () => {
        const response = await api.send('POST', '/auth/echo', body, headers)
        expect(await errorOf(response)).to.include({ status: 400, code: 'ERR_INVALID_JSON' })
      })

    it('API-05 names the unknown field, even if nested', async () => {
      const error = await errorOf(await api.send('POST', '/things', { ...thing, rolez: [] }))
      expect(error).to.include({ status: 400, code: 'ERR_INVALID_JSON', field: '/rolez' })
      expect(error.message).to.equal('The body has an unknown field: rolez.')
    })
    it('API-03 exactly 1 MiB passes, chunked or compressed too', async () => {
      const frame = JSON.stringify({ any: '' }).length
      const body = JSON.stringify({ any: 'x'.repeat(1024 * 1024 - frame) })
      expect((await api.send('POST', '/me/echo', body)).status).to.equal(200)
      const { gzipSync, brotliCompressSync, deflateSync } = await import('node:zlib')
      for (const [encoding, compress] of [
        ['gzip', gzipSync],
        ['br', brotliCompressSync],
        ['deflate', deflateSync],
      ] as const) {
        const small = await api.send('POST', '/me/echo', compress(body), { 'content-encoding': encoding })
        expect(small.status, encoding).to.equal(200)
        const large = await api.send('POST', '/me/echo', compress(`${body} `), {
          'content-encoding': encoding,
        })
        expect(await errorOf(large), encoding).to.include({ status: 400, code: 'ERR_INVALID_JSON' })
      }
    })
    it('API-03 more than 1 MiB is rejected if chunked without a length', async () => {
      const chunk = `${(65_536).toString(16)}\r\n${' '.repeat(65_536)}\r\n`
      const answer = await raw(api.port, [
        'POST /api/v1/auth/echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
        ...Array.from({ length: 20 }, () => chunk),
        '0\r\n\r\n',
      ])
      expect(answer).to.match(/^HTTP\/1\.1 400 /)
      expect(answer).to.include('ERR_INVALID_JSON')
    })
    it('an endless body is cut off', async () => {
      const chunk = `${(1 << 20).toString(16)}\r\n${' '.repeat(1 << 20)}\r\n`
      const answer = await raw(
        api.port,
        [
          'POST /api/v1/auth/echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
          ...Array.from({ length: 19 }, () => chunk),
        ],
        (text) => text.includes('ERR_INVALID_JSON'),
      )
      expect(answer).to.match(/^HTTP\/1\.1 400 /)
    })
    it('a body that does not arrive in time is rejected, and the connection is closed', async () => {
      const answer = await raw(api.port, [
        'POST /api/v1/auth/echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{"an',
      ])
      expect(answer).to.match(/^HTTP\/1\.1 400 /)
      expect(answer).to.include('Connection: close')
      expect(answer).to.include('The body did not arrive in time.')
    })
    it('an action accepts no body or an empty object, and nothing else', async () => {
      const path = `/things/${USER}/poke`
      expect((await api.send('POST', path)).status).to.equal(204)
      expect((await api.send('POST', path, {})).status).to.equal(204)
      expect(await errorOf(await api.send('POST', path, { a: 1 }))).to.include({ status: 400, field: '/a' })
    })
    it('an empty body counts as an object without fields if no field is required', async () => {
      expect((await api.send('PATCH', `/things/${USER}`)).status).to.equal(200)
      expect((await errorOf(await api.send('POST', '/things'))).code).to.equal('ERR_INVALID_JSON')
    })
    it('API-11 an upload has its own limit and media types', async () => {
      const put = (bytes: number, type: string) =>
        api.send('PUT', '/picture', new Uint8Array(bytes), { 'content-type': type })
      expect((await put(256 * 1024, 'image/png')).status).to.equal(204)
      expect(await errorOf(await put(256 * 1024 + 1, 'image/png'))).to.include({
        status: 413,
        code: 'ERR_TOO_LARGE',
      })
      expect(await errorOf(await put(5, 'image/gif'))).to.include({ status: 422, code: 'ERR_INVALID' })
      expect(await errorOf(await put(0, 'image/png'))).to.include({ status: 422, code: 'ERR_INVALID' })
    })
  })

  describe('errors of handlers', () => {
    it('API-04 a bug is ERR_INTERNAL, logged, and reveals no details', async () => {
      const response = await api.send(
        'POST',
        '/things',
        { ...thing, name: 'broken' },
        { 'x-request-id': 'bug-1' },
      )
      const text = await response.text()
      expect(response.status).to.equal(500)
      expect(text).to.include('ERR_INTERNAL')
      expect(text).not.to.include('hunter2')
      expect(api.logged.at(-1)).to.include({ requestId: 'bug-1', code: 'ERR_INTERNAL' })
    })
    it('an unavailable part is ERR_UNAVAILABLE', async () => {
      const response = await api.send('POST', '/things', { ...thing, name: 'down' })
      expect(response.headers.get('retry-after')).to.equal('1')
      expect(await errorOf(response)).to.include({ status: 503, code: 'ERR_UNAVAILABLE' })
    })
    it('If-Match reaches the handler', async () => {
      const patch = (tag: string) => api.send('PATCH', `/things/${USER}`, { name: 'B' }, { 'if-match': tag })
      expect((await patch('"7"')).status).to.equal(200)
      expect((await patch('*')).status).to.equal(200)
      expect((await errorOf(await patch('"6"'))).code).to.equal('ERR_STALE')
      expect((await errorOf(await patch('"x"'))).code).to.equal('ERR_STALE')
    })
  })
})
