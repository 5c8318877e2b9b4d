import { expect } from 'chai'
import { createDraw, meanInterval } from '../../../infra/statistics/bootstrap.ts'
import { medianOf, momentsOf, topShareOf, trimmedMeanOf } from '../../../infra/statistics/moments.ts'
import { normalCdf, normalQuantile } from '../../../projections/desk/statistics/normal.ts'
import { comparisonOf, type DeskTrade, equityIndexOf, summaryOf } from '../../../projections/desk/statistics/record.ts'
import { deflatedSharpe, luckySharpe, probabilisticSharpe } from '../../../projections/desk/statistics/sharpe.ts'

const trade = (fields: Partial<DeskTrade> = {}): DeskTrade => ({
  ...{ token: '0xa1', lane: 'burst', openedAtMs: 0, closedAtMs: 1, ret: 0, twins: [] },
  ...fields,
})

describe('the normal distribution', () => {
  // Values of a table, for example Abramowitz and Stegun 26.2.
  for (const [x, share] of [
    [0, 0.5],
    [1, 0.841344746068543],
    [-1.959963984540054, 0.025],
    [2.575829303548901, 0.995],
    [3.5, 0.999767370920964],
    [3.6, 0.999840891409842],
    [-6, 9.865876450377e-10],
  ] as const)
    it(`has ${share} below ${x}`, () => {
      expect(normalCdf(x)).to.be.closeTo(share, 1e-12)
      if (share > 1e-6) expect(normalQuantile(share)).to.be.closeTo(x, 1e-9)
    })
})

describe('what a list of returns is like', () => {
  it('has a median', () => {
    expect(medianOf([3, 1, 2])).to.equal(2)
    expect(medianOf([4, 1, 2, 3])).to.equal(2.5)
  })

  it('has a mean without its ends', () => {
    const values = [100, ...Array.from({ length: 18 }, () => 1), -100]
    expect(trimmedMeanOf(values, 0.05)).to.equal(1)
    expect(trimmedMeanOf([1, 2, 6], 0.05)).to.equal(3)
  })

  it('has a share of its gains in the best trades', () => {
    expect(topShareOf([-5, 0], 0.01)).to.equal(null)
    expect(topShareOf([3, 1, -9], 0.01)).to.equal(0.75)
    expect(topShareOf([...Array.from({ length: 198 }, () => 1), 100, 102], 0.01)).to.equal(202 / 400)
  })

  it('has the moments of a fair coin and of a loaded one', () => {
    expect(momentsOf([1, -1, 1, -1])).to.deep.equal({ n: 4, mean: 0, deviation: 1, skew: 0, kurtosis: 1 })
    // Bernoulli with p = 1/4: skew (1 - 2p)/sqrt(pq), kurtosis 3 + (1 - 6pq)/pq.
    const loaded = momentsOf([1, 0, 0, 0])
    expect(loaded?.skew).to.be.closeTo(0.5 / Math.sqrt(3 / 16), 1e-12)
    expect(loaded?.kurtosis).to.be.closeTo(3 + (1 - 18 / 16) / (3 / 16), 1e-12)
    expect(momentsOf([1])).to.equal(null)
    expect(momentsOf([2, 2])).to.equal(null)
  })
})

describe('the probabilistic and the deflated Sharpe ratio', () => {
  const normal = { n: 101, mean: 0.1, deviation: 1, skew: 0, kurtosis: 3 }

  it('is that of the closed form', () => {
    expect(probabilisticSharpe(normal, 0)).to.be.closeTo(normalCdf((0.1 * 10) / Math.sqrt(1 + 0.5 * 0.01)), 1e-15)
    expect(probabilisticSharpe(normal, 0.1)).to.equal(0.5)
    expect(probabilisticSharpe({ ...normal, skew: -3, kurtosis: 10 }, 0)).to.be.below(probabilisticSharpe(normal, 0))
  })

  it('is of the example in the paper of 2014: 100 trials, 0.9004', () => {
    // The example has 1250 days, an annual ratio of 2.5, an annual variance of 1/2, skew -3 and kurtosis 10.
    const perDay = 1 / Math.sqrt(250)
    const moments = { n: 1250, mean: 2.5 * perDay, deviation: 1, skew: -3, kurtosis: 10 }
    const lucky = luckySharpe(100, Math.sqrt(0.5) * perDay)
    expect(lucky).to.be.closeTo(0.1132, 5e-5)
    expect(probabilisticSharpe(moments, lucky)).to.be.closeTo(0.9004, 5e-4)
  })

  it('is against no luck with one trial, and not known without the spread of the trials', () => {
    expect(luckySharpe(1, 5)).to.equal(0)
    expect(deflatedSharpe(normal, { count: 10, ratios: [0.1] })).to.equal(null)
    const deflated = deflatedSharpe(normal, { count: 10, ratios: [0.1, -0.1] }) ?? 1
    expect(deflated).to.equal(probabilisticSharpe(normal, luckySharpe(10, 0.1 * Math.SQRT2)))
    expect(deflated).to.be.below(probabilisticSharpe(normal, 0))
  })
})

describe('the interval of a mean', () => {
  const options = { seed: 7, draws: 1000, level: 0.9 }

  it('is the same for the same seed, and of one value where all are equal', () => {
    const clusters = Array.from({ length: 40 }, (_, index) => ({ sum: Math.sqrt(index), n: 1 }))
    expect(meanInterval(clusters, options)).to.deep.equal(meanInterval(clusters, options))
    expect(meanInterval(clusters, { ...options, seed: 8 })).not.to.deep.equal(meanInterval(clusters, options))
    expect(
      meanInterval(
        [
          { sum: 4, n: 2 },
          { sum: 2, n: 1 },
        ],
        options,
      ),
    ).to.deep.equal([2, 2])
    expect(meanInterval([{ sum: 4, n: 2 }], options)).to.equal(null)
  })

  it('covers the true mean about as often as it says', () => {
    const draw = createDraw(1)
    let covered = 0
    for (let seed = 0; seed < 300; seed++) {
      const clusters = Array.from({ length: 60 }, () => ({ sum: draw() - 0.5, n: 1 }))
      const [low, high] = meanInterval(clusters, { seed, draws: 300, level: 0.9 }) ?? [1, -1]
      if (low <= 0 && high >= 0) covered++
    }
    expect(covered / 300).to.be.within(0.83, 0.95)
  })
})

describe('a record beside its twins', () => {
  it('sums up trades', () => {
    const trades = [0.5, -0.25, 0.125, 0].map((ret) => trade({ ret }))
    expect(summaryOf(trades)).to.deep.equal({
      ...{ n: 4, wins: 2, mean: 0.09375, median: 0.0625, trimmedMean: 0.09375, topShare: 0.8 },
    })
    expect(summaryOf([])).to.deep.equal({ n: 0, wins: 0, mean: null, median: null, trimmedMean: null, topShare: null })
  })

  it('counts trades that have twins, each against the mean of its own, and desks of twins one by one', () => {
    const trades = [
      trade({ ret: 0.5, twins: [0.25, 0.75] }),
      trade({ ret: 0.25, token: '0xa2', twins: [-0.25] }),
      trade({ ret: 9, token: '0xa3' }),
    ]
    const { edgeLow, edgeHigh, ...compared } = comparisonOf(trades, 1)
    // A twin is a simulated trade for comparison. Each desk of twins takes one twin per trade, in turn. The
    // twins (0.25, -0.25) have mean 0, and (0.75, -0.25) have mean 0.25. The desk itself has mean 0.375.
    expect(compared).to.deep.equal({ n: 2, mean: 0.125, edge: 0.25, p: 1 / 21 })
    expect([edgeLow, edgeHigh]).to.deep.equal([0, 0.5])
    expect(comparisonOf([trade()], 1)).to.deep.equal({
      ...{ n: 0, mean: null, edge: null, edgeLow: null, edgeHigh: null, p: null },
    })
  })

  it('counts a desk of twins that is as good as the desk as a better one', () => {
    // A twin is a simulated trade for comparison. The 20 desks of twins take the three twins in turn. Seven
    // desks are better (0.5), seven are equal (0.25) and six are worse (0).
    expect(comparisonOf([trade({ ret: 0.25, twins: [0.5, 0.25, 0] })], 1).p).to.equal((1 + 14) / 21)
    expect(comparisonOf([trade({ ret: 0.25, twins: [0.25] })], 1).p).to.equal(1)
  })

  it('finds no edge where the desk itself is random', () => {
    const draw = createDraw(99)
    const heavy = () => Math.exp(2.5 * (draw() + draw() + draw() - 1.5)) - 1.3
    let covered = 0
    let unlikely = 0
    const rounds = 200
    for (let round = 0; round < rounds; round++) {
      const trades = Array.from({ length: 60 }, (_, index) =>
        trade({ token: `0x${index}`, ret: heavy(), twins: Array.from({ length: 20 }, heavy) }),
      )
      const { edgeLow, edgeHigh, p } = comparisonOf(trades, round)
      if ((edgeLow ?? 1) <= 0 && (edgeHigh ?? -1) >= 0) covered++
      if ((p ?? 0) <= 2 / 21) unlikely++
    }
    expect(covered / rounds).to.be.within(0.82, 0.96)
    expect(unlikely / rounds).to.be.within(0.03, 0.17)
  })

  it('finds one where it is not', () => {
    const draw = createDraw(5)
    const trades = Array.from({ length: 80 }, (_, index) =>
      trade({ token: `0x${index}`, ret: draw(), twins: Array.from({ length: 20 }, () => draw() - 0.4) }),
    )
    const { edge, edgeLow, p } = comparisonOf(trades, 1)
    expect(edge).to.be.closeTo(0.4, 0.1)
    expect(edgeLow).to.be.greaterThan(0.2)
    expect(p).to.equal(1 / 21)
  })

  it('has an index that begins at 100, in the order of the closings, of at most 400 points, the last among them', () => {
    expect(equityIndexOf([trade({ closedAtMs: 9, ret: -0.5 }), trade({ closedAtMs: 4, ret: 1 })])).to.deep.equal([
      [4, 101],
      [9, 100.5],
    ])
    expect(equityIndexOf([])).to.deep.equal([])
    const indexOf = (length: number) =>
      equityIndexOf(Array.from({ length }, (_, at) => trade({ closedAtMs: at, ret: 1 })))
    expect(indexOf(400)).to.have.length(400)
    const long = indexOf(401)
    expect(long).to.have.length(201)
    expect(long.at(-1)).to.deep.equal([400, 501])
    expect([indexOf(800).length, indexOf(801).length]).to.deep.equal([400, 267])
  })
})
