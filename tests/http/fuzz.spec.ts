import { expect } from 'chai'
import fc from 'fast-check'
import { BODY_LIMITS } from '../../adapters/inbound/http/input.ts'
import { parseJson } from '../../adapters/inbound/http/json.ts'
import { errorOf, startApi, type Api } from './support.ts'

describe('random input', function () {
  this.timeout(30_000)
  let api: Api
  before(async () => {
    api = await startApi({ strict: true })
  })
  after(() => api.close())

  it('random bytes as body give a declared error, never a failure', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 300 }), async (bytes) => {
        const response = await api.send('POST', '/things', bytes)
        expect(['ERR_INVALID_JSON', 'ERR_INVALID']).to.include((await errorOf(response)).code)
      }),
      { numRuns: 100 },
    )
  })
  it('random JSON as body gives a declared error or is executed', async () => {
    const value = fc.oneof(fc.jsonValue(), fc.string({ unit: 'binary' }))
    const body = fc.record(
      { email: fc.oneof(fc.emailAddress(), value), name: value, note: value, roles: value, manager: value },
      { requiredKeys: [] },
    )
    await fc.assert(
      fc.asyncProperty(body, async (sent) => {
        const response = await api.send('POST', '/things', sent)
        if (response.status === 201) await response.text()
        else expect(['ERR_INVALID_JSON', 'ERR_INVALID']).to.include((await errorOf(response)).code)
      }),
      { numRuns: 100 },
    )
  })
  it('random paths and queries give a declared error or a result', async () => {
    const segment = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.constantFrom('..', '%00', '%ff', '//'),
    )
    await fc.assert(
      fc.asyncProperty(segment, segment, async (one, other) => {
        const path = `/things/${one.replace(/[#?]/g, '')}?limit=${other}`.replace(/[^\x21-\x7e]/gu, (c) =>
          encodeURIComponent(/\p{Surrogate}/u.test(c) ? 'x' : c),
        )
        const response = await api.send('GET', path)
        expect(response.status, path).to.be.lessThan(500)
        await response.text()
      }),
      { numRuns: 100 },
    )
  })
  it('strict JSON reads what JSON.parse reads, and nothing else', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        const duplicates = JSON.stringify(JSON.parse(text)).length !== text.replace(/\s/g, '').length
        fc.pre(!/__proto__|constructor|prototype/.test(text) && !duplicates)
        expect(parseJson(Buffer.from(text), BODY_LIMITS)).to.deep.equal(JSON.parse(text))
      }),
    )
  })
  it('text that looks like structure inside strings is not structure', () => {
    const value = { 'a"{': '}]"\\', b: ['{"b":1,"b":2}', '\\"'], '\\': ':' }
    expect(parseJson(Buffer.from(JSON.stringify(value, null, 2)), BODY_LIMITS)).to.deep.equal(value)
  })
})
