import { expect } from 'chai'
import fc from 'fast-check'
import {
  goneBefore,
  retentionPeriods,
  retentionSeconds,
  signInDaysAt,
  type RetentionPeriod,
} from '../../domain/retention.ts'

const DAY = 86_400 * 1e6
const day = (n: number): number => n * DAY

/** The settings of these days, each since its day. */
const set = (...changes: readonly (readonly [since: number, days: number])[]): readonly RetentionPeriod[] =>
  retentionPeriods(
    changes.map(([since, to]) => ({
      recorded: String(day(since)),
      data: { changes: [{ field: 'signInEventRetentionDays', from: 395, to }] },
    })),
  )

describe('the retention of sign-ins', () => {
  it('API-12 is 395 days until it is set, and other settings do not change it', () => {
    const others = retentionPeriods([
      { recorded: '5', data: { changes: [{ field: 'organizationName', from: 'A', to: 'B' }] } },
      { recorded: '6', data: {} },
    ])
    expect(others).to.deep.equal([{ since: 0, days: 395 }])
    expect(signInDaysAt(others, day(1000))).to.equal(395)
    expect(retentionSeconds('sign_in', others, day(1000))).to.equal(395 * 86_400)
    expect(retentionSeconds('token', set([1, 90]), day(1000))).to.equal(400 * 86_400)
    expect(retentionSeconds('permanent', set([1, 90]), day(1000))).to.equal(null)
  })

  it('AUD-01 data that is not as recorded changes nothing', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (changes) => {
        expect(retentionPeriods([{ recorded: '5', data: { changes } }])).to.deep.equal([
          { since: 0, days: 395 },
        ])
      }),
    )
  })

  const cases: readonly (readonly [string, readonly RetentionPeriod[], at: number, days: number])[] = [
    ['a longer time applies at once', set([1000, 800]), 1000, 800],
    ['a shorter time does not apply on the day it was set', set([1000, 90]), 1000, 395],
    ['a shorter time does not apply within seven days', set([1000, 90]), 1006.9, 395],
    ['a shorter time applies after seven days', set([1000, 90]), 1007.1, 90],
    ['a shorter time that is undone in time never applies', set([1000, 90], [1006, 395]), 1050, 395],
    ['of two shorter times, each waits for seven days', set([1000, 200], [1005, 90]), 1008, 200],
    ['the second of them applies seven days after it was set', set([1000, 200], [1005, 90]), 1012.1, 90],
    ['a longer time that was short-lived still counts', set([1000, 800], [1001, 395]), 1005, 800],
  ]
  for (const [title, periods, at, days] of cases)
    it(`API-12 ${title}`, () => expect(signInDaysAt(periods, day(at))).to.equal(days))

  it('API-12 AUD-01 an event may be missing if some retention in force allowed its deletion at that time', () => {
    const longer = set([1000, 90], [1100, 395])
    expect(goneBefore('sign_in', longer, day(1002))).to.equal(day(1002 - 395))
    // Deleted while 90 days applied, up to a day after that ended.
    expect(goneBefore('sign_in', longer, day(1200))).to.equal(day(1100 - 90) - 1 + day(1))
    expect(goneBefore('sign_in', longer, day(1500))).to.equal(day(1500 - 395))
    expect(goneBefore('token', longer, day(1200))).to.equal(day(1200 - 400))
    expect(goneBefore('permanent', longer, day(1200))).to.equal(null)
  })

  it('API-12 AUD-01 every event that the log deletes may be missing, then and later', () => {
    const changes = fc.array(fc.tuple(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 100 })), {
      maxLength: 6,
    })
    fc.assert(
      fc.property(
        changes,
        fc.integer({ min: 0, max: 400 }),
        fc.integer({ min: 0, max: 400 }),
        (steps, at, more) => {
          let since = 500
          const periods = set(...steps.map(([gap, days]) => [(since += gap), days] as const))
          const deletion = day(500 + at)
          const known = periods.filter((period) => period.since <= deletion)
          const deletedBefore = deletion - (retentionSeconds('sign_in', known, deletion) ?? 0) * 1e6
          expect(goneBefore('sign_in', known, deletion)).to.be.at.least(deletedBefore)
          const later = goneBefore('sign_in', periods, deletion + day(more)) ?? 0
          expect(later + 1).to.be.at.least(deletedBefore)
        },
      ),
    )
  })

  it('API-12 AUD-01 no event may be missing that no retention in force has reached', () => {
    const periods = set([1000, 90], [1003, 395])
    expect(goneBefore('sign_in', periods, day(1300))).to.equal(day(1300 - 395))
  })
})
