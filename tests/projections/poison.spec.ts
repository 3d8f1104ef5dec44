import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import type { JsonObject } from '../../adapters/engines/event-log/event-log.ts'
import {
  freePort,
  testPlace,
  testService,
  type TestPlace,
  type TestService,
} from '../support/service/service.ts'
import { until } from '../support/until.ts'
import { READ_MODELS } from '../../read-models/schema.ts'

const metadata = {
  schema: 1,
  time: '2026-01-02T03:04:05.000000Z',
  actorId: null,
  actorType: 'system',
  credential: null,
  ip: null,
  correlationId: 'test',
  causationId: null,
}

const poisons: Readonly<Record<string, { type: string; data: JsonObject; metadata: JsonObject }>> = {
  'no data': { type: 'user.suspended', data: null as unknown as JsonObject, metadata },
  'data of another shape': { type: 'group.created', data: { groupId: 'grp_1', name: 7 }, metadata },
  'an invalid time': {
    type: 'user.enrollment_link_issued',
    data: { userId: 'usr_1', kind: 'invite', tokenHash: 'x', expiresAt: 'never', resent: false },
    metadata,
  },
  'a missing column': { type: 'session.started', data: { sessionId: 'ses_1', userId: 'usr_1' }, metadata },
  'a version of a later release': {
    type: 'group.deleted',
    data: { groupId: 'grp_1' },
    metadata: { ...metadata, schema: 99 },
  },
  'no version': { type: 'group.deleted', data: { groupId: 'grp_1' }, metadata: {} },
}

const readyAt = async (url: string): Promise<{ status: number; text: string }> => {
  const response = await fetch(`${url}/readyz`)
  return { status: response.status, text: await response.text() }
}

describe('an event that cannot be projected', function () {
  this.timeout(60_000)
  let place: TestPlace
  let service: TestService
  let metricsPort: number
  beforeEach(async () => {
    metricsPort = await freePort()
    place = await testPlace({ metricsListen: { host: '127.0.0.1', port: metricsPort } })
    service = await testService(place)
  })
  afterEach(async () => {
    await service.stop()
    await place.drop()
  })
  const core = () => {
    const consumer = service.core.consumers().find(({ name }) => name === 'core')
    if (consumer === undefined) throw new Error('there is no core consumer')
    return consumer.status
  }

  for (const [what, poison] of Object.entries(poisons))
    it(`EVT-01 stops the consumer with an error and is never skipped: ${what}`, async () => {
      await service.person()
      const before = await service.core.eventLog.head()
      const bad = { id: randomUUID(), ...poison }
      const good = { id: randomUUID(), type: 'group.deleted', data: { groupId: 'grp_2' }, metadata }
      await service.core.eventLog.append(`poison-${bad.id}`, 'no_stream', [bad])
      await service.core.eventLog.append(`after-${good.id}`, 'no_stream', [good])
      await until(() => core().state === 'stopped')
      expect(core().failure?.eventId).to.equal(bad.id)
      expect(core().position).to.equal(before)
      const { rows } = await service.core.services.pool.query<{ position: string }>(
        `select position from checkpoint where name = 'core'`,
      )
      expect(rows[0]?.position).to.equal(before)
      const said = service.log.lines.filter((line) => line.startsWith('error') && line.includes(bad.id))
      expect(said.join()).to.contain('"consumer":"core"')
      expect(await readyAt(service.publicUrl)).to.deep.equal({ status: 503, text: 'not ready' })
      const { status, text } = await readyAt(`http://127.0.0.1:${String(metricsPort)}`)
      expect(status).to.equal(503)
      expect(text).to.contain(bad.id)
    })

  it('EVT-01 stays stopped on the next instance too: the instance that takes over reads the same event', async () => {
    const bad = { id: randomUUID(), ...poisons['no version'] } as never as {
      id: string
      type: string
      data: JsonObject
      metadata: JsonObject
    }
    await service.core.eventLog.append('poison-1', 'no_stream', [bad])
    await until(() => core().state === 'stopped')
    // It releases the lease once it has logged why, so that the next one does not wait for it to expire.
    await until(async () => {
      const { rows } = await service.core.services.pool.query<{ n: number }>(
        `select count(*) as n from work.lease where name = '${READ_MODELS}.core' and expires_at > clock_timestamp()`,
      )
      return rows[0]?.n === 0
    }, 3000)
  })

  it('EVT-01 skips unknown types, and counts them', async () => {
    for (let n = 0; n < 3; n++)
      await service.core.eventLog.append('robot-1', 'any', [
        { id: randomUUID(), type: 'robot.built', data: { n }, metadata },
      ])
    const head = await service.core.eventLog.head()
    await until(() => core().position === head)
    expect(core()).to.include({ state: 'running', unknown: 3, failure: null })
    expect((await readyAt(service.publicUrl)).status).to.equal(200)
  })
})
