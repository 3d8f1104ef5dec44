/** The service is killed while it sends webhooks: every event arrives, and at most those under way arrive again. */
import { expect } from 'chai'
import pg from 'pg'
import { ask } from '../support/load.ts'
import { serve, type ServeProcess } from '../support/processes.ts'
import { seededPlace, type SeededPlace } from '../support/seeded.ts'
import { until } from '../support/until.ts'
import { envelope, webhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts'
import { isFromTheService } from '../support/webhook-verify.ts'

const CHANGES = Number(process.env['SVC_TEST_WEBHOOK_CHANGES'] ?? '120')
const KILLS = 3
const AT_ONCE = 20

describe('svc serve, killed while it sends webhooks', function () {
  this.timeout(600_000 + CHANGES * 100)
  let place: SeededPlace
  let receiver: WebhookReceiver
  before(async () => {
    place = await seededPlace()
    receiver = await webhookReceiver()
  })
  after(async () => {
    receiver.close()
    await place.drop()
  })

  it(`WHK-03 WHK-07 sends each of ${String(CHANGES)} events, over ${String(KILLS)} kills`, async () => {
    let current: ServeProcess = await serve(place.setting)
    try {
      const { status, body } = await ask(current.url, place.cookie, 'POST', '/webhooks', {
        url: receiver.url('/hook'),
        events: ['group.create'],
      })
      expect(status).to.equal(201)
      const secret = String(body['secret'])
      const acknowledged: string[] = []
      const part = Math.ceil(CHANGES / (KILLS + 1))
      for (let round = 0; round <= KILLS; round++) {
        const before = receiver.received.length
        for (let n = 0; n < part; n += AT_ONCE)
          await Promise.all(
            Array.from({ length: Math.min(AT_ONCE, part - n) }, async (_, i) => {
              const name = `Group ${String(round)}.${String(n + i)}`
              const made = await ask(current.url, place.cookie, 'POST', '/groups', { name })
              if (made.status === 201) acknowledged.push(String(made.body['id']))
            }),
          )
        if (round === KILLS) break
        await until(() => receiver.received.length > before, 60_000, 'the first of this round')
        await current.kill('SIGKILL')
        current = await serve(place.setting)
      }
      const arrived = (): Set<unknown> =>
        new Set(receiver.received.map((each) => envelope(each).data['targetId']))
      await until(() => arrived().size >= acknowledged.length, 120_000 + CHANGES * 50, 'every event')
      expect([...arrived()]).to.include.members(acknowledged)
      const bodies = new Map<string, string>()
      for (const { body: sent, headers } of receiver.received) {
        const { id } = envelope({ body: sent })
        expect(bodies.get(id) ?? sent).to.equal(sent)
        bodies.set(id, sent)
        expect(isFromTheService(sent, String(headers['svc-signature']), secret)).to.equal(true)
      }
      expect(receiver.received.length - bodies.size).to.be.at.most(KILLS)
      const client = new pg.Client({ connectionString: place.setting.databaseUrl })
      await client.connect()
      const { rows } = await client.query<{ waiting: string }>(
        `select count(*) as waiting from work.webhook_delivery where status in ('queued', 'retrying')`,
      )
      await client.end()
      console.log(
        `      ${String(bodies.size)} events, ${String(receiver.received.length - bodies.size)} sent twice, ${String(rows[0]?.waiting)} waiting`,
      )
    } finally {
      await current.kill('SIGKILL')
    }
  })
})
