import { expect } from 'chai'
import fc from 'fast-check'
import {
  forgetKind,
  MAX_WRONG_A_DAY,
  noTries,
  takeBack,
  takeTry,
  type CodeKind,
  type CodeTries,
  type TakenTry,
} from '../../domain/user/wrong-codes.ts'
import { at } from '../support/fixed.ts'

const DAY = 86_400
const limits = (second: number) => ({
  maxAttempts: 5,
  now: at(second),
  windowStart: at(second - 900),
  lockUntil: at(second + 900),
  dayStart: at(second - DAY),
  lockOutUntil: at(second + 3600),
})
const app: CodeKind = 'authenticator_code'
const recovery: CodeKind = 'recovery_code'

interface Told {
  readonly state: CodeTries
  readonly taken: readonly TakenTry[]
  /** Until when each was refused; null for those that were not. */
  readonly refused: readonly (string | null)[]
}

/** Wrong codes at these seconds. */
const wrong = (tries: readonly (readonly [number, CodeKind])[], from: CodeTries = noTries): Told =>
  tries.reduce<Told>(
    (told, [second, kind]) => {
      const outcome = takeTry(told.state, kind, limits(second))
      return outcome.after === null
        ? { ...told, refused: [...told.refused, outcome.refusedUntil] }
        : {
            state: outcome.after,
            taken: [...told.taken, outcome.taken],
            refused: [...told.refused, null],
          }
    },
    { state: from, taken: [], refused: [] },
  )
const of = (kind: CodeKind, ...seconds: readonly number[]) => seconds.map((second) => [second, kind] as const)
const nth = ({ taken }: Told, n: number) => taken.at(n) ?? expect.fail('no such try')

describe('Wrong codes', () => {
  it('SGN-02 five in a quarter of an hour lock their kind for as long', () => {
    const { state, refused } = wrong(of(app, 0, 1, 2, 3, 899, 900))
    expect(refused).to.deep.equal([null, null, null, null, null, at(1799)])
    expect(wrong(of(app, 1798), state).refused).to.deep.equal([at(1799)])
    expect(wrong(of(app, 1799), state).refused).to.deep.equal([null])
    expect(wrong(of(recovery, 900), state).refused, 'another kind').to.deep.equal([null])
  })
  it('SGN-02 the quarter of an hour moves along: no five fit into one', () => {
    expect(wrong(of(app, 0, 897, 898, 899, 900, 901, 902)).refused.slice(5)).to.deep.equal([null, at(1801)])
    expect(wrong(of(app, 0, 300, 600, 900, 1200, 1500, 1800)).refused.every((one) => one === null)).to.equal(
      true,
    )
  })
  it('SGN-02 ten in a day, of whatever kind, lock all kinds for an hour', () => {
    const ten = wrong([...of(app, 0, 1, 2, 3, 4), ...of(recovery, 5, 6, 7, 8), ...of('device_user_code', 9)])
    expect(nth(ten, -1).locksOutUntil).to.equal(at(3609))
    expect(ten.taken.slice(0, -1).every(({ locksOutUntil }) => locksOutUntil === null)).to.equal(true)
    for (const kind of [app, recovery, 'device_user_code'] as const)
      expect(wrong(of(kind, 3608), ten.state).refused).to.deep.equal([at(3609)])
    const eleventh = wrong(of(app, 3609), ten.state)
    expect(nth(eleventh, -1).locksOutUntil, 'one more brings it back').to.equal(at(7209))
    const dayLater = wrong(of(app, DAY + 9), ten.state)
    expect(nth(dayLater, -1).locksOutUntil).to.equal(null)
  })
  it('SGN-02 a right code of one’s own makes its kind new', () => {
    const four = wrong([...of(recovery, 0, 1), ...of(app, 2, 3, 4, 5)])
    const fifth = wrong(of(app, 6), four.state)
    const after = forgetKind(fifth.state, nth(fifth, -1))
    expect(after).to.deep.equal(wrong(of(recovery, 0, 1)).state)
  })
  it('SGN-02 a right code as the tenth undoes the lockout that it would have been, and no other', () => {
    const nine = wrong([...of(app, 0, 1, 2, 3), ...of(recovery, 5, 6, 7, 8), ...of('device_user_code', 9)])
    const tenth = wrong(of(app, 10), nine.state)
    expect(tenth.state.lockedUntil).to.equal(at(3610))
    expect(forgetKind(tenth.state, nth(tenth, -1)).lockedUntil).to.equal(null)
    expect(takeBack(tenth.state, nth(tenth, -1), limits(11))).to.deep.equal(nine.state)
    expect(forgetKind(tenth.state, nth(nine, 0)).lockedUntil).to.equal(at(3610))
    expect(takeBack(tenth.state, nth(nine, 0), limits(11)).lockedUntil).to.equal(at(3610))
  })
  it('OIDC-09 a right code of another sort takes back its own try alone', () => {
    const device: CodeKind = 'device_user_code'
    const five = wrong(of(device, 0, 1, 2, 3, 4))
    const after = takeBack(five.state, nth(five, 2), limits(5))
    expect(after.tries.map(({ at: time }) => time)).to.deep.equal([at(0), at(1), at(3), at(4)])
    expect(after.locks, 'four wrong ones lock nothing').to.deep.equal({})
    expect(wrong(of(device, 6, 7), after).refused).to.deep.equal([null, at(906)])
  })
  it('SGN-02 another limit is kept to as well', () => {
    const strict = (second: number) => ({ ...limits(second), maxAttempts: 1, lockUntil: at(second + 60) })
    const first = takeTry(noTries, app, strict(0))
    expect(takeTry(first.after ?? noTries, app, strict(59))).to.deep.equal({
      refusedUntil: at(60),
      after: null,
    })
    expect(takeTry(first.after ?? noTries, app, strict(60)).after?.locks).to.deep.equal({ [app]: at(120) })
  })
  it('SGN-02 whatever is tried when, no quarter of an hour sees more than five of a kind, nor is much remembered', () => {
    const moments = fc.array(
      fc.tuple(
        fc.integer({ min: 0, max: 1200 }),
        fc.constantFrom(app, recovery, 'device_user_code' as const),
      ),
      { maxLength: 120, size: 'max' },
    )
    fc.assert(
      fc.property(moments, (steps) => {
        let second = 0
        const { taken, state } = wrong(steps.map(([pause, kind]) => [(second += pause), kind] as const))
        for (const { kind, at: time } of taken) {
          const since = taken.filter(
            (one) =>
              one.kind === kind &&
              one.at <= time &&
              one.at > at((Date.parse(time) - Date.parse(at(0))) / 1000 - 900),
          )
          expect(since.length).to.be.at.most(5)
        }
        taken.forEach(({ at: time, locksOutUntil }, n) => {
          const day = taken
            .slice(0, n + 1)
            .filter((one) => Date.parse(one.at) > Date.parse(time) - DAY * 1000)
          expect(locksOutUntil !== null).to.equal(day.length >= MAX_WRONG_A_DAY)
        })
        expect(state.tries.length).to.be.at.most(MAX_WRONG_A_DAY + 24)
      }),
      { numRuns: 200 },
    )
  })
})
