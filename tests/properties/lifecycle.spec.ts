/** Random histories of users, their attributes, clocks and rules, against a model that knows only what the docs say. */
import { expect } from 'chai'
import { lifecycleDates } from '../../adapters/application/reactions/lifecycle-dates.ts'
import { lifecycleRuns } from '../../adapters/application/reactions/lifecycle-runs.ts'
import { secondsAfter } from '../../domain/time.ts'
import { accessWorld, type AccessWorld, type Json } from '../support/api/access-packages.ts'
import { random } from '../support/random.ts'
import { until } from '../support/until.ts'

const STEPS = Number(process.env['SVC_TEST_LIFECYCLE_STEPS'] ?? '60')
const DAY = 86_400
const LATE = 31 * DAY * 1000

interface ModelUser {
  readonly id: string
  department: string
  title: string
  endDate: string | null
  status: 'invited' | 'deleted'
}

interface ModelRule {
  readonly id: string
  enabled: boolean
  /** Runs since it was enabled */
  count: number
  readonly max: number
  readonly department: string
}

describe('random histories of lifecycle rules', function () {
  this.timeout(Math.max(120_000, STEPS * 2000))
  let w: AccessWorld
  before(async () => {
    w = await accessWorld()
  })
  after(() => w.service.stop())

  const pick = <T>(all: readonly T[]): T | undefined => all[Math.floor(random() * all.length)]

  it(`GOV-03 everything happens once, in order, and only by rules that are enabled, over ${String(STEPS)} steps`, async () => {
    const actions = [{ type: 'end_sessions' }, { type: 'cancel_requests' }, { type: 'remove_all_packages' }]
    const rule = async (trigger: object, department: string, max: number): Promise<ModelRule> => {
      const { id } = await w.ok('POST', '/lifecycle/rules', {
        ...{
          name: `${department} ${JSON.stringify(trigger).length}`,
          trigger,
          actions,
          maxPerRun: max,
          enabled: true,
        },
        conditions: {
          match: 'all',
          conditions: [{ attribute: 'department', operator: 'eq', value: department }],
        },
      })
      return { id, enabled: true, count: 0, max, department }
    }
    const created = await rule({ type: 'user_created' }, 'A', 3)
    const changed = await rule({ type: 'attribute_changed', attribute: 'title' }, 'B', 5)
    const ending = await rule({ type: 'on_end_date', atTime: '12:00' }, 'A', 1000)
    const rules = [created, changed, ending]
    const users: ModelUser[] = []
    /** `<rule> <user>` of each run; and the dates that were acted on. */
    const expected: string[] = []
    const dated = new Set<string>()

    const seen = async (): Promise<Json[]> => {
      const all = []
      for (const { id } of rules) all.push(...(await w.ok('GET', `/lifecycle/runs?ruleId=${id}&limit=200`)))
      return all
    }
    const settled = (): Promise<unknown> =>
      until(
        async () => {
          const runs = await seen()
          return runs.length === expected.length && runs.every(({ finishedAt }) => finishedAt !== null)
        },
        20_000,
        () => `${String(expected.length)} runs`,
      )
    /** What an event does to the model. */
    const triggered = async (one: ModelRule, { id, department }: ModelUser): Promise<void> => {
      if (!one.enabled || department !== one.department) return
      if (one.count === one.max) {
        one.enabled = false
        const path = `/lifecycle/rules/${one.id}`
        await until(async () => (await w.ok('GET', path)).status === 'paused_by_guard', 20_000, 'the pause')
        return
      }
      one.count++
      expected.push(`${one.id} ${id}`)
      await settled()
    }
    let n = 0
    const round = async (): Promise<void> => {
      const now = `2027-03-${String(1 + Math.floor(random() * 28)).padStart(2, '0')}T${pick(['11:59:59', '12:00:01']) ?? ''}.000000Z`
      for (const { id, department, endDate, status } of users) {
        if (endDate === null || status === 'deleted' || department !== ending.department) continue
        const instant = `${endDate}T12:00:00.000000Z`
        const isDue = instant <= now && Date.parse(now) - Date.parse(instant) < LATE
        if (!ending.enabled || !isDue || dated.has(`${id} ${endDate}`)) continue
        dated.add(`${id} ${endDate}`)
        expected.push(`${ending.id} ${id}`)
      }
      const clock = { now: () => now, in: (seconds: number) => secondsAfter(now, seconds) }
      const there = { ...w.service.core.services, clock }
      await lifecycleDates(there)(false)
      await lifecycleRuns(there)()
      // Those that are due later than that clock shows.
      await lifecycleRuns({ ...there, clock: { ...clock, now: () => '2028-01-01T00:00:00.000000Z' } })()
      await settled()
    }
    const date = (): string => `2027-03-${String(1 + Math.floor(random() * 28)).padStart(2, '0')}`

    for (let step = 0; step < STEPS; step++) {
      const user = pick(users.filter(({ status }) => status !== 'deleted'))
      const kind = random()
      if (user === undefined || kind < 0.25) {
        const department = pick(['A', 'B', 'C']) ?? 'A'
        const endDate = random() < 0.5 ? date() : null
        const { id } = await w.ok('POST', '/users', {
          ...{ email: `random${String(++n)}@example.com`, name: 'Rae', department },
          ...(endDate === null ? {} : { endDate }),
        })
        const made: ModelUser = { id, department, title: '', endDate, status: 'invited' }
        users.push(made)
        await triggered(created, made)
      } else if (kind < 0.45) {
        const title = `Title ${String(Math.floor(random() * 3))}`
        const isChange = title !== user.title
        user.title = title
        await w.ok('PATCH', `/users/${user.id}`, { title })
        if (isChange) await triggered(changed, user)
      } else if (kind < 0.6) {
        user.department = pick(['A', 'B', 'C']) ?? 'A'
        await w.ok('PATCH', `/users/${user.id}`, { department: user.department })
      } else if (kind < 0.7) {
        user.endDate = date()
        await w.ok('PATCH', `/users/${user.id}`, { endDate: user.endDate })
      } else if (kind < 0.75) {
        user.status = 'deleted'
        await w.ok('DELETE', `/users/${user.id}`)
      } else if (kind < 0.87) {
        const one = pick(rules) ?? created
        await w.ok('POST', `/lifecycle/rules/${one.id}/${one.enabled ? 'disable' : 'enable'}`)
        one.enabled = !one.enabled
        if (one.enabled) one.count = 0
      } else await round()
    }
    await round()
    const runs = await seen()
    expect(runs.map(({ ruleId, userId }) => `${String(ruleId)} ${String(userId)}`)).to.have.members(expected)
    for (const { status, steps } of runs) {
      expect(status).to.equal('succeeded')
      expect(steps.map(({ action }: Json) => action)).to.deep.equal(actions.map(({ type }) => type))
      const times = steps.map(({ at }: Json) => at)
      expect(times).to.deep.equal([...times].sort())
    }
  })
})
