/** Proxies that administrators declare in the settings. */
import { expect } from 'chai'
import { testService, type TestPerson, type TestService } from '../support/service/service.ts'
import { until } from '../support/until.ts'

describe('trusted proxies in the settings', function () {
  this.timeout(60_000)
  let service: TestService
  let admin: TestPerson
  before(async () => {
    service = await testService()
    admin = await service.person({ name: 'Hedy Lamarr' }, ['global_admin'])
  })
  after(() => service.stop())

  const CLAIMED = '203.0.113.9'

  const set = (trustedProxies: readonly string[], as = admin) =>
    service.api('PATCH', '/settings', { as, body: { trustedProxies } })

  /** The address that the audit trail has for a request with a forwarded one. */
  const addressSeen = async (name: string): Promise<unknown> => {
    const { body } = await service.api('POST', '/groups', {
      as: admin,
      body: { name },
      headers: { 'X-Forwarded-For': `198.51.100.1, ${CLAIMED}` },
    })
    const entries = async () =>
      (await service.api('GET', `/audit?targetId=${String(body.id)}`, { as: admin })).body as readonly {
        ip: unknown
      }[]
    await until(async () => (await entries()).length > 0)
    return (await entries())[0]?.ip
  }

  it('API-12 apply at once: the header of a declared proxy names the client, that of another peer does not', async () => {
    expect(await addressSeen('Before')).to.match(/^(?:127\.0\.0\.1|::1)$/)
    const answer = await set(['127.0.0.9/8', '::1', '127.0.0.0/8'])
    expect(answer.status).to.equal(200)
    expect(answer.body.trustedProxies, 'in canonical form, once').to.deep.equal(['127.0.0.0/8', '::1/128'])
    expect(await addressSeen('Declared')).to.equal(CLAIMED)
    await set([])
    expect(await addressSeen('Removed')).to.match(/^(?:127\.0\.0\.1|::1)$/)
  })

  for (const [wrong, what] of [
    ['0.0.0.0/0', 'everybody'],
    ['::/0', 'everybody with IPv6'],
    ['10.0.0.0/7', 'a range that is too wide'],
    ['2001::/15', 'a range that is too wide'],
    ['proxy.example.com', 'a name'],
    ['10.0.0.0/33', 'a wrong prefix'],
    ['10.0.0.1, 10.0.0.2', 'two addresses in one'],
  ] as const)
    it(`API-12 refuse ${what}: ${wrong}`, async () => {
      const { status, body } = await set(['192.0.2.1', wrong])
      expect(status).to.equal(422)
      expect(body.error).to.deep.include({ code: 'ERR_INVALID', field: '/trustedProxies/1' })
    })

  it('API-12 are for global administrators', async () => {
    const other = await service.person({ name: 'Grace Hopper' }, ['security_admin'])
    expect((await set(['192.0.2.1'], other)).status).to.equal(403)
  })
})
