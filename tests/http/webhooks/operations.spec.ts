/** Metrics and logs of webhooks, and the limits of their table. */
import { expect } from 'chai'
import { tidyUp } from '../../../adapters/outbound/webhooks/tidy.ts'
import { freePort, testPlace, testService } from '../../support/service/service.ts'
import { until } from '../../support/until.ts'
import { webhookReceiver, type WebhookReceiver } from '../../support/webhooks/webhook-receiver.ts'
import { quick, webhookPlaceOf, type WebhookPlace } from '../../support/webhooks/webhooks.ts'

describe('operating webhooks', function () {
  this.timeout(120_000)
  let place: WebhookPlace
  let receiver: WebhookReceiver
  let metricsPort: number
  let ahead = 0
  const now = (): string => new Date(Date.now() + ahead * 1000).toISOString()
  before(async () => {
    metricsPort = await freePort()
    receiver = await webhookReceiver(({ path }) =>
      path === '/broken' ? 500 : path === '/silent' ? 'hang' : 200,
    )
    const at = await testPlace({ metricsListen: { host: '127.0.0.1', port: metricsPort } })
    const service = await testService(at, { webhooks: { ...quick, now } })
    place = webhookPlaceOf(service, await service.person({}, ['global_admin']))
  })
  after(async () => {
    await place.service.stop()
    receiver.close()
  })
  afterEach(async () => {
    ahead = 0
    for (const { id } of (await place.send('GET', '/webhooks')).body as { id: string }[])
      await place.send('DELETE', `/webhooks/${id}`)
  })

  /** Returns metric values by name and labels. */
  const metrics = async (): Promise<ReadonlyMap<string, number>> => {
    const text = await (await fetch(`http://127.0.0.1:${String(metricsPort)}/metrics`)).text()
    const lines = text.split('\n').filter((line) => line.startsWith('svc_webhook'))
    return new Map(
      lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
    )
  }
  const rows = async (webhookId: string, status: string): Promise<number> => {
    const { rowCount } = await place.service.core.workPool.query(
      'select from work.webhook_delivery where webhook_id = $1 and status = $2',
      [webhookId, status],
    )
    return rowCount ?? 0
  }

  it('WHK-08 metrics report attempts, queued deliveries with their age, and failing endpoints', async () => {
    const before = await metrics()
    const good = await place.endpoint(receiver.url('/good'))
    const broken = await place.endpoint(receiver.url('/broken'))
    await place.happen()
    await place.happen()
    await until(
      async () => (await rows(good.id, 'delivered')) === 2 && (await rows(broken.id, 'retrying')) === 2,
    )
    const after = await metrics()
    expect(after.get('svc_webhook_worker_running')).to.equal(1)
    for (const outcome of ['delivered', 'non_2xx']) {
      const name = `svc_webhook_attempts_total{outcome="${outcome}"}`
      expect((after.get(name) ?? 0) - (before.get(name) ?? 0), outcome).to.equal(2)
    }
    expect(after.get('svc_webhook_deliveries_waiting{status="retrying"}')).to.equal(2)
    expect(after.get('svc_webhook_deliveries_waiting{status="queued"}')).to.equal(0)
    expect(after.get('svc_webhook_oldest_waiting_seconds{status="retrying"}')).to.be.greaterThan(0)
    expect(after.get('svc_webhook_oldest_waiting_seconds{status="queued"}')).to.equal(0)
    expect(after.get('svc_webhook_endpoints_failing')).to.equal(1)
    await place.send('POST', `/webhooks/${broken.id}/pause`)
    const paused = await metrics()
    expect(paused.get('svc_webhook_endpoints_failing')).to.equal(0)
    expect(paused.get('svc_webhook_deliveries_waiting{status="retrying"}')).to.equal(0)
  })

  it('metrics and the log report when the work is blocked, and when it continues', async () => {
    const { workPool } = place.service.core
    const heldUp = async () =>
      (await metrics()).get('svc_webhook_worker_held_up_seconds{task="looking for events"}')
    expect(await heldUp()).to.equal(undefined)
    await workPool.query('alter table work.webhook_delivery rename to webhook_away')
    try {
      await place.endpoint(receiver.url('/later'))
      await place.happen('Held up')
      await until(async () => ((await heldUp()) ?? 0) > 0)
      expect(place.service.log.lines.join('\n')).to.match(/warn webhooks are failing .*looking for events/)
      // Metrics that need the database are omitted; the others are present.
      const current = await metrics()
      expect(current.has('svc_webhook_deliveries_waiting{status="queued"}')).to.equal(false)
      expect(current.has('svc_webhook_worker_running')).to.equal(true)
    } finally {
      await workPool.query('alter table work.webhook_away rename to webhook_delivery')
    }
    await until(() => receiver.at('/later').length === 1)
    await until(async () => (await heldUp()) === undefined)
  })

  it('WHK-06 WHK-08 the queue of a failing endpoint is limited: the oldest are dropped, which is reported once', async () => {
    const { pool } = place.service.core.services
    const watcher = await place.endpoint(receiver.url('/watcher'), ['webhook.delivery.*'])
    const dead = await place.endpoint(receiver.url('/broken'))
    for (let n = 0; n < 8; n++) await place.happen()
    await until(async () => (await rows(dead.id, 'retrying')) === 8)
    await tidyUp(pool, now, 5)
    expect(await rows(dead.id, 'retrying')).to.equal(5)
    const shown = await place.deliveries(dead.id)
    expect(shown.map(({ status }) => status)).to.deep.equal([
      ...Array<string>(5).fill('retrying'),
      ...Array<string>(3).fill('failed'),
    ])
    expect(shown.at(-1).errorText).to.match(/more than 5/)
    await until(() => receiver.at('/watcher').length > 0)
    await place.happen()
    await until(async () => (await rows(dead.id, 'retrying')) === 6)
    await tidyUp(pool, now, 5)
    await until(async () => {
      const { rowCount } = await pool.query('select from work.webhook_delivery where unreported')
      return rowCount === 0
    })
    expect(await place.deliveries(watcher.id)).to.have.length(1)
  })

  it('WHK-06 setting the clock back stops no retry', async () => {
    const { pool } = place.service.core.services
    const { id } = await place.endpoint(receiver.url('/broken'))
    ahead = 7200
    await place.happen()
    await until(async () => (await rows(id, 'retrying')) === 1)
    ahead = 0
    await tidyUp(pool, now)
    const [row] = await place.deliveries(id)
    expect((Date.parse(row.nextAttemptAt) - Date.now()) / 1000).to.be.within(10, 31)
    await tidyUp(pool, now)
    expect((await place.deliveries(id))[0].nextAttemptAt, 'unchanged').to.equal(row.nextAttemptAt)
  })

  it('WHK-11 all remaining data of a deleted endpoint is deleted', async () => {
    const { pool } = place.service.core.services
    const { id } = await place.endpoint(receiver.url('/silent'))
    await place.happen()
    await until(async () => (await place.deliveries(id)).length === 1)
    await pool.query(
      `insert into work.webhook_delivery (id, webhook_id, event_id, event_type, place, subjects, body, status, created_at)
       select 'whd_' || n, $1, 'aud_' || n, 'group.create', lpad(n::text, 19, '0'), '{}', 'sealed', 'delivered', now()
       from generate_series(1, 1600) n`,
      [id],
    )
    await tidyUp(pool, now)
    expect(await rows(id, 'delivered')).to.equal(50)
    await pool.query(
      `insert into work.webhook_delivery (id, webhook_id, event_id, event_type, place, subjects, body, status, created_at)
       select 'whd_' || n, $1, 'aud_' || n, 'group.create', lpad(n::text, 19, '0'), '{}', 'sealed', 'queued', now()
       from generate_series(1, 1100) n`,
      [id],
    )
    await place.send('DELETE', `/webhooks/${id}`)
    const { rowCount } = await pool.query('select from work.webhook_delivery where webhook_id = $1', [id])
    expect(rowCount).to.equal(0)
  })
})
