import { expect } from 'chai'
import fc from 'fast-check'
import {
  forgetKind,
  MAX_WRONG_A_DAY,
  MAX_WRONG_A_DAY_FROM_ONE,
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
  maxADay: MAX_WRONG_A_DAY,
  maxADayFromOne: MAX_WRONG_A_DAY_FROM_ONE,
})
const app: CodeKind = 'authenticator_code'
const recovery: CodeKind = 'recovery_code'

interface Outcomes {
  readonly state: CodeTries
  readonly taken: readonly TakenTry[]
  /** The end of the rejection for each attempt; null for accepted ones. */
  readonly refused: readonly (string | null)[]
}

/** Enters wrong codes at these seconds. */
const wrong = (
  tries: readonly (readonly [number, CodeKind, string?])[],
  before: CodeTries = noTries,
): Outcomes =>
  tries.reduce<Outcomes>(
    (outcomes, [second, kind, from = '']) => {
      const outcome = takeTry(outcomes.state, { kind, from }, limits(second))
      return outcome.after === null
        ? { ...outcomes, refused: [...outcomes.refused, outcome.refusedUntil] }
        : {
            state: outcome.after,
            taken: [...outcomes.taken, outcome.taken],
            refused: [...outcomes.refused, null],
          }
    },
    { state: before, taken: [], refused: [] },
  )
const of = (kind: CodeKind, ...seconds: readonly number[]) => seconds.map((second) => [second, kind] as const)
const nth = ({ taken }: Outcomes, n: number) => taken.at(n) ?? expect.fail('no such try')

describe('Wrong codes', () => {
  it('SGN-02 five in a quarter of an hour lock their kind for as long', () => {
    const { state, refused } = wrong(of(app, 0, 1, 2, 3, 899, 900))
    expect(refused).to.deep.equal([null, null, null, null, null, at(1799)])
    expect(wrong(of(app, 1798), state).refused).to.deep.equal([at(1799)])
    expect(wrong(of(app, 1799), state).refused).to.deep.equal([null])
    expect(wrong(of(recovery, 900), state).refused, 'another kind').to.deep.equal([null])
  })
  it('SGN-02 the quarter of an hour is a sliding window, which never contains five', () => {
    expect(wrong(of(app, 0, 897, 898, 899, 900, 901, 902)).refused.slice(5)).to.deep.equal([null, at(1801)])
    expect(wrong(of(app, 0, 300, 600, 900, 1200, 1500, 1800)).refused.every((one) => one === null)).to.equal(
      true,
    )
  })
  it('SGN-02 ten in 24 hours, of any kind, lock all kinds until there are fewer', () => {
    const ten = wrong([...of(app, 0, 1, 2, 3, 4), ...of(recovery, 5, 6, 7, 8), ...of('device_user_code', 9)])
    expect(nth(ten, -1).locksOutUntil).to.equal(at(DAY))
    expect(ten.taken.slice(0, -1).every(({ locksOutUntil }) => locksOutUntil === null)).to.equal(true)
    for (const kind of [app, recovery, 'device_user_code'] as const)
      expect(wrong(of(kind, DAY - 1), ten.state).refused).to.deep.equal([at(DAY)])
    const eleventh = wrong(of(app, DAY), ten.state)
    expect(nth(eleventh, -1).locksOutUntil, 'one more, and the next must expire').to.equal(at(DAY + 1))
    const later = wrong(of(app, DAY + 9), ten.state)
    expect(nth(later, -1).locksOutUntil).to.equal(null)
  })
  describe('in a row that unknown devices share', () => {
    const from = (network: string, kind: CodeKind, ...seconds: readonly number[]) =>
      seconds.map((second) => [second, kind, network] as const)
    it('SGN-02 five from one network block codes of that kind for this network only', () => {
      const five = wrong(from('a', app, 0, 1, 2, 3, 4))
      expect(wrong(from('a', app, 5), five.state).refused).to.deep.equal([at(904)])
      expect(wrong(from('a', recovery, 5), five.state).refused).to.deep.equal([null])
      expect(wrong(from('b', app, 5), five.state).refused).to.deep.equal([null])
    })
    it('SGN-02 one network has eight attempts a day, so it does not lock out the others', () => {
      const eight = wrong([...from('a', app, 0, 1, 2, 3, 4), ...from('a', recovery, 5, 6, 7)])
      expect(eight.refused.every((one) => one === null)).to.equal(true)
      expect(eight.state.lockedUntil).to.equal(null)
      expect(wrong(from('a', recovery, 8), eight.state).refused).to.deep.equal([at(DAY)])
      const others = wrong([...from('b', app, 8), ...from('c', app, 9)], eight.state)
      expect(others.refused).to.deep.equal([null, null])
      expect(nth(others, -1).locksOutUntil).to.equal(at(DAY))
      expect(wrong(from('d', app, 10), others.state).refused).to.deep.equal([at(DAY)])
    })
    it('SGN-02 a correct code resets its kind for its own network', () => {
      const both = wrong([...from('a', app, 0, 1, 2, 3), ...from('b', app, 4, 5, 6)])
      const right = wrong(from('b', app, 7), both.state)
      const after = forgetKind(right.state, nth(right, -1), at(8))
      expect(after).to.deep.equal(wrong(from('a', app, 0, 1, 2, 3)).state)
    })
    it('SGN-02 a configured lower daily limit rejects without a lockout', () => {
      const three = wrong([...from('a', app, 0), ...from('b', app, 1), ...from('c', app, 2)])
      const outcome = takeTry(three.state, { kind: app, from: 'd' }, { ...limits(3), maxADay: 3 })
      expect(outcome).to.deep.equal({ refusedUntil: at(DAY), after: null })
      expect(three.state.lockedUntil).to.equal(null)
    })
  })
  it('SGN-02 a correct code of a signed-in user resets its kind', () => {
    const four = wrong([...of(recovery, 0, 1), ...of(app, 2, 3, 4, 5)])
    const fifth = wrong(of(app, 6), four.state)
    const after = forgetKind(fifth.state, nth(fifth, -1), at(7))
    expect(after).to.deep.equal(wrong(of(recovery, 0, 1)).state)
  })
  it('SGN-02 a correct code as the tenth attempt prevents the lockout', () => {
    const nine = wrong([...of(app, 0, 1, 2, 3), ...of(recovery, 5, 6, 7, 8), ...of('device_user_code', 9)])
    const tenth = wrong(of(app, 10), nine.state)
    expect(tenth.state.lockedUntil).to.equal(at(DAY))
    expect(forgetKind(tenth.state, nth(tenth, -1), at(11)).lockedUntil).to.equal(null)
    expect(takeBack(tenth.state, nth(tenth, -1), limits(11))).to.deep.equal(nine.state)
  })
  it('OIDC-09 a correct code of another kind removes only its own attempt from the count', () => {
    const device: CodeKind = 'device_user_code'
    const five = wrong(of(device, 0, 1, 2, 3, 4))
    const after = takeBack(five.state, nth(five, 2), limits(5))
    expect(after.tries.map(({ at: time }) => time)).to.deep.equal([at(0), at(1), at(3), at(4)])
    expect(after.locks, 'four wrong codes lock nothing').to.deep.equal({})
    expect(wrong(of(device, 6, 7), after).refused).to.deep.equal([null, at(906)])
  })
  it('SGN-02 another limit is enforced as well', () => {
    const strict = (second: number) => ({ ...limits(second), maxAttempts: 1, lockUntil: at(second + 60) })
    const first = takeTry(noTries, { kind: app, from: '' }, strict(0))
    expect(takeTry(first.after ?? noTries, { kind: app, from: '' }, strict(59))).to.deep.equal({
      refusedUntil: at(60),
      after: null,
    })
    expect(takeTry(first.after ?? noTries, { kind: app, from: '' }, strict(60)).after?.locks).to.deep.equal({
      [app]: at(120),
    })
  })
  it('SGN-02 no order of attempts gets more than five of a kind in a quarter of an hour, and stores little', () => {
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
        for (const { at: time } of taken) {
          const day = taken.filter(
            (one) => one.at <= time && Date.parse(one.at) > Date.parse(time) - DAY * 1000,
          )
          expect(day.length, 'a day').to.be.at.most(MAX_WRONG_A_DAY)
        }
        expect(state.tries.length).to.be.at.most(MAX_WRONG_A_DAY)
      }),
      { numRuns: 200 },
    )
  })
})
