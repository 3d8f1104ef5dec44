/** How long sign-ins are kept: the setting, what it deletes, and what the verification makes of it. */
import { expect } from 'chai'
import { EventStoreDBClient } from '@eventstore/db-client'
import { START } from '../../adapters/engines/event-log/event-log.ts'
import { maintenanceDuties } from '../../adapters/application/reactions/maintenance.ts'
import { openPostgresLog } from '../../adapters/engines/event-log/postgres.ts'
import { logRetention } from '../../adapters/engines/event-log/retention.ts'
import { sessionStream } from '../../domain/session/decider.ts'
import { newJar, passkeyWorld } from '../support/sign-in/passkey-world.ts'
import { until } from '../support/until.ts'
import { verifyLive } from '../../cli/server/audit.ts'
import { startStandIn } from '../support/event-log/eventstore-stand-in/server.ts'
import { auditCaughtUp } from '../support/audit/audit-history.ts'
import {
  recordingLog,
  testPlace,
  testService,
  type TestPerson,
  type TestPlace,
  type TestService,
} from '../support/service/service.ts'

const DAY_MS = 86_400_000
const inDays = (days: number): Date => new Date(Date.now() + days * DAY_MS)

const duty = async ({ core }: TestService, name: string): Promise<void> => {
  await maintenanceDuties(core.services, core)
    .find((each) => each.name === name)
    ?.run()
}

const setDays = (service: TestService, as: TestPerson, signInEventRetentionDays: number) =>
  service.api('PATCH', '/settings', { as, body: { signInEventRetentionDays } })

describe('the retention of sign-ins', function () {
  this.timeout(60_000)
  let place: TestPlace
  let service: TestService
  let admin: TestPerson

  before(async function () {
    if (process.env['SVC_TEST_EVENTSTORE_URL'] !== undefined) this.skip()
    place = await testPlace()
    service = await testService(place)
    admin = await service.person({ name: 'Hedy Lamarr' }, ['global_admin'])
  })
  after(async () => {
    await service?.stop()
    await place?.drop()
  })

  for (const [days, status] of [
    [89, 422],
    [3651, 422],
    [90.5, 422],
    [90, 200],
    [3650, 200],
    [395, 200],
  ] as const)
    it(`API-12 ${String(days)} days are ${status === 200 ? 'accepted' : 'refused'}`, async () => {
      const { status: answered, body } = await setDays(service, admin, days)
      expect(answered).to.equal(status)
      if (status === 200) expect(body.signInEventRetentionDays).to.equal(days)
      else expect(body.error.field).to.equal('/signInEventRetentionDays')
    })

  it('API-12 AUD-02 a longer time keeps sign-ins that the former one would delete', async () => {
    const { services } = service.core
    const { userId } = await passkeyWorld(service).enrolled(newJar())
    const count = async (): Promise<number> => {
      const { rows } = await services.pool.query('select 1 from sign_ins where user_id = $1', [userId])
      return rows.length
    }
    await until(async () => (await count()) === 1)
    await services.pool.query(`update sign_ins set created_at = created_at - interval '500 days'`)
    await setDays(service, admin, 3650)
    await duty(service, 'old sign-ins')
    expect(await count()).to.equal(1)
    await services.pool.query(`update sign_ins set created_at = created_at - interval '3500 days'`)
    await duty(service, 'old sign-ins')
    expect(await count()).to.equal(0)
  })

  it('API-12 AUD-01 EVT-02 a shorter time deletes events after seven days, and the audit accepts exactly these', async () => {
    const own = await testPlace()
    const other = await testService(own)
    try {
      const someone = await other.person({ name: 'Grace Hopper' }, ['global_admin'])
      expect((await setDays(other, someone, 90)).status).to.equal(200)
      await auditCaughtUp(other)
      await other.stop()
      /** Another instance opens the log at a later time, and deletes what is old then. */
      const eventsLeft = async (now: Date): Promise<readonly string[]> => {
        const retention = logRetention(() => now)
        const log = await openPostgresLog({
          connectionString: own.databaseUrl,
          retention: retention.policy,
        })
        await retention.refresh(log)
        await log.prune(now)
        const events = await log.readAll(START, 1000)
        await log.close()
        return events.map(({ stream }) => stream.split('-')[0] ?? '')
      }
      const verifyAt = async (now: Date): Promise<readonly (string | number)[]> => {
        const kept = { key: undefined, checkpoint: [] }
        const { findings, expired } = await verifyLive(own.config, recordingLog(), kept, now)
        return [expired, ...findings.map(({ what }) => what)]
      }
      expect(await eventsLeft(inDays(6)), 'nothing is 90 days old').to.include('session')
      expect(await verifyAt(inDays(6))).to.deep.equal([0])
      const left = await eventsLeft(inDays(100))
      expect(left).to.not.include('session')
      expect(left).to.include.members(['user', 'organization'])
      expect(await verifyAt(inDays(100))).to.deep.equal([1])
      expect(await verifyAt(inDays(80)), 'too early').to.include('the event is missing')
    } finally {
      await own.drop()
    }
  })

  it('API-12 EVT-02 a change reaches existing streams of EventStoreDB, and those that begin later', async () => {
    const store = await startStandIn()
    const own = await testPlace({
      eventStore: { kind: 'eventstoredb', url: store.url },
      eventStorePrefix: 'svc.',
    })
    const other = await testService(own)
    const client = EventStoreDBClient.connectionString(store.url)
    const maxAge = async ({ sessionId }: TestPerson): Promise<unknown> =>
      (await client.getStreamMetadata(`svc.${sessionStream(sessionId)}`)).metadata?.maxAge
    try {
      const first = await other.person({ name: 'Grace Hopper' }, ['global_admin'])
      await until(async () => (await maxAge(first)) === 395 * 86_400)
      await setDays(other, first, 800)
      await duty(other, 'retention of streams')
      expect(await maxAge(first)).to.equal(800 * 86_400)
      const second = await other.person()
      await until(async () => (await maxAge(second)) === 800 * 86_400)
    } finally {
      await other.stop()
      await client.dispose()
      await own.drop()
      await store.stop()
    }
  })
})
