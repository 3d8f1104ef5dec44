import { expect } from 'chai'
import { createHmac } from 'node:crypto'
import { newId } from '../../../adapters/kernel/ids.ts'
import { eventQueue } from '../../../adapters/outbound/webhooks/queue.ts'
import { webhookTiming } from '../../../adapters/outbound/webhooks/run.ts'
import { tidyUp } from '../../../adapters/outbound/webhooks/tidy.ts'
import { until } from '../../support/until.ts'
import {
  envelope,
  webhookReceiver,
  type Answer,
  type WebhookReceiver,
} from '../../support/webhooks/webhook-receiver.ts'
import { isFromTheService } from '../../support/webhooks/webhook-verify.ts'
import { webhookPlace, type WebhookPlace } from '../../support/webhooks/webhooks.ts'
import { READ_MODELS } from '../../../read-models/schema.ts'

const SCHEDULE = [30, 60, 120, 240, 480, 960, 1920]

describe('webhook deliveries', function () {
  this.timeout(180_000)
  let place: WebhookPlace
  let receiver: WebhookReceiver
  let answers: (path: string, nth: number) => Answer
  /** Seconds that the clock is ahead */
  let ahead: number
  const now = (): string => new Date(Date.now() + ahead * 1000).toISOString()

  before(async () => {
    receiver = await webhookReceiver(({ path }, nth) => answers(path, nth))
    place = await webhookPlace({ now })
  })
  beforeEach(() => {
    answers = () => 200
    ahead = 0
  })
  after(async () => {
    await place.service.stop()
    receiver.close()
  })
  afterEach(async () => {
    for (const { id } of (await place.send('GET', '/webhooks')).body as { id: string }[])
      await place.send('DELETE', `/webhooks/${id}`)
  })

  const got = async (path: string, count: number) => {
    await until(() => receiver.at(path).length >= count, 20_000, `${String(count)} requests to ${path}`)
    return receiver.at(path)
  }
  const deliveryWith = async (id: string, status: string, attempts?: number) => {
    await until(
      async () =>
        (await place.deliveries(id)).some(
          (each) => each.status === status && (attempts === undefined || each.attempts === attempts),
        ),
      20_000,
      `a delivery that is ${status}`,
    )
    return place.deliveries(id)
  }

  it('WHK-02 WHK-03 WHK-04 an audit event is posted, signed, as it is in the audit trail', async () => {
    const { id, secret } = await place.endpoint(receiver.url('/audit'))
    const groupId = await place.happen('Étoile')
    const [request] = await got('/audit', 1)
    expect(request).to.include({ method: 'POST' })
    expect(request?.headers).to.include({ 'content-type': 'application/json', 'user-agent': 'Svc-Webhooks' })
    expect(request?.names.filter((name) => /^[A-Z]/.test(name))).to.deep.equal([
      'Content-Type',
      'User-Agent',
      'Svc-Signature',
    ])
    const header = String(request?.headers['svc-signature'])
    const body = request?.body ?? ''
    const [, t = '', v1] = /^t=(\d{10}),v1=([0-9a-f]{64})$/.exec(header) ?? []
    expect(v1).to.equal(createHmac('sha256', secret).update(`${t}.${body}`).digest('hex'))
    expect(Math.abs(Number(t) - Date.now() / 1000)).to.be.lessThan(30)
    expect(isFromTheService(body, header, secret)).to.equal(true)
    expect(isFromTheService(`${body} `, header, secret)).to.equal(false)
    expect(isFromTheService(body, header, `${secret}x`)).to.equal(false)

    const sent = envelope({ body })
    expect(Object.keys(sent)).to.deep.equal(['id', 'type', 'time', 'data'])
    expect(sent.time).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
    expect(Object.keys(sent.data)).to.deep.equal(
      'id time actorId action summary targetType targetId target ip'.split(' '),
    )
    const entry = (await place.send('GET', `/audit/${sent.id}`)).body as Record<string, unknown>
    for (const [name, value] of Object.entries(sent.data)) expect(value, name).to.deep.equal(entry[name])
    expect(sent).to.include({ type: 'group.create', id: entry['id'] })
    expect(sent.time).to.equal(sent.data['time'])
    expect(sent.data).to.include({ targetId: groupId, target: 'Étoile', actorId: place.admin.userId })
    const [logged] = await deliveryWith(id, 'delivered')
    expect(logged).to.deep.include({
      eventId: sent.id,
      eventType: 'group.create',
      attempts: 1,
      httpStatus: 200,
      body,
    })
    expect((await place.send('GET', `/webhooks/${id}`)).body).to.deep.include({
      lastDeliveryStatus: 'delivered',
      failingSince: null,
    })
  })

  it('WHK-02 a sign-in event is posted as it is in the list of sign-ins', async () => {
    await place.endpoint(receiver.url('/signins'), ['sign_in.failure'])
    await place.service.api('POST', '/auth/code', { body: { email: 'nobody@example.com', code: '123456' } })
    const [request] = await got('/signins', 1)
    const sent = envelope({ body: request?.body ?? '{}' })
    expect(Object.keys(sent.data)).to.deep.equal(
      'id time userId email appId result method ip location device risk reason'.split(' '),
    )
    expect(sent).to.include({ type: 'sign_in.failure', id: sent.data['id'], time: sent.data['time'] })
    expect(sent.id).to.match(/^evt_/)
    const row = (await place.send('GET', `/sign-ins/${sent.id}`)).body as Record<string, unknown>
    for (const [name, value] of Object.entries(sent.data)) expect(value, name).to.deep.equal(row[name])
    expect(sent.data).to.include({ userId: null, email: 'nobody@example.com', reason: 'unknown_user' })
  })

  it('WHK-01 only selected events that happen after the creation are sent', async () => {
    await place.happen()
    const one = await place.endpoint(receiver.url('/exact'), ['group.create'])
    const all = await place.endpoint(receiver.url('/all'), ['*'])
    const family = await place.endpoint(receiver.url('/family'), ['group.*', 'webhook.pause'])
    const groupId = await place.happen()
    await place.send('PATCH', `/groups/${groupId}`, { name: `${groupId} renamed` })
    await place.send('PATCH', `/webhooks/${one.id}`, { events: ['group.update'] })
    await place.send('PATCH', `/groups/${groupId}`, { name: `${groupId} again` })
    await place.happen()
    const types = (path: string) => receiver.at(path).map((each) => envelope(each).type)
    await got('/all', 6)
    await got('/family', 4)
    await got('/exact', 2)
    expect(types('/family')).to.deep.equal(['group.create', 'group.update', 'group.update', 'group.create'])
    expect(types('/exact')).to.deep.equal(['group.create', 'group.update'])
    expect(types('/all')).to.deep.equal([
      'webhook.create',
      'group.create',
      'group.update',
      'webhook.update',
      'group.update',
      'group.create',
    ])
    expect(envelope(receiver.at('/all')[0] ?? { body: '{}' }).data['targetId']).to.equal(family.id)
    expect(await place.deliveries(all.id)).to.have.length(6)
  })

  it('WHK-05 WHK-06 WHK-07 a failure is retried at 30 s, 1, 2, 4, 8, 16 and 32 min, then it has failed after eight attempts', async () => {
    answers = () => 500
    const { id, secret } = await place.endpoint(receiver.url('/schedule'), ['group.create'])
    const watcher = await place.endpoint(receiver.url('/watcher'), ['webhook.delivery.*'])
    await place.happen()
    for (const [index, seconds] of SCHEDULE.entries()) {
      const [row] = await deliveryWith(id, 'retrying', index + 1)
      const wait = (Date.parse(row.nextAttemptAt) - Date.parse(row.lastAttemptAt)) / 1000
      expect(wait).to.be.within(seconds, seconds + 5)
      ahead += seconds - 10
      const before = receiver.at('/schedule').length
      await new Promise((resolve) => setImmediate(resolve))
      expect(receiver.at('/schedule')).to.have.length(before)
      ahead += 15
      await got('/schedule', index + 2)
    }
    const [row] = await deliveryWith(id, 'failed', 8)
    expect(row).to.include({ httpStatus: 500, error: 'non_2xx', nextAttemptAt: null })
    const requests = receiver.at('/schedule')
    expect(requests).to.have.length(8)
    expect(new Set(requests.map(({ body }) => body)).size).to.equal(1)
    const headers = requests.map((each) => String(each.headers['svc-signature']))
    expect(new Set(headers).size).to.equal(8)
    for (const [index, header] of headers.entries()) {
      const [, t = '', v1] = /^t=(\d+),v1=(\w+)$/.exec(header) ?? []
      const { body } = requests[index] ?? { body: '' }
      expect(v1).to.equal(createHmac('sha256', secret).update(`${t}.${body}`).digest('hex'))
    }
    const times = headers.map((header) => Number(/\d+/.exec(header)?.[0]))
    for (const [index, seconds] of SCHEDULE.entries())
      expect((times[index + 1] ?? 0) - (times[index] ?? 0)).to.be.at.least(seconds)
    const notices = await got('/watcher', 1)
    expect(envelope(notices[0] ?? { body: '{}' })).to.include({ type: 'webhook.delivery.fail' })
    expect(envelope(notices[0] ?? { body: '{}' }).data).to.include({ targetId: id, actorId: null })
    expect((await place.send('GET', `/webhooks/${id}`)).body).to.include({ lastDeliveryStatus: 'failed' })

    // A manual retry has the same body and id.
    answers = () => 204
    const again = await place.send('POST', `/webhooks/${id}/deliveries/${String(row.id)}/redeliver`)
    expect(again.status).to.equal(200)
    expect(again.body).to.include({ id: row.id, eventId: row.eventId, status: 'queued', attempts: 0 })
    await deliveryWith(id, 'delivered', 1)
    expect(receiver.at('/schedule').at(-1)?.body).to.equal(row.body)
    const refused = await place.send('POST', `/webhooks/${id}/deliveries/${String(row.id)}/redeliver`)
    expect(refused.status).to.equal(409)
    const failing = (await place.send('GET', `/webhooks/${id}`)).body as { failingSince: unknown }
    expect(failing.failingSince).to.equal(null)
    expect(await place.deliveries(watcher.id)).not.to.have.length(0)
  })

  it('WHK-05 a redirect is a failure and is not followed; a 500 and then a 200 is delivered', async () => {
    answers = (path, nth) => (path === '/moved' ? 302 : nth === 1 ? 500 : 200)
    const moved = await place.endpoint(receiver.url('/moved'))
    const shaky = await place.endpoint(receiver.url('/shaky'))
    await place.happen()
    const [redirected] = await deliveryWith(moved.id, 'retrying')
    expect(redirected).to.include({ error: 'redirect', httpStatus: 302, attempts: 1 })
    await deliveryWith(shaky.id, 'retrying')
    ahead = 31
    const [delivered] = await deliveryWith(shaky.id, 'delivered')
    expect(delivered).to.include({ attempts: 2, httpStatus: 200, error: null })
    expect(receiver.at('/elsewhere')).to.have.length(0)
  })

  it('WHK-09 nothing is sent during a pause; pending deliveries are sent after it, events of the pause never', async () => {
    answers = (_, nth) => (nth === 1 ? 500 : 200)
    const { id } = await place.endpoint(receiver.url('/paused'))
    const marker = await place.endpoint(receiver.url('/marker'))
    const first = await place.happen()
    await deliveryWith(id, 'retrying')
    await place.send('POST', `/webhooks/${id}/pause`)
    await place.happen()
    ahead = 3600
    await got('/marker', 3)
    expect(receiver.at('/paused')).to.have.length(1)
    await place.send('POST', `/webhooks/${id}/resume`)
    const last = await place.happen()
    const all = await got('/paused', 3)
    expect(all.map((each) => envelope(each).data['targetId'])).to.have.members([first, first, last])
    await deliveryWith(id, 'delivered')
    expect(await place.deliveries(id)).to.have.length(2)
    expect(await place.deliveries(marker.id)).to.have.length(3)
  })

  it('WHK-03 checks every ten seconds and sends events that are five seconds old', async () => {
    expect(webhookTiming).to.include({ lookEvery: 10, minimumAge: 5, timeout: 10 })
    // The clock of the service does not advance, so no event is old enough for it; the test runs the check.
    const { minimumAge } = webhookTiming
    const start = new Date().toISOString()
    const slow = await webhookPlace({ ...webhookTiming, now: () => start })
    try {
      const { services } = slow.service.core
      const { id } = await slow.endpoint(receiver.url('/age'))
      const groupId = await slow.happen()
      const happened = Date.parse((await slow.send('GET', `/groups/${groupId}`)).body.createdAt)
      const recorded =
        (await slow.service.core.eventLog.readStream(`group-${groupId}`)).at(-1)?.position ?? ''
      // The audit trail follows the read models, and events are sent only once they are in it.
      await until(async () => (await services.outbound.page('', recorded)).position >= recorded)
      const deliveriesAfter = async (milliseconds: number): Promise<number> => {
        const at = new Date(happened + milliseconds).toISOString()
        const { pool, outbound: source, vault } = services
        await eventQueue({ pool, source, vault, newId, now: () => at, minimumAge }).look()
        return (await slow.deliveries(id)).length
      }
      expect(await deliveriesAfter(0)).to.equal(0)
      expect(await deliveriesAfter(4_990)).to.equal(0)
      expect(await deliveriesAfter(5_001)).to.equal(1)
    } finally {
      await slow.service.stop()
    }
  })

  it('WHK-08 lists the 50 newest, newest first, and deletes older finished ones', async () => {
    const { id } = await place.endpoint(receiver.url('/many'))
    const groups: string[] = []
    for (let n = 0; n < 60; n++) groups.push(await place.happen())
    await got('/many', 60)
    await until(async () => (await place.deliveries(id)).every(({ status }) => status === 'delivered'))
    const shown = await place.deliveries(id)
    expect(shown.map(({ body }) => envelope({ body }).data['targetId'])).to.deep.equal(
      groups.slice(-50).reverse(),
    )
    expect(receiver.at('/many').map((each) => envelope(each).data['targetId'])).to.deep.equal(groups)
    const { services, workPool } = place.service.core
    const rows = (status: string) =>
      workPool.query('select from work.webhook_delivery where webhook_id = $1 and status = $2', [id, status])
    await workPool.query(
      `update work.webhook_delivery set status = 'retrying', next_attempt_at = now() + interval '1 hour'
       where id in (select id from work.webhook_delivery where webhook_id = $1 order by place limit 3)`,
      [id],
    )
    await tidyUp(services.pool, () => null)
    expect((await rows('delivered')).rowCount).to.equal(50)
    expect((await rows('retrying')).rowCount).to.equal(3)
    await workPool.query(
      `update work.webhook_delivery set erased_at = now() - interval '2 days' where status = 'retrying'`,
    )
    await tidyUp(services.pool, () => null)
    expect((await rows('retrying')).rowCount).to.equal(0)
  })

  it('WHK-11 if the secret cannot be decrypted, the delivery fails and nothing is sent', async () => {
    const { id } = await place.endpoint(receiver.url('/unsigned'))
    const { pool, vault } = place.service.core.services
    const stranger = vault.seal('webhook-secret', 'whsec_x', 'whk_other')
    await pool.query('update webhooks set sealed_secret = $2 where id = $1', [id, stranger])
    await place.happen()
    const [row] = await deliveryWith(id, 'failed', 0)
    expect(row).to.include({ error: 'secret_unreadable', httpStatus: null, nextAttemptAt: null })
    expect((await place.send('GET', `/webhooks/${id}`)).body).to.include({ secretReadable: false })
    expect(receiver.at('/unsigned')).to.have.length(0)
  })

  it('WHK-11 deleting an endpoint deletes its log', async () => {
    const { id } = await place.endpoint(receiver.url('/deleted'))
    await place.happen()
    await deliveryWith(id, 'delivered')
    await place.send('DELETE', `/webhooks/${id}`)
    const { rows } = await place.service.core.workPool.query(
      'select from work.webhook_delivery where webhook_id = $1',
      [id],
    )
    expect(rows).to.have.length(0)
  })

  it('WHK-11 bodies are stored encrypted', async () => {
    const { id, secret } = await place.endpoint(receiver.url('/sealed'))
    await place.happen('Very secret group')
    await deliveryWith(id, 'delivered')
    const { rows } = await place.service.core.workPool.query<{ body: string }>(
      'select body from work.webhook_delivery where webhook_id = $1',
      [id],
    )
    expect(rows[0]?.body).not.to.include('secret')
    const { rows: events } = await place.service.core.workPool.query<{ sealed_secret: string }>(
      `select sealed_secret from ${READ_MODELS}.webhooks where id = $1`,
      [id],
    )
    expect(events[0]?.sealed_secret).not.to.include(secret.slice(6))
  })

  it('EVT-04 deliveries about a user are deleted once the user is erased', async () => {
    const { id } = await place.endpoint(receiver.url('/erased'), ['user.*'])
    const { body: person } = await place.send('POST', '/users', { email: 'grace@example.com', name: 'Grace' })
    const userId = (person as { id: string }).id
    await deliveryWith(id, 'delivered')
    await place.send('DELETE', `/users/${userId}`)
    expect((await place.send('POST', `/users/${userId}/erase`)).status).to.be.lessThan(300)
    await got('/erased', 3)
    await until(
      async () => !JSON.stringify(await place.deliveries(id)).includes('Grace'),
      10_000,
      'the erasure of the log',
    )
    const types = (await place.deliveries(id)).map(({ eventType, body }) => [eventType, body === null])
    expect(types).to.deep.include.members([['user.invite', true]])
  })
})
