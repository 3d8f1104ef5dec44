import { expect } from 'chai'
import type { Overview } from '../../../read-models/queries/overview.ts'
import { until } from '../../support/until.ts'
import { startPlace, success, walk, type Place } from './support.ts'

describe('API overview', function () {
  this.timeout(60_000)
  let place: Place
  before(async () => {
    place = await startPlace()
  })
  after(() => place.service.stop())

  it('counts the resources', async () => {
    const overview: Overview = success(await place.send('GET', '/overview'))
    const active = (await walk(place.send, '/users?status=active&limit=200')).rows.length
    expect(overview.users.active).to.equal(active)
    expect(overview.activeSessions).to.be.greaterThan(0)
    expect(overview.logPosition).to.match(/^\d{19}$/)

    const { service } = place
    const { pool } = service.core.services
    const midnight = `${new Date().toISOString().slice(0, 10)}T00:00:00Z`
    const today = async (result: string) =>
      (
        await pool.query<{ n: number }>(
          'select count(*) as n from sign_ins where result = $1 and created_at >= $2',
          [result, midnight],
        )
      ).rows[0]?.n
    await service.api('POST', '/auth/code', { body: { email: 'nobody@example.com', code: '000000' } })
    await until(async () => (await today('failure')) === overview.failuresToday + 1)
    const { id } = success(
      await place.send('POST', '/webhooks', { url: 'https://hooks.example.com/', events: ['*'] }),
      201,
    )
    await service.core.workPool.query(
      'insert into work.webhook_health (webhook_id, last_attempt_at, last_status, failing_since) values ($1, now(), $2, now())',
      [id, 'failed'],
    )
    expect(success(await place.send('GET', '/overview'))).to.include({
      signInsToday: await today('success'),
      failuresToday: await today('failure'),
      webhooksFailing: overview.webhooksFailing + 1,
    })
    success(await place.send('DELETE', `/webhooks/${String(id)}`), 204)
    expect((success(await place.send('GET', '/overview')) as Overview).webhooksFailing).to.equal(
      overview.webhooksFailing,
    )
  })

  it('shows how far each consumer of the event log is', async () => {
    const states = async () => success(await place.send('GET', '/operations'))
    await until(async () =>
      ((await states()).consumers as readonly { caughtUp: boolean }[]).every(({ caughtUp }) => caughtUp),
    )
    const { eventLog, consumers, version, otherVersions } = await states()
    expect(version).to.equal(place.service.core.services.version)
    expect(otherVersions).to.deep.equal([])
    expect(eventLog).to.deep.equal({ engine: 'postgres', head: await place.service.core.eventLog.head() })
    expect((consumers as readonly { name: string }[]).map(({ name }) => name)).to.have.members(
      place.service.core.consumers().map(({ name }) => name),
    )
    for (const { name, state, position, failedEventId } of consumers)
      expect([state, failedEventId, position <= eventLog.head], name).to.deep.equal(['running', null, true])
  })
})
