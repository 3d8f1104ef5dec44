import { expect } from 'chai'
import fc from 'fast-check'
import type { Recorded } from '../../domain/catalogue.ts'
import { histories } from '../support/domain/history.ts'
import { readModels, recorded, type Dump, type ReadModels } from '../support/event-log/projection.ts'

const RUNS = { numRuns: 60 }

/** Tables with intervals, and the keys of their intervals. */
const intervals: Readonly<Record<string, readonly string[]>> = {
  memberships: ['membership', 'via', 'source_id'],
  application_groups: ['application_id', 'group_id'],
  api_grants: ['application_id', 'api_resource_id'],
  role_intervals: ['user_id', 'role'],
}

const split = (events: readonly Recorded[], cuts: readonly number[]): readonly (readonly Recorded[])[] => {
  const places = [0, ...cuts.map((cut) => cut % (events.length + 1)).sort((a, b) => a - b), events.length]
  return places.slice(1).map((end, index) => events.slice(places[index], end))
}

const overlapping = (dump: Dump): readonly object[] =>
  Object.entries(intervals).flatMap(([table, key]) => {
    const last = new Map<string, string | null>()
    return [...(dump[table] ?? [])]
      .sort((a, b) => (String(a['from_position']) < String(b['from_position']) ? -1 : 1))
      .filter((row) => {
        const of = key.map((column) => String(row[column])).join('|')
        const [from, to] = [String(row['from_position']), row['to_position'] as string | null]
        const before = last.get(of)
        last.set(of, to)
        return (to !== null && to <= from) || (before !== undefined && (before === null || before > from))
      })
  })

describe('projecting in batches', function () {
  this.timeout(120_000)
  let models: ReadModels
  before(async () => {
    models = await readModels()
  })
  after(() => models.drop())

  it('EVT-03 produces the same rows for any split of the events', () =>
    fc.assert(
      fc.asyncProperty(histories(60), fc.array(fc.nat(), { maxLength: 12 }), async (history, cuts) => {
        const events = recorded(history)
        const whole = await models.after(events)
        expect(await models.after(...split(events, cuts))).to.deep.equal(whole)
      }),
      RUNS,
    ))

  it('EVT-03 produces the same rows event by event', () =>
    fc.assert(
      fc.asyncProperty(histories(60), async (history) => {
        const events = recorded(history)
        expect(await models.after(...events.map((event) => [event]))).to.deep.equal(
          await models.after(events),
        )
      }),
      { numRuns: 20 },
    ))

  it('EVT-05 intervals of one resource never overlap, and end after they start', () =>
    fc.assert(
      fc.asyncProperty(histories(120), async (history) => {
        expect(overlapping(await models.after(recorded(history)))).to.deep.equal([])
      }),
      RUNS,
    ))
})
