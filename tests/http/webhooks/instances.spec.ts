import { expect } from 'chai'
import pg from 'pg'
import {
  freePort,
  testPlace,
  testService,
  type TestPlace,
  type TestService,
} from '../../support/service/service.ts'
import { until } from '../../support/until.ts'
import { envelope, webhookReceiver, type WebhookReceiver } from '../../support/webhooks/webhook-receiver.ts'
import { quick, webhookPlaceOf, type WebhookPlace } from '../../support/webhooks/webhooks.ts'

const EVENTS = 30

describe('webhooks of several instances', function () {
  this.timeout(120_000)
  let at: TestPlace
  let receiver: WebhookReceiver
  let running: TestService[]
  beforeEach(async () => {
    at = await testPlace()
    running = []
    receiver = await webhookReceiver()
  })
  afterEach(async () => {
    for (const service of running.splice(0)) await service.stop()
    receiver.close()
    await at.drop()
  })

  const start = async (): Promise<TestService> => {
    const port = await freePort()
    const config = { ...at.config, listen: { host: '127.0.0.1', port } }
    const service = await testService({ ...at, config }, { webhooks: quick })
    running.push(service)
    return {
      ...service,
      api: async (method, path, { body, as } = {}) => {
        const response = await fetch(`http://localhost:${String(port)}/api/v1${path}`, {
          method,
          headers: { Cookie: as?.cookie ?? '', 'Content-Type': 'application/json' },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        })
        const text = await response.text()
        const { status, headers } = response
        return { status, headers, body: text === '' ? '' : (JSON.parse(text) as unknown) }
      },
    }
  }
  const stop = async (service: TestService): Promise<void> => {
    running = running.filter(({ port }) => port !== service.port)
    await service.stop()
  }
  const place = async (service: TestService): Promise<WebhookPlace> =>
    webhookPlaceOf(service, await service.person({}, ['global_admin']))
  const targets = (path: string) => receiver.at(path).map((each) => envelope(each).data['targetId'])

  it('WHK-07 each event is sent once, in order, and the other continues when one stops', async () => {
    const one = await start()
    const here = await place(one)
    const two = await start()
    const there = webhookPlaceOf(two, here.admin)
    await here.endpoint(receiver.url('/a'))
    await there.endpoint(receiver.url('/b'))
    const groups: string[] = []
    for (let n = 0; n < EVENTS; n++) groups.push(await (n % 2 === 0 ? here : there).happen())
    await until(() => receiver.at('/a').length > 3)
    await stop(one)
    for (let n = 0; n < EVENTS; n++) groups.push(await there.happen())
    for (const path of ['/a', '/b']) {
      await until(() => receiver.at(path).length >= groups.length, 20_000, `every event at ${path}`)
      expect(targets(path)).to.deep.equal(groups)
    }
  })

  it('WHK-07 each event is sent once, in order, across a restart', async () => {
    const first = await start()
    const here = await place(first)
    await here.endpoint(receiver.url('/c'))
    const groups: string[] = []
    for (let n = 0; n < EVENTS; n++) groups.push(await here.happen())
    await until(() => receiver.at('/c').length > 0)
    await stop(first)
    const second = await start()
    const later = webhookPlaceOf(second, here.admin)
    groups.push(await later.happen())
    await until(() => receiver.at('/c').length >= groups.length, 20_000, 'every event')
    expect(targets('/c')).to.deep.equal(groups)
  })

  it('WHK-07 a cursor that was set back queues nothing twice; an attempt without a recorded result is repeated', async () => {
    const service = await start()
    const here = await place(service)
    const { id } = await here.endpoint(receiver.url('/d'))
    for (let n = 0; n < 3; n++) await here.happen()
    await until(
      async () => (await here.deliveries(id)).filter(({ status }) => status === 'delivered').length === 3,
    )
    await stop(service)
    const client = new pg.Client({ connectionString: at.databaseUrl })
    await client.connect()
    await client.query(`update work.checkpoint set position = '' where name = 'webhooks'`)
    await client.query(
      `update work.webhook_delivery set status = 'queued', attempts = 0
       where id = (select id from work.webhook_delivery order by place desc limit 1)`,
    )
    await client.end()
    const again = webhookPlaceOf(await start(), here.admin)
    await again.happen()
    await until(() => receiver.at('/d').length >= 5)
    const bodies = receiver.at('/d').map(({ body }) => body)
    expect(bodies).to.have.length(5)
    expect(new Set(bodies).size).to.equal(4)
    expect(bodies[3]).to.equal(bodies[2])
    expect(await again.deliveries(id)).to.have.length(4)
  })
})
