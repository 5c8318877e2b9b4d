import { expect } from 'chai'
import fc from 'fast-check'
import { binBounds, endsOf } from '../../../api/front/ends.ts'

const burst = (ret: number | null, isPulled = false) => ({ ret, isPulled })

describe('how bursts ended', () => {
  it('is unknown without a scored burst', () => {
    expect(endsOf([burst(null), burst(null, true)])).to.deep.equal({
      ...{ n: 0, unscored: 2, pulled: 1, median: null, lost: null },
      bins: binBounds.map(() => 0),
    })
  })

  it('counts each return in the bin that it is in, the lower bound included', () => {
    const returns = [-1, -0.81, -0.8, -0.5, -0.2, -0.01, 0, 0.19, 0.2, 0.5, 1, 9]
    expect(endsOf(returns.map((ret) => burst(ret))).bins).to.deep.equal([2, 1, 1, 2, 2, 1, 1, 2])
  })

  it('has the share of losses with the interval of Wilson', () => {
    // The interval of 30 of 100 at 90 %, computed apart: 0.2307 to 0.3798.
    const returns = Array.from({ length: 100 }, (_, index) => burst(index < 30 ? -0.1 : 0.1))
    const { lost } = endsOf(returns)
    expect(lost?.share).to.equal(0.3)
    expect(lost?.interval[0]).to.be.closeTo(0.2307, 0.0001)
    expect(lost?.interval[1]).to.be.closeTo(0.3798, 0.0001)
  })

  it('has the median between the ranks that enclose it with 90 %', () => {
    // Of 100 returns, 50 ± 8.2 ranks: the 42nd and the 60th, counted from 0 the 41st and the 59th.
    const returns = Array.from({ length: 100 }, (_, index) => burst(index / 100))
    expect(endsOf(returns).median).to.deep.equal({ value: 0.495, interval: [0.41, 0.59] })
  })

  it('has intervals around its values, within the returns, and no loss or burst that is not counted', () => {
    const ret = fc.option(fc.double({ min: -1, max: 20, noNaN: true }), { nil: null })
    fc.assert(
      fc.property(fc.array(fc.record({ ret, isPulled: fc.boolean() }), { maxLength: 60 }), (bursts) => {
        const { n, unscored, bins, median, lost } = endsOf(bursts)
        expect(n + unscored).to.equal(bursts.length)
        expect(bins.reduce((sum, count) => sum + count, 0)).to.equal(n)
        expect(median === null, 'no median').to.equal(n === 0)
        expect(lost === null, 'no share').to.equal(n === 0)
        if (median === null || lost === null) return
        expect(median.value).to.be.within(...(median.interval as [number, number]))
        expect(lost.share).to.be.within(lost.interval[0] - 1e-12, lost.interval[1] + 1e-12)
        expect(lost.share * n).to.be.closeTo(
          bins.slice(0, 4).reduce((sum, count) => sum + count, 0),
          1e-9,
        )
      }),
    )
  })
})
