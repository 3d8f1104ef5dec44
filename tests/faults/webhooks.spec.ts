/** The service is killed while it sends webhooks: every event arrives, and only those in progress may arrive twice. */
import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import pg from 'pg'
import { auditVerify, expectDamageFound } from '../support/audit/damage.ts'
import { ask } from '../support/service/load.ts'
import { serve, type ServeProcess } from '../support/service/processes.ts'
import { seededPlace, type SeededPlace } from '../support/service/seeded.ts'
import { until } from '../support/until.ts'
import { tempers, webhookRun, type Temper, type WebhookRun } from '../support/webhooks/webhook-run.ts'
import { random } from '../support/random.ts'
import { READ_MODELS } from '../../read-models/schema.ts'

const CHANGES = Number(process.env['SVC_TEST_WEBHOOK_CHANGES'] ?? '120')
const AT_ONCE = 20
/** The times of the kills, as fractions of the run. */
const KILLS = [0.05 + random() * 0.4, 0.5 + random() * 0.2, 0.75 + random() * 0.2]
/** Maximum number of concurrent attempts at one endpoint, of both kinds. */
const LANES = 20
/** Maximum number of finished attempts at one endpoint whose result is not stored. */
const UNWRITTEN = 16
const MEMORY_MIB = 500

/** Returns the peak memory of a process, in MiB. */
const peakOf = ({ child }: ServeProcess): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${String(child.pid)}/status`, 'utf8'))?.[1]) / 1024

describe('svc serve, killed while it sends webhooks', function () {
  this.timeout(600_000 + CHANGES * 200)
  let place: SeededPlace
  let run: WebhookRun
  let current: ServeProcess
  let database: pg.Client
  const ids = new Map<Temper, string>()
  before(async () => {
    place = await seededPlace()
    run = await webhookRun()
    current = await serve(place.setting)
    database = new pg.Client({ connectionString: place.setting.databaseUrl })
    await database.connect()
  })
  after(async () => {
    await current.kill('SIGKILL')
    run.close()
    await database.end()
    await place.drop()
  })

  /** Requests without a response, or with an unknown outcome: each may have been executed. */
  let inDoubt = 0
  /** Repeats a request until it succeeds, over any number of kills. */
  const insist = async (
    path: string,
    body: (nth: number) => object = () => ({}),
  ): Promise<Readonly<Record<string, unknown>>> => {
    for (let nth = 0; ; nth++) {
      const answer = await ask(current.url, place.cookie, 'POST', path, body(nth))
      if (answer.status === 201 || answer.status === 200) return answer.body
      expect([0, 503], JSON.stringify(answer)).to.include(answer.status)
      inDoubt++
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  let written = 0
  const write = async (count: number): Promise<void> => {
    const end = written + count
    let next = written
    const worker = async (): Promise<void> => {
      while (next < end) {
        const name = `Group ${String(next++)}`
        // After a kill, the requested record may exist, or only its name may be claimed.
        await insist('/groups', (nth) => ({ name: `${name}.${String(nth)}` }))
        written++
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, worker))
  }

  const killAndStart = async (): Promise<void> => {
    for (const share of KILLS) {
      await until(() => written + run.count('good') >= share * 2 * CHANGES, 3_600_000, 'the next kill')
      await current.kill('SIGKILL')
      current = await serve(place.setting)
    }
  }

  const eventsOf = async (temper: Temper): Promise<readonly string[]> => {
    const { rows } = await database.query<{ event_id: string }>(
      'select event_id from work.webhook_delivery where webhook_id = $1',
      [ids.get(temper)],
    )
    return rows.map(({ event_id: id }) => id)
  }

  /** Counts deliveries of an endpoint in an unexpected state. */
  const countBut = async (temper: Temper, wanted: string): Promise<number> => {
    const { rows } = await database.query<{ n: number }>(
      `select count(*)::int as n from work.webhook_delivery where webhook_id = $1 and not (${wanted})`,
      [ids.get(temper)],
    )
    return rows[0]?.n ?? Number.NaN
  }

  const audited = async (action: string) => {
    const { rows } = await database.query<{ id: string; position: string }>(
      `select id, position from ${READ_MODELS}.audit_events where action = $1 order by position`,
      [action],
    )
    return rows
  }

  /** Checks that the resulting log can be verified, and that any damage is detected. */
  const expectProof = async (): Promise<void> => {
    await until(
      async () => {
        const { rows } = await database.query(
          'select from proof.tree t, log.head h where t.position::bigint = h.position',
        )
        return rows.length === 1
      },
      60_000,
      'the audit tree over all of the log',
    )
    expect(await current.kill('SIGTERM')).to.equal(0)
    const began = performance.now()
    const { findings, size, integrity, completeness } = await auditVerify(place.setting)
    expect(findings).to.deep.equal([])
    expect([integrity.ok, completeness.ok]).to.deep.equal([true, true])
    expect(size).to.be.at.least(CHANGES)
    const seconds = ((performance.now() - began) / 1000).toFixed(1)
    console.log(`      svc audit verify: ${String(size)} events verified in ${seconds} s`)
    await expectDamageFound(database, place.setting)
  }

  it(`AUD-01 WHK-03 WHK-05 WHK-07 WHK-09 sends each of ${String(CHANGES)} events, over ${String(KILLS.length)} kills`, async () => {
    const began = performance.now()
    for (const temper of tempers) {
      const made = await insist('/webhooks', () => ({ url: run.url(temper), events: ['group.create'] }))
      run.knows(temper, String(made['secret']))
      ids.set(temper, String(made['id']))
    }
    const killing = killAndStart()
    const part = Math.floor(CHANGES / 3)
    await write(part)
    await insist(`/webhooks/${String(ids.get('paused'))}/pause`)
    await write(part)
    await insist(`/webhooks/${String(ids.get('paused'))}/resume`)
    await write(CHANGES - 2 * part)
    const wrote = performance.now()
    await until(() => run.count('good') >= CHANGES, 60_000 + CHANGES * 60, 'every event')
    const sent = performance.now()
    await killing

    const created = await audited('group.create')
    expect(created.length, 'including requests with an unknown outcome').to.be.within(
      CHANGES,
      CHANGES + inDoubt,
    )
    await until(() => run.count('good') >= created.length, 60_000, 'unknown ones')
    const everything = created.map(({ id }) => id)
    expect(run.ids('good'), 'in the order of the log').to.deep.equal(everything)

    const [[paused], [resumed]] = [await audited('webhook.pause'), await audited('webhook.resume')]
    const outside = created
      .filter(({ position }) => position < (paused?.position ?? '') || position > (resumed?.position ?? ''))
      .map(({ id }) => id)
    expect(created.length - outside.length, 'that happened meanwhile').to.be.at.least(part)
    await until(
      () => run.count('paused') >= outside.length,
      60_000 + CHANGES * 10,
      'every event outside of it',
    )
    expect(run.ids('paused')).to.have.members(outside)

    await until(
      async () => (await countBut('shaky', `status = 'delivered'`)) === 0,
      120_000 + CHANGES * 20,
      'every second attempt',
    )
    expect(run.ids('shaky')).to.have.members(everything)
    await until(
      async () => (await countBut('moved', `status = 'retrying' and error = 'redirect'`)) === 0,
      60_000 + CHANGES * 20,
      'every first attempt at the one that redirects',
    )
    for (const temper of ['moved', 'hanging'] as const)
      expect(await eventsOf(temper), `one row for each event at the one ${temper}`).to.have.members(
        everything,
      )
    expect(await countBut('hanging', `status <> 'delivered'`)).to.equal(0)
    expect(run.wrong).to.deep.equal([])
    for (const temper of ['good', 'paused', 'shaky'] as const)
      expect(run.repeated(temper), `sent again to the one ${temper}`).to.be.at.most(
        KILLS.length * (UNWRITTEN + LANES),
      )
    const peak = peakOf(current)
    expect(peak).to.be.lessThan(MEMORY_MIB)
    const seconds = (from: number, to: number): string => ((to - from) / 1000).toFixed(1)
    console.log(
      `      written in ${seconds(began, wrote)} s, all at the good endpoint after ${seconds(began, sent)} s, whole run ` +
        `${seconds(began, performance.now())} s; ${String(run.requests())} requests; sent again: ` +
        `${String(run.repeated('good'))} good, ${String(run.repeated('paused'))} paused, ${String(run.repeated('shaky'))} shaky; ` +
        `service at most ${String(Math.round(peak))} MiB`,
    )
    await expectProof()
  })
})
