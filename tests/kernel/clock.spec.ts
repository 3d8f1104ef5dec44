import { expect } from 'chai'
import fc from 'fast-check'
import { systemClock } from '../../adapters/kernel/clock.ts'

/** As `Date` writes it, with microseconds. */
const text = (microseconds: number): string =>
  `${new Date(Math.floor(microseconds / 1000)).toISOString().slice(0, -1)}${String(microseconds % 1000).padStart(3, '0')}Z`

describe('the clock', () => {
  it('never gives the same microsecond twice', () => {
    const wall = Date.now()
    const { now } = systemClock(() => wall)
    const first = wall * 1000
    expect([now(), now(), now()]).to.deep.equal([first, first + 1, first + 2].map(text))
  })

  it('writes times as Date does, in any order', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 400_000_000 }), { maxLength: 20 }), (all) => {
        const wall = Date.now()
        const clock = systemClock(() => wall)
        for (const [at, seconds] of all.entries())
          expect(clock.in(seconds)).to.equal(text(wall * 1000 + at + seconds * 1e6))
      }),
      { seed: 1, numRuns: 200 },
    )
  })
})
