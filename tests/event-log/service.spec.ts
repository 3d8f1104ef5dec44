import { expect } from 'chai'
import pg from 'pg'
import { rebuildReadModels } from '../../cli/server/rebuild.ts'
import { startService } from '../../cli/server/service.ts'
import { setupLink } from '../../cli/server/setup-link.ts'
import { startStandIn } from '../support/event-log/eventstore-stand-in/server.ts'
import { oidcWorld } from '../support/oidc/oidc.ts'
import { recordingLog, testPlace, testService, type TestPlace } from '../support/service/service.ts'
import { until } from '../support/until.ts'
import { READ_MODELS } from '../../read-models/schema.ts'

/** Returns the server to use: the configured one, or a stand-in. */
const eventStore = async (): Promise<{ url: string; stop: () => Promise<void> }> => {
  const url = process.env['SVC_TEST_EVENTSTORE_URL']
  if (url !== undefined) return { url, stop: () => Promise.resolve() }
  const standIn = await startStandIn()
  return { url: standIn.url, stop: () => standIn.stop() }
}

describe('the service on EventStoreDB', function () {
  this.timeout(60_000)
  let store: Awaited<ReturnType<typeof eventStore>>
  const places: TestPlace[] = []
  const newPlace = async (eventStorePrefix: string): Promise<TestPlace> => {
    const place = await testPlace({
      eventStore: { kind: 'eventstoredb', url: store.url },
      eventStorePrefix,
    })
    places.push(place)
    return place
  }
  const run = Date.now().toString(36)

  before(async () => {
    store = await eventStore()
  })
  after(async () => {
    for (const place of places) await place.drop()
    await store.stop()
  })

  it('EVT-02 EVT-03 ASG-03 signs in, removes access, restarts, and replays to the same rows', async () => {
    const place = await newPlace(`${run}a.`)
    const first = await testService(place)
    const world = oidcWorld(first)
    const person = await first.person()
    const app = await world.application()
    await world.join(app.groupId, person.userId)
    const { body } = await world.redeem(app, await world.code(app, person))
    expect((await world.userinfo(body.access_token)).status).to.equal(200)
    await world.leave(app.groupId, person.userId)
    expect((await world.userinfo(body.access_token)).status).to.equal(401)
    await world.join(app.groupId, person.userId)
    await first.stop()

    const second = await testService(place)
    expect((await oidcWorld(second).userinfo(body.access_token)).status).to.equal(200)
    const report = await rebuildReadModels(place.config, recordingLog(), true)
    expect(report.differences).to.deep.equal([])
    expect(report.rows).to.include({ users: 1, applications: 2, memberships: 2 })
    await second.stop()
  })

  it('EVT-02 confirms an append of several events once each relevant consumer is past the last one', async () => {
    const service = await testService(await newPlace(`${run}d.`))
    const { databaseUrl } = service
    const head = () => service.core.eventLog.head()
    const passed = async (client: pg.Client, table: string, consumer: string): Promise<boolean> => {
      const { rows } = await client.query<{ position: string }>(
        `select position from ${table} where name = $1`,
        [consumer],
      )
      return (rows[0]?.position ?? '') >= (await head())
    }
    const [holder, watcher] = [
      new pg.Client({ connectionString: databaseUrl }),
      new pg.Client({ connectionString: databaseUrl }),
    ]
    await Promise.all([holder.connect(), watcher.connect()])
    try {
      const before = await head()
      await holder.query('begin')
      // A consumer cannot advance a checkpoint that another transaction has locked.
      await holder.query(`select from work.checkpoint where name = 'rule-memberships' for update`)
      let answered = false
      const linked = setupLink(service.core).finally(() => (answered = true))
      await until(
        async () => (await head()) > before && (await passed(watcher, `${READ_MODELS}.checkpoint`, 'core')),
        30_000,
      )
      expect(answered, 'while rule memberships are behind').to.equal(false)
      await holder.query('commit')
      expect(await linked).to.match(/\/enroll\//)
      expect(await passed(watcher, `${READ_MODELS}.checkpoint`, 'core')).to.equal(true)
      expect(await passed(watcher, 'work.checkpoint', 'rule-memberships')).to.equal(true)
    } finally {
      await Promise.all([holder.end(), watcher.end()])
      await service.stop()
    }
  })

  it('CLI-01 waits for a store that is unavailable when it starts', async () => {
    const standIn = await startStandIn()
    const place = await testPlace({ eventStore: { kind: 'eventstoredb', url: standIn.url } })
    const log = recordingLog()
    standIn.faults.unavailable = true
    const starting = startService(place.config, log)
    await Promise.race([
      starting,
      until(() => log.lines.some((line) => line.includes('not started, will retry')), 30_000),
    ])
    standIn.faults.unavailable = false
    const service = await starting
    expect((await fetch(`${service.publicUrl}/readyz`)).status).to.equal(200)
    await service.stop()
    await place.drop()
    await standIn.stop()
  })

  it('EVT-02 shares a server with others, with a stream prefix for each', async () => {
    const [one, other] = [
      await testService(await newPlace(`${run}b.`)),
      await testService(await newPlace(`${run}c.`)),
    ]
    const person = await one.person({ email: 'shared@example.com' })
    await other.person({ email: 'shared@example.com' })
    const seen = await other.core.services.pool.query('select from users where id = $1', [person.userId])
    expect(seen.rowCount).to.equal(0)
    await one.stop()
    await other.stop()
  })
})
