/** What `svc seed-demo` creates, and that it creates it once. */
import { expect } from 'chai'
import { applicationCommands } from '../../adapters/application/commands/applications.ts'
import { startDevSession } from '../../cli/server/dev-session.ts'
import { seedDemo } from '../../cli/server/seed-demo.ts'
import { setupLink } from '../../cli/server/setup-link.ts'
import {
  system,
  testPlace,
  testService,
  type TestPlace,
  type TestService,
} from '../support/service/service.ts'

describe('svc seed-demo', function () {
  this.timeout(60_000)
  let place: TestPlace
  let service: TestService
  beforeEach(async () => {
    place = await testPlace({ dev: true })
    service = await testService(place)
  })
  afterEach(async () => {
    await service.stop()
    await place.drop()
  })

  const get = async (path: string, email: string) => {
    const cookie = await startDevSession(service.core.services, email)
    return service.api('GET', path, { headers: { Cookie: cookie } })
  }

  it('CLI-01 creates an administrator and a user whom dev-session signs in; the setup link remains', async () => {
    await seedDemo(service.core.services)
    const listed = await get('/users', 'ada.lovelace@example.com')
    expect(listed.status, 'an administrator').to.equal(200)
    const active = listed.body.filter(({ status }: { status: string }) => status === 'active')
    expect(active.map(({ name }: { name: string }) => name)).to.have.members(['Ada Lovelace', 'Grace Hopper'])
    expect((await get('/me/applications', 'grace.hopper@example.com')).body).to.have.length(1)
    expect((await get('/users', 'grace.hopper@example.com')).status, 'no administrator').to.equal(403)
    expect(await setupLink(service.core), 'nobody is a global administrator yet').to.be.a('string')
  })

  it('CLI-01 a second run changes nothing and returns the same client secret', async () => {
    const { services, eventLog, workPool } = service.core
    const first = await seedDemo(services)
    expect(first.clientSecret).to.match(/^svs_[\w-]{43}$/)
    const keys = async () => (await workPool.query('select subject from vault.person_key')).rowCount
    const before = [await eventLog.head(), await keys()]
    expect(await seedDemo(services)).to.deep.equal(first)
    expect([await eventLog.head(), await keys()]).to.deep.equal(before)
  })

  it('CLI-01 does not replace a client secret that was rotated since', async () => {
    const { services, eventLog } = service.core
    const { applicationId, clientId } = await seedDemo(services)
    await applicationCommands(services).rotateSecret(applicationId, 0, system)
    const head = await eventLog.head()
    expect(await seedDemo(services)).to.deep.equal({ applicationId, clientId, clientSecret: null })
    expect(await eventLog.head()).to.equal(head)
  })
})
