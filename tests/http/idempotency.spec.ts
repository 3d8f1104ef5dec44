import { expect } from 'chai'
import { errorOf, startApi, USER, type Api } from './support.ts'

describe('Idempotency-Key', () => {
  let api: Api
  beforeEach(async () => {
    api = await startApi()
  })
  afterEach(() => api.close())

  const thing = { email: 'ada@example.com', name: 'Ada' }
  const post = (key: string, body: object = thing, headers: Record<string, string> = {}) =>
    api.send('POST', '/things', body, { 'idempotency-key': key, ...headers })

  it('the same key and body get the same response, and are executed once', async () => {
    const first = await post('k1')
    const second = await post('k1')
    expect([first.status, second.status]).to.deep.equal([201, 201])
    expect(await second.text()).to.equal(await first.text())
    expect(second.headers.get('location')).to.equal(first.headers.get('location'))
    expect(second.headers.get('etag')).to.equal(first.headers.get('etag'))
    expect(second.headers.get('idempotency-replayed')).to.equal('true')
    expect(second.headers.getSetCookie()).to.deep.equal([])
    expect(second.headers.get('cache-control')).to.equal('no-store')
    expect(api.seen.created).to.equal(1)
  })
  it('another body, or another route, with the same key is rejected', async () => {
    await post('k1')
    const other = await errorOf(await post('k1', { ...thing, name: 'Bob' }))
    expect(other).to.include({ status: 422, code: 'ERR_INVALID' })
    const poke = await api.send('POST', `/things/${USER}/poke`, undefined, { 'idempotency-key': 'k1' })
    expect(poke.status).to.equal(422)
  })
  it('keys belong to the credential that they were sent with', async () => {
    const as = (key: string) => ({ cookie: '', authorization: `Bearer ${key}` })
    await post('k1', thing, as('svk_user'))
    expect((await post('k1', { ...thing, name: 'Bob' }, as('svk_other'))).status).to.equal(201)
    expect(api.seen.created).to.equal(2)
    expect(new Set(api.seen.keys).size).to.equal(2)
  })
  it('a second request while the first is running gets a conflict with Retry-After', async () => {
    let open = (): void => undefined
    api.seen.gate = new Promise((resolve) => {
      open = resolve
    })
    const first = post('k1')
    const untilRunning = async (): Promise<void> => {
      while (api.seen.keys.length === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    await untilRunning()
    const second = await post('k1')
    expect(second.headers.get('retry-after')).to.equal('1')
    expect(await errorOf(second)).to.include({ status: 409, code: 'ERR_CONFLICT' })
    open()
    expect((await first).status).to.equal(201)
    expect((await post('k1')).headers.get('idempotency-replayed')).to.equal('true')
    expect(api.seen.created).to.equal(1)
  })
  it('a rejection is repeated; a failure is retried with the same event ids', async () => {
    expect((await post('k1', { ...thing, name: 'taken' })).status).to.equal(409)
    const again = await post('k1', { ...thing, name: 'taken' })
    expect(again.headers.get('idempotency-replayed')).to.equal('true')
    expect(await errorOf(again)).to.include({ status: 409, field: '/name' })
    api.seen.keys = []
    expect((await post('k2', { ...thing, name: 'down' })).status).to.equal(503)
    expect((await post('k2', { ...thing, name: 'down' })).status).to.equal(503)
    expect(api.seen.keys).to.have.length(2)
    expect(api.seen.keys[0]).to.match(/^[0-9a-f]{64}$/)
    expect(api.seen.keys[1]).to.equal(api.seen.keys[0])
  })
  it('a key is 1 to 255 printable characters', async () => {
    expect((await post('x'.repeat(255))).status).to.equal(201)
    expect(await errorOf(await post('x'.repeat(256)))).to.include({ status: 422, code: 'ERR_INVALID' })
    expect((await errorOf(await post('clé'))).code).to.equal('ERR_INVALID')
  })
  it('an anonymous caller has no keys', async () => {
    const echo = (body: object) =>
      api.send('POST', '/auth/echo', body, { cookie: '', 'idempotency-key': 'k1' })
    expect((await echo({})).status).to.equal(200)
    const second = await echo({ any: 1 })
    expect(second.status).to.equal(200)
    expect(second.headers.get('idempotency-replayed')).to.equal(null)
  })
})
