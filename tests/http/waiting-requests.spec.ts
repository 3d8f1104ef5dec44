/** Pending sign-in requests: how many unknown clients can create, and that others can still sign in. */
import { expect } from 'chai'
import { authRequests } from '../../adapters/inbound/sign-in/auth-requests.ts'
import { deviceAuthorizations } from '../../adapters/application/sign-in/device-authorizations.ts'
import { testService, type TestService } from '../support/service/service.ts'

const NOTHING = { scopes: [], apiResourceIds: [] }

describe('OIDC-01 pending authorization requests', function () {
  this.timeout(60_000)
  let service: TestService
  before(async () => {
    service = await testService()
  })
  after(() => service.stop())
  afterEach(() => service.core.workPool.query('truncate work.auth_request, work.device_login'))

  const table = (limits: { ofOneNetwork: number; inAll: number }) =>
    authRequests({ ...service.core.services, limits })
  const waiting = async (): Promise<number> =>
    Number(
      (await service.core.workPool.query<{ n: string }>('select count(*) as n from work.auth_request'))
        .rows[0]?.n,
    )

  it('one network with too many loses its own oldest, and no other network is affected', async () => {
    const requests = table({ ofOneNetwork: 3, inAll: 100 })
    const visitor = await requests.create('app_1', {}, '198.51.100.7')
    const made = []
    for (let n = 0; n < 20; n++) made.push((await requests.create('app_1', {}, '192.0.2.1')).id)
    expect(await waiting()).to.equal(4)
    expect(await requests.find(visitor.id)).not.to.equal(null)
    const kept = await Promise.all(made.map(async (id) => (await requests.find(id)) !== null))
    expect(kept.slice(-3)).to.deep.equal([true, true, true])
    expect(kept.slice(0, -3)).not.to.include(true)
    expect(await requests.find((await requests.create('app_1', {}, '203.0.113.1')).id)).not.to.equal(null)
  })

  it('an IPv6 network is a /64', async () => {
    const requests = table({ ofOneNetwork: 2, inAll: 100 })
    for (let n = 1; n < 9; n++) await requests.create('app_1', {}, `2001:db8:1:2::${String(n)}`)
    expect(await waiting()).to.equal(2)
  })

  it('many networks together stay within the total, and those with few keep theirs', async () => {
    const requests = table({ ofOneNetwork: 50, inAll: 200 })
    const visitors = []
    for (let n = 0; n < 5; n++) {
      const { id } = await requests.create('app_1', {}, `198.51.100.${String(n)}`)
      visitors.push(id)
    }
    for (let n = 0; n < 20; n++)
      for (let m = 0; m < 40; m++) await requests.create('app_1', {}, `192.0.2.${String(n)}`)
    const late = await requests.create('app_1', {}, '203.0.113.1')
    await requests.trim()
    expect(await waiting()).to.be.at.most(200)
    for (const id of [...visitors, late.id]) expect(await requests.find(id)).not.to.equal(null)
  })

  it('the total limit is enforced on insert, without waiting for maintenance', async () => {
    const requests = table({ ofOneNetwork: 50, inAll: 100 })
    for (let n = 0; n < 400; n++)
      await requests.create('app_1', {}, `10.0.${String(n >> 8)}.${String(n & 255)}`)
    expect(await waiting()).to.be.at.most(200)
  })

  it('no network is stored in plain text', async () => {
    await table({ ofOneNetwork: 3, inAll: 100 }).create('app_1', {}, '192.0.2.123')
    const { rows } = await service.core.workPool.query(
      'select to_jsonb(r)::text as all from work.auth_request r',
    )
    expect(JSON.stringify(rows)).not.to.contain('192.0.2.123')
  })

  it('OIDC-09 pending devices: one network loses its own oldest, and other networks are not affected', async () => {
    const logins = deviceAuthorizations(service.core.services, { ofOneNetwork: 3, inAll: 45 })
    const visitor = await logins.begin('app_1', NOTHING, '198.51.100.7')
    for (let n = 0; n < 10; n++) await logins.begin('app_1', NOTHING, '192.0.2.1')
    for (let n = 0; n < 60; n++) await logins.begin('app_1', NOTHING, `10.0.0.${String(n % 20)}`)
    const late = await logins.begin('app_1', NOTHING, '203.0.113.1')
    for (const { deviceCode } of [visitor, late])
      expect(await logins.poll(deviceCode, 'app_1')).to.deep.equal({ outcome: 'pending' })
    const { rowCount } = await service.core.workPool.query('select from work.device_login')
    expect(rowCount).to.be.at.most(50)
  })
})
