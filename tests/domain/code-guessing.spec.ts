import { expect } from 'chai'
import { guessingThreshold, isGuessing, networkBudget } from '../../domain/risk/code-guessing.ts'

describe('Code guessing across users', () => {
  it('SGN-07 is detected at a hundred wrong codes, and at more if there are more users to mistype', () => {
    expect([0, 10, 50_000, 50_001, 1_000_000].map(guessingThreshold)).to.deep.equal([
      100, 100, 100, 101, 2000,
    ])
  })

  const cases: readonly (readonly [string, number, number, number, boolean, boolean])[] = [
    ['enough, for many', 100, 20, 10, false, true],
    ['one too few', 99, 99, 10, false, false],
    ['for too few addresses', 500, 19, 10, false, false],
    ['too few for so many users', 150, 90, 100_000, false, false],
    ['fewer than at the beginning, but at least half', 50, 1, 10, true, true],
    ['fewer than half', 49, 49, 10, true, false],
  ]
  for (const [title, wrongCodes, addresses, people, before, expected] of cases)
    it(`SGN-07 ${expected ? 'is' : 'is not'} detected in wrong codes: ${title}`, () => {
      expect(isGuessing({ wrongCodes, addresses }, people, before)).to.equal(expected)
    })

  it('SGN-07 allows a network fewer attempts while it lasts, but always some', () => {
    expect(networkBudget(true)).to.be.within(1, networkBudget(false) - 1)
  })
})
