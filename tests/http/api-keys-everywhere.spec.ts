import { expect } from 'chai'
import { apiKeys } from '../../adapters/inbound/api/api-key-authentication.ts'
import { apiKey, type TestKey } from '../support/api/api-keys.ts'
import { servicePair, type ServicePair } from '../support/service/service-pair.ts'
import type { TestPerson, TestService } from '../support/service/service.ts'

describe('API keys on two instances', function () {
  this.timeout(120_000)
  let pair: ServicePair
  let admin: TestPerson
  before(async () => {
    pair = await servicePair()
    admin = await pair.one.person({}, ['global_admin'])
  })
  after(() => pair.stop())

  const statusOn = async (service: TestService, { headers }: TestKey): Promise<number> => {
    const { status } = await fetch(`${service.publicUrl}/api/v1/overview`, { headers })
    return status
  }

  it('AUT-02 are invalid on both as soon as one has acknowledged it, and valid again likewise', async () => {
    for (let round = 0; round < 5; round++) {
      const key = await apiKey(pair.one, { roles: ['auditor'] })
      const path = `/service-accounts/${key.serviceAccountId}`
      const ask = (method: string, to: string) => pair.one.api(method, to, { as: admin })
      expect(await statusOn(pair.two, key)).to.equal(200)
      expect((await ask('POST', `${path}/disable`)).status).to.equal(200)
      expect(await statusOn(pair.two, key)).to.equal(401)
      expect((await ask('POST', `${path}/enable`)).status).to.equal(200)
      expect(await statusOn(pair.two, key)).to.equal(200)
      expect((await ask('DELETE', round % 2 === 0 ? `/api-keys/${key.keyId}` : path)).status).to.equal(204)
      expect(await statusOn(pair.two, key)).to.equal(401)
      expect(await statusOn(pair.one, key)).to.equal(401)
    }
  })

  it('are valid only from their networks', async () => {
    const { services } = pair.one.core
    const { check } = apiKeys(services)
    const bound = await apiKey(pair.one, {
      roles: ['auditor'],
      allowedCidrs: ['203.0.113.0/24', '2001:db8::/32'],
    })
    for (const ip of ['203.0.113.1', '2001:db8::7'])
      expect((await check(bound.key, ip))?.keyId, ip).to.equal(bound.keyId)
    for (const ip of ['203.0.114.1', '2001:db9::7', '127.0.0.1'])
      expect(await check(bound.key, ip), ip).to.equal(undefined)
    expect(await statusOn(pair.one, bound)).to.equal(401)
    const local = await apiKey(pair.one, { roles: ['auditor'], allowedCidrs: ['127.0.0.0/8', '::1'] })
    expect(await statusOn(pair.one, local)).to.equal(200)
  })
})
