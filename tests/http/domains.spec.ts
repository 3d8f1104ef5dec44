import { expect } from 'chai'
import { domainCommands } from '../../adapters/application/commands/domains.ts'
import { dnsServer, type DnsServer } from '../support/dns/dns-server.ts'
import {
  system,
  testPlace,
  testService,
  type TestPerson,
  type TestService,
} from '../support/service/service.ts'

const DAY = 86_400

describe('API-12 domains', function () {
  this.timeout(60_000)
  let dns: DnsServer
  let place: Awaited<ReturnType<typeof testPlace>>
  let service: TestService
  let admin: TestPerson

  before(async () => {
    dns = await dnsServer()
    place = await testPlace({ dnsServers: [dns.address] })
    service = await testService(place)
    admin = await service.person({}, ['security_admin'])
  })
  after(async () => {
    await service.stop()
    await place.drop()
    await dns.close()
  })
  beforeEach(() => {
    dns.failing = false
  })

  const add = async (name: string) => service.api('POST', '/domains', { as: admin, body: { name } })
  const verify = (id: string) => service.api('POST', `/domains/${id}/verify`, { as: admin })
  const read = async (id: string) => (await service.api('GET', `/domains/${id}`, { as: admin })).body
  /** Whatever was checked last was checked so many seconds ago. */
  const age = (id: string, seconds: number) =>
    service.core.workPool.query(
      `update work.domain_check set checked_at = checked_at - $2 * interval '1 second' where domain_id = $1`,
      [id, seconds],
    )
  const checkAgain = () => domainCommands(service.core.services).checkAgain(() => system)

  it('API-12 a domain is verified once its TXT record is there; until then the error names what was found', async () => {
    const { status, body } = await add('Bücher.Example.')
    expect(status, JSON.stringify(body)).to.equal(201)
    expect(body).to.deep.include({
      ...{ name: 'xn--bcher-kva.example', status: 'pending', recordType: 'TXT', verifiedAt: null },
      ...{ recordName: '_svc-challenge.xn--bcher-kva.example', lastCheckedAt: null, foundInstead: [] },
    })
    expect(body.recordValue).to.match(/^svc-verification=[\w-]{32}$/)

    const none = await verify(body.id)
    expect([none.status, none.body.error.code]).to.deep.equal([422, 'ERR_NOT_VERIFIED'])
    expect(none.body.error.message).to.equal(
      `Expected the TXT record "${String(body.recordValue)}" at ${String(body.recordName)}, and found no TXT record.`,
    )
    expect(await read(body.id)).to.deep.include({ status: 'failed', foundInstead: [] })

    dns.records.set(body.recordName, [['v=spf1 -all'], ['svc-verification=', 'of another service']])
    const other = await verify(body.id)
    expect(other.status).to.equal(422)
    expect(other.body.error.message).to.contain(
      'and found "v=spf1 -all", "svc-verification=of another service".',
    )
    expect((await read(body.id)).foundInstead).to.have.length(2)

    // Long values are split into strings of 255 bytes.
    const value = String(body.recordValue)
    dns.records.set(body.recordName, [['v=spf1 -all'], [value.slice(0, 20), value.slice(20)]])
    const found = await verify(body.id)
    expect(found.status, JSON.stringify(found.body)).to.equal(200)
    expect(found.body).to.deep.include({ status: 'verified', foundInstead: [], missingSince: null })
    expect(found.body.verifiedAt).to.be.a('string')
    expect(found.body.lastCheckedAt).to.be.a('string')
  })

  it('API-12 DNS servers that do not answer change nothing', async () => {
    const { body } = await add('silent.example')
    dns.failing = true
    const answer = await verify(body.id)
    expect([answer.status, answer.body.error.code]).to.deep.equal([503, 'ERR_UNAVAILABLE'])
    expect(await read(body.id)).to.deep.include({ status: 'pending', lastCheckedAt: null })
  })

  it('API-12 a verified domain is checked daily, and is pending after seven days without its record', async () => {
    const { body } = await add('moved.example')
    dns.records.set(body.recordName, [[body.recordValue]])
    expect((await verify(body.id)).status).to.equal(200)
    dns.records.delete(body.recordName)
    await checkAgain()
    expect((await read(body.id)).missingSince, 'checked today').to.equal(null)
    await age(body.id, DAY + 1)
    dns.failing = true
    await checkAgain()
    expect((await read(body.id)).missingSince, 'nothing is known').to.equal(null)
    dns.failing = false
    await checkAgain()
    const missing = await read(body.id)
    expect(missing.status).to.equal('verified')
    expect(missing.missingSince).to.be.a('string')

    dns.records.set(body.recordName, [[body.recordValue]])
    await age(body.id, DAY + 1)
    await checkAgain()
    expect(await read(body.id)).to.deep.include({ status: 'verified', missingSince: null })
  })

  it('API-12 domains whose DNS servers do not answer do not delay the check of the others', async () => {
    const added: { readonly id: string; readonly recordName: string }[] = []
    for (let n = 1; n <= 25; n++) {
      const { body } = await add(`unanswered${String(n)}.example`)
      dns.records.set(body.recordName, [[body.recordValue]])
      expect((await verify(body.id)).status).to.equal(200)
      added.push(body)
    }
    const last = added.pop()!
    // The longest unchecked come first.
    for (const { id, recordName } of added) {
      dns.failingNames.add(recordName)
      await age(id, 2 * DAY)
    }
    await age(last.id, DAY + 1)
    dns.records.delete(last.recordName)
    await checkAgain()
    expect((await read(last.id)).missingSince).to.be.a('string')
  })

  it('API-12 a domain exists once, and can be added again after it was deleted', async () => {
    const { body } = await add('once.example')
    const again = await add('ONCE.example')
    expect([again.status, again.body.error.code, again.body.error.field]).to.deep.equal([
      409,
      'ERR_CONFLICT',
      '/name',
    ])
    const listed = (await service.api('GET', '/domains?q=once', { as: admin })).body
    expect(listed.map(({ name }: { name: string }) => name)).to.deep.equal(['once.example'])
    expect((await service.api('DELETE', `/domains/${String(body.id)}`, { as: admin })).status).to.equal(204)
    expect((await service.api('GET', `/domains/${String(body.id)}`, { as: admin })).status).to.equal(404)
    expect((await verify(body.id)).status).to.equal(404)
    const anew = await add('once.example')
    expect(anew.status).to.equal(201)
    expect(anew.body.recordValue).not.to.equal(body.recordValue)
  })

  for (const name of ['localhost', 'a b.example', '192.0.2.1', 'x'.repeat(254), 'exa\u0007mple.com'])
    it(`API-12 ${JSON.stringify(name.slice(0, 20))} is refused by name`, async () => {
      const { status, body } = await add(name)
      expect([status, body.error.code, body.error.field]).to.deep.equal([422, 'ERR_INVALID', '/name'])
    })
})
