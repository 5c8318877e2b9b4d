import { expect } from 'chai'
import {
  deepestAt,
  deepestNow,
  firstPriceAfter,
  hasPast,
  holdingOf,
  holds,
  isFollowed,
  type Markets,
  openLine,
  priceAt,
  pricesIn,
  pruneMarkets,
  pulledIn,
} from '../../../processors/markets/markets.ts'
import { followedUntilMs } from '../../../schemas/calls/following.ts'
import { callRules } from '../../../schemas/calls/rules.ts'
import { second } from '../../support/builders/build-facts.ts'
import { buildMarket, buildMarkets, closeAt, onePool, otherPool } from '../../support/builders/build-markets.ts'

const within = (fromSec: number, toSec: number) => ({ fromMs: second(fromSec), toMs: second(toSec) })

const { rugLeftRatioMax: leftMax } = callRules

describe('the market that prices a token at an instant', () => {
  //  second   0      10            20             30
  //  one      px     depth 5       depth 1
  //  other           px, depth 2                  closed
  const markets = closeAt(
    buildMarkets([
      { atSec: 0, px: 1 },
      { atSec: 10, px: 2, depth: 2, market: otherPool },
      { atSec: 10, depth: 5 },
      { atSec: 20, depth: 1 },
    ]),
    30,
    { market: otherPool },
  )
  for (const [atSec, market] of [
    [-1, undefined],
    [0, onePool],
    [9, onePool],
    [10, onePool],
    [19, onePool],
    [20, otherPool],
    [29, otherPool],
    [30, onePool],
  ] as const)
    it(`is ${market ?? 'none'} in second ${atSec}`, () =>
      expect(deepestAt(markets, second(atSec))?.market).to.equal(market))

  it('is the first by address among equals', () => {
    const equal = buildMarkets([
      { atSec: 0, px: 1, depth: 3, market: otherPool },
      { atSec: 0, px: 1, depth: 3 },
    ])
    expect([deepestAt(equal, second(0)), deepestNow(equal)].map((line) => line?.market)).to.deep.equal([
      onePool,
      onePool,
    ])
  })

  it('is none that is emptied, and one that is refilled', () => {
    const emptied = buildMarkets([
      { atSec: 0, px: 1, depth: 9 },
      { atSec: 0, px: 2, depth: 1, market: otherPool },
      { atSec: 10, left: 0 },
    ])
    const marketsAt = (...secs: readonly number[]) => secs.map((sec) => deepestAt(emptied, second(sec))?.market)
    expect(marketsAt(9, 10)).to.deep.equal([onePool, otherPool])
    expect(deepestNow(emptied)?.market).to.equal(otherPool)
    const refilled = buildMarkets([
      { atSec: 0, px: 1 },
      { atSec: 10, left: 0 },
      { atSec: 20, left: 1 },
    ])
    expect([9, 10, 19, 20].map((sec) => deepestAt(refilled, second(sec))?.market)).to.deep.equal([
      ...[onePool, undefined, undefined, onePool],
    ])
  })

  it('is only one of those that are asked', () =>
    expect(deepestAt(markets, second(15), ({ market }) => market === otherPool)?.market).to.equal(otherPool))
})

describe('the prices of a market', () => {
  //  second   0    5    10           12    20
  //  one      1    2    closed
  //  other         7                 8     9
  const samples = [
    { atSec: 0, px: 1 },
    { atSec: 5, px: 2 },
    { atSec: 5, px: 7, market: otherPool },
    { atSec: 12, px: 8, market: otherPool },
    { atSec: 20, px: 9, market: otherPool },
  ]

  it('go on in the market that took its place', () => {
    const markets = closeAt(buildMarkets(samples), 10, { next: otherPool })
    const pxsIn = (fromSec: number, toSec: number) =>
      pricesIn(markets, onePool, within(fromSec, toSec)).map(({ px }) => px)
    expect([4, 9, 10, 12, 25].map((atSec) => priceAt(markets, onePool, second(atSec)))).to.deep.equal([1, 2, 7, 8, 9])
    expect(pxsIn(0, 20)).to.deep.equal([2, 7, 8, 9])
    expect(pxsIn(0, 9)).to.deep.equal([2])
    expect(pxsIn(0, 10)).to.deep.equal([2, 7])
    expect(pxsIn(10, 20)).to.deep.equal([8, 9])
    expect(pxsIn(5, 5)).to.deep.equal([])
    expect(pricesIn(markets, onePool, within(0, 20)).map(({ atMs }) => atMs)).to.deep.equal([5, 10, 12, 20].map(second))
  })

  it('end where nothing took its place', () => {
    const markets = closeAt(buildMarkets(samples), 10)
    expect([9, 10].map((atSec) => priceAt(markets, onePool, second(atSec)))).to.deep.equal([2, null])
    expect(priceAt(markets, '0xcc', second(9))).to.equal(null)
  })

  it('are searched for the first one after an instant, on any market that fits', () => {
    const markets = buildMarkets(samples)
    const firstAfter = (fromSec: number, toSec: number, fits = () => true) =>
      firstPriceAfter(markets, { afterMs: second(fromSec), untilMs: second(toSec), fits })
    expect(firstAfter(-5, 20)).to.equal(second(0))
    expect(firstAfter(0, 20)).to.equal(second(5))
    expect(firstAfter(5, 12)).to.equal(second(12))
    expect(firstAfter(5, 11)).to.equal(null)
    expect(firstAfter(20, 99)).to.equal(null)
    expect(firstAfter(-5, 20, () => false)).to.equal(null)
    const fits = ({ market }: Markets['lines'][number]) => market === otherPool
    expect(firstPriceAfter(markets, { afterMs: second(-5), untilMs: second(20), fits })).to.equal(second(5))
  })

  it('are forgotten 75 minutes later, all but the one that stands', () => {
    const markets = closeAt(buildMarkets(samples), 10, { next: otherPool })
    expect(pruneMarkets(markets, second(10 + 4499))).to.equal(true)
    expect(priceAt(markets, onePool, second(9))).to.equal(2)
    expect(pruneMarkets(markets, second(10 + 4500))).to.equal(true)
    expect(markets.lines.map(({ market }) => market)).to.deep.equal([otherPool])
    expect(pruneMarkets(markets, second(20 + 4500))).to.equal(false)
    expect(markets.lines[0]?.prices).to.deep.equal({ atMs: [second(20)], value: [9] })
  })

  it('are forgotten with the age of the token once no market is left', () => {
    const markets = closeAt(buildMarkets([{ atSec: 0, px: 1 }]), 10)
    expect(markets.bornAtMs).to.equal(second(0))
    expect(pruneMarkets(markets, second(10 + 4500))).to.equal(false)
    expect(markets).to.deep.equal({ lines: [], bornAtMs: null, newestAtMs: 0, followings: [] })
  })

  it('will be forgotten from the second one on, or once the market is closed', () => {
    const [one, two] = [
      [{ atSec: 0, px: 1 }],
      [
        { atSec: 0, px: 1 },
        { atSec: 5, px: 2 },
      ],
    ]
    expect(
      [buildMarkets([]), buildMarkets(one), buildMarkets(two), closeAt(buildMarkets(one), 10)].map(hasPast),
    ).to.deep.equal([...[false, false, true, true]])
  })

  it('are held for 75 minutes before the newest, and before the instant of the last pruning', () => {
    const markets = buildMarkets(samples)
    expect([20 - 4500, 20 - 4501].map((atSec) => holds(markets, second(atSec)))).to.deep.equal([true, false])
    pruneMarkets(markets, second(100))
    expect([100 - 4500, 100 - 4501].map((atSec) => holds(markets, second(atSec)))).to.deep.equal([true, false])
  })
})

describe('a pull', () => {
  const lefts = (...entries: readonly (readonly [atSec: number, left: number])[]) =>
    buildMarkets([{ atSec: 0, px: 1 }, ...entries.map(([atSec, left]) => ({ atSec, left }))])
  const pulledSec = (markets: Markets, fromSec: number, toSec: number) => {
    const atMs = pulledIn(markets, onePool, { ...within(fromSec, toSec), leftMax })
    return atMs === null ? null : (atMs - second(0)) / 1000
  }

  //                          lefts                        anchor  until  pulled at
  const cases = [
    ['a fifth is left', lefts([10, 0.2]), 5, 99, 10],
    ['a little more than a fifth is left', lefts([10, 0.2001]), 5, 99, null],
    ['it was at the second of the anchor', lefts([5, 0.1]), 5, 99, null],
    ['it is in the last second', lefts([99, 0.1]), 5, 99, 99],
    ['it is a second later', lefts([100, 0.1]), 5, 99, null],
    ['it is within a second', lefts([9.1, 0.1]), 5, 99, 9.1],
    ['half was gone at the anchor, and a fifth of the whole is left', lefts([5, 0.5], [10, 0.2]), 5, 99, null],
    ['half was gone at the anchor, and a tenth of the whole is left', lefts([5, 0.5], [10, 0.1]), 5, 99, 10],
    ['it is added to again in the same second', lefts([9.1, 0.1], [9.9, 0.9]), 5, 99, 9.1],
    ['nothing was left at the anchor', lefts([5, 0], [10, 0]), 5, 99, 10],
    ['it is refilled before the anchor', lefts([5, 0], [6, 1]), 6, 99, null],
  ] as const
  for (const [name, markets, fromSec, toSec, expected] of cases)
    it(`${expected === null ? 'is not there' : `is at ${expected} s`} if ${name}`, () =>
      expect(pulledSec(markets, fromSec, toSec)).to.equal(expected))

  it('is judged where the market went on, by what was left of that one then', () => {
    const goesOn = (...after: readonly Readonly<{ atSec: number; left: number }>[]) =>
      closeAt(
        buildMarkets([
          { atSec: 0, px: 1 },
          ...[{ atSec: 8, px: 1 }, ...after].map((one) => ({ ...one, market: otherPool })),
        ]),
        10,
        { next: otherPool },
      )
    expect(pulledSec(goesOn({ atSec: 20, left: 0.2 }), 5, 99)).to.equal(20)
    expect(pulledSec(goesOn({ atSec: 9, left: 0.5 }, { atSec: 20, left: 0.2 }), 5, 99)).to.equal(null)
    expect(pulledSec(goesOn({ atSec: 9, left: 0.5 }, { atSec: 20, left: 0.1 }), 5, 99)).to.equal(20)
    expect(pulledSec(goesOn({ atSec: 9, left: 0.1 }), 5, 99), 'before it took the place').to.equal(null)
  })

  it('is searched for to the end, where no end is named', () => {
    const everIn = (markets: Markets) =>
      pulledIn(markets, onePool, { fromMs: second(5), toMs: Number.POSITIVE_INFINITY, leftMax })
    expect([everIn(lefts([10, 0.5])), everIn(lefts([10, 0.1]))]).to.deep.equal([null, second(10)])
  })

  it('is of nothing that is not known', () =>
    expect(pulledIn(buildMarkets([]), onePool, { ...within(0, 9), leftMax })).to.equal(null))
})

describe('what is held of a market', () => {
  it('is what was left at the anchor, and goes on where the market did', () => {
    const markets = closeAt(
      buildMarkets([
        { atSec: 0, px: 1 },
        { atSec: 4, left: 0.5 },
        { atSec: 6, left: 0.25 },
        { atSec: 8, px: 1, left: 0.125, market: otherPool },
      ]),
      10,
      { next: otherPool },
    )
    expect(holdingOf(markets, otherPool, second(9))).to.deep.equal({ market: otherPool, left: 0.125 })
    expect(holdingOf(markets, onePool, second(5))).to.deep.equal({ market: otherPool, left: 0.125 })
    const standing = buildMarkets([
      { atSec: 0, px: 1 },
      { atSec: 4, left: 0.5 },
      { atSec: 6, left: 0.25 },
    ])
    expect(holdingOf(standing, onePool, second(5))).to.deep.equal({ market: onePool, left: 0.5 })
  })
})

describe('a market of a called token', () => {
  const postedAtMs = second(0)
  const untilMs = followedUntilMs(postedAtMs)
  const lineWith = (forgottenAtMs: number | null) => openLine(buildMarkets([]), buildMarket({ forgottenAtMs }))
  const followed = (forgottenAtMs: number | null, sinceMs: number | null) => {
    const followings = sinceMs === null ? [] : [{ sinceMs, untilMs }]
    return isFollowed({ ...buildMarkets([]), followings }, lineWith(forgottenAtMs), { postedAtMs, isFollowed: true })
  }

  it('is followed to the end of the watch if it is not forgotten by itself before', () => {
    expect([followed(untilMs, null), followed(untilMs - 1, null)]).to.deep.equal([true, false])
  })

  it('is followed if the call became known half an hour before it is forgotten', () => {
    expect([second(1800), second(1799)].map((ms) => followed(ms, postedAtMs))).to.deep.equal([true, false])
  })

  it('is followed for a call that keeps none only if it lives to the end of the watch by itself', () => {
    const kept = { ...buildMarkets([]), followings: [{ sinceMs: postedAtMs, untilMs }] }
    const called = { postedAtMs, isFollowed: false }
    const ends = [untilMs, untilMs - 1].map((ms) => isFollowed(kept, lineWith(ms), called))
    expect(ends).to.deep.equal([true, false])
  })

  it('is followed on a curve that is traded no more if the call became known half an hour before its idle life ends', () => {
    const kept = { ...buildMarkets([]), followings: [{ sinceMs: postedAtMs, untilMs }] }
    const isFollowedIf = (idleLifeMs: number) => {
      const line = openLine(buildMarkets([]), buildMarket({ source: 'curve', forgottenAtMs: null, idleLifeMs }))
      return isFollowed(kept, { ...line, movedAtMs: postedAtMs }, { postedAtMs, isFollowed: true })
    }
    expect([1_800_000, 1_799_999].map(isFollowedIf)).to.deep.equal([true, false])
  })

  it('is followed for such a call on a curve if it lives to then without a further trade', () => {
    const called = { postedAtMs, isFollowed: false }
    const isFollowedIf = (idleLifeMs: number) => {
      const line = openLine(buildMarkets([]), buildMarket({ source: 'curve', forgottenAtMs: null, idleLifeMs }))
      return isFollowed(buildMarkets([]), { ...line, movedAtMs: postedAtMs }, called)
    }
    const lifeMs = untilMs - postedAtMs
    expect([lifeMs, lifeMs - 1].map(isFollowedIf)).to.deep.equal([true, false])
  })

  it('is judged by the instant at which the stage would have closed it, once that is known', () => {
    const line = { ...lineWith(null), releasedAtMs: second(1799) }
    expect(
      isFollowed({ ...buildMarkets([]), followings: [{ sinceMs: postedAtMs, untilMs }] }, line, {
        postedAtMs,
        isFollowed: true,
      }),
    ).to.equal(false)
  })
})
