import { expect } from 'chai'
import { axisOf, labelEvery } from '../../../adapters/inbound/web/browser/console/kit/chart-scale.ts'

describe('the axes of a chart', () => {
  it('show few round values, from 0 to at least the maximum', () => {
    expect(axisOf(0)).to.deep.equal([0, 1])
    expect(axisOf(1)).to.deep.equal([0, 1])
    expect(axisOf(3)).to.deep.equal([0, 1, 2, 3])
    expect(axisOf(37)).to.deep.equal([0, 10, 20, 30, 40])
    expect(axisOf(41_000)).to.deep.equal([0, 20_000, 40_000, 60_000])
    for (let maximum = 1; maximum < 100_000; maximum = Math.ceil(maximum * 1.37)) {
      const axis = axisOf(maximum)
      expect(axis.at(-1), String(maximum)).to.be.at.least(maximum)
      expect(axis.length, String(maximum)).to.be.within(2, 5)
    }
  })

  it('leave out labels that would overlap', () => {
    expect(labelEvery(24, 2400, 80)).to.equal(1)
    expect(labelEvery(24, 800, 80)).to.equal(3)
    expect(labelEvery(30, 250, 80)).to.equal(10)
    expect(labelEvery(0, 0, 80)).to.equal(1)
  })
})
