import { expect } from 'chai'
import { scoreDueAtMs, scoreOf } from '../../../processors/calls/score.ts'
import type { Markets } from '../../../processors/markets/markets.ts'
import { callRules } from '../../../schemas/calls/rules.ts'
import { second } from '../../support/builders/build-facts.ts'
import { buildMarkets, closeAt, onePool, otherPool } from '../../support/builders/build-markets.ts'

const post = { postedAtMs: second(0), chat: '1', post: 7, chatName: null, poster: '2', tokenCount: 1 }
const dueAtMs = scoreDueAtMs(post, callRules)

const scored = (markets: Markets, atMs = dueAtMs) => {
  const score = scoreOf({ markets, rules: callRules }, { post, isFollowed: true }, atMs)
  if ('dueAtMs' in score) throw new Error(`is due ${(score.dueAtMs - second(0)) / 1000} s after the post`)
  return score
}
const prices = (...entries: readonly (readonly [atSec: number, px: number])[]) =>
  buildMarkets(entries.map(([atSec, px]) => ({ atSec, px })))

describe('the anchor of a score', () => {
  it('is the price in force three seconds after the post', () => {
    const { anchorAtMs, anchorPx, market } = scored(prices([-60, 1], [2.5, 2], [3.1, 3]))
    expect({ anchorAtMs, anchorPx, market }).to.deep.equal({ anchorAtMs: second(3), anchorPx: 2, market: onePool })
  })

  it('is the first price after it where there was none, up to 120 s after the post', () => {
    expect(() => scored(prices([120, 5]))).to.throw('is due 3720 s after the post')
    const { anchorAtMs, anchorPx, unscored } = scored(prices([120, 5], [150, 6]), second(3720))
    expect({ anchorAtMs, anchorPx, unscored }).to.deep.equal({ anchorAtMs: second(120), anchorPx: 5, unscored: null })
  })

  for (const [name, markets, unscored] of [
    ['a price that came later', prices([121, 5]), 'late_anchor'],
    ['no price in the hour', buildMarkets([]), 'no_price'],
    ['a price that came after the hour', prices([3604, 5]), 'no_price'],
    ['a post that is known when its past is forgotten', prices([-60, 1], [3 + 4501, 2]), 'late_anchor'],
    ['a market that was closed in the hour', closeAt(prices([0, 1]), 3603), 'no_price'],
    ['a market that was closed in the second of its first price', closeAt(prices([12, 5]), 12), 'no_price'],
  ] as const)
    it(`is missing with ${name}: ${unscored}`, () => {
      const { market, anchorAtMs, anchorPx, ret1, ret60, mfe, mae, isWin35, ...rest } = scored(markets)
      expect([market, anchorAtMs, anchorPx, ret1, ret60, mfe, mae, isWin35].every((value) => value === null)).to.equal(
        true,
      )
      expect(rest).to.include({ ...post, unscored })
    })

  it('is scored where the market was closed right after the hour, or went on elsewhere', () => {
    expect(scored(closeAt(prices([0, 1]), 3604)).ret60).to.equal(0)
    const markets = buildMarkets([
      { atSec: 0, px: 1 },
      { atSec: 50, px: 3, market: otherPool },
    ])
    expect(scored(closeAt(markets, 60, { next: otherPool }))).to.include({ market: onePool, ret1: 2, ret60: 2, mfe: 2 })
  })

  it('is known as long as its price is held', () => {
    expect(scored(prices([-60, 1], [3 + 4500, 2])).unscored).to.equal(null)
  })
})

describe('the hour after the anchor', () => {
  it('gives the returns of the prices in force 1, 5, 15 and 60 minutes after it', () => {
    //  s after the anchor   0     60        299       900     901   3600   3601
    const markets = prices([3, 10], [63, 11], [302, 12], [903, 5], [904, 6], [3603, 20], [3604, 99])
    const { ret1, ret5, ret15, ret60, mfe, mae } = scored(markets)
    expect([ret1, ret5, ret15, ret60].map((ret) => Number(ret?.toFixed(9)))).to.deep.equal([0.1, 0.2, -0.5, 1])
    expect([mfe, mae]).to.deep.equal([1, -0.5])
  })

  it('has a best of at least 0 and a worst of at most 0, the anchor included', () => {
    expect(scored(prices([0, 10], [100, 8]))).to.include({ mfe: 0, mae: 8 / 10 - 1 })
    expect(scored(prices([0, 10], [100, 12]))).to.include({ mfe: 12 / 10 - 1, mae: 0 })
    expect(scored(prices([0, 10]))).to.include({ ret60: 0, mfe: 0, mae: 0, isWin35: false })
  })

  it('does not count the price of the anchor’s own second again, nor one after the hour', () => {
    expect(scored(prices([3, 10], [3604, 99]))).to.include({ mfe: 0, ret60: 0 })
    expect(scored(prices([3, 10], [3603, 99]))).to.include({ mfe: 99 / 10 - 1 })
  })

  for (const [name, ratios, isWin35] of [
    ['35 % up', [1.35], true],
    ['less than 35 % up', [1.3499], false],
    ['35 % up, then 20 % down', [1.35, 0.8], true],
    ['20 % down, then 35 % up', [0.8, 1.35], false],
    ['not quite 20 % down, then 35 % up', [0.8001, 1.35], true],
  ] as const)
    it(`is ${isWin35 ? 'a' : 'no'} win with ${name}`, () => {
      const markets = prices([0, 1], ...ratios.map((ratio, index) => [10 + index, ratio] as const))
      expect(scored(markets).isWin35).to.equal(isWin35)
    })

  it('counts the last price of a second alone', () => {
    expect(scored(prices([0, 1], [10.1, 0.5], [10.9, 1.4])).isWin35).to.equal(true)
    expect(scored(prices([0, 1], [10.1, 1.4], [10.9, 0.5])).isWin35).to.equal(false)
  })
})

describe('a market that is pulled in the hour', () => {
  /**
   * Takes `[seconds after the post, share of the liquidity that remains]`. The first price of the call is at
   * 3 s.
   */
  const left = (...entries: readonly (readonly [atSec: number, left: number])[]) =>
    buildMarkets([{ atSec: 0, px: 10 }, { atSec: 70, px: 14 }, ...entries.map(([atSec, left]) => ({ atSec, left }))])

  it('is worth nothing from then on, at every later mark', () => {
    expect(scored(left([303, 0.2]))).to.include({
      ...{ unscored: null, ret1: 0, ret5: -1, ret15: -1, ret60: -1, mfe: 14 / 10 - 1, mae: -1 },
      ...{ isWin35: true, ruggedAtMs: second(303), market: onePool, anchorPx: 10 },
    })
    expect(scored(left([303.001, 0.2]))).to.include({ ret5: 14 / 10 - 1, ret15: -1 })
  })

  it('is no win if the pull came first, and one in the second of the pull does not count', () => {
    expect(scored(left([69, 0.1]))).to.include({ isWin35: false, mfe: 0, mae: -1 })
    expect(scored(left([69.5, 0.1])), 'its second ends with the price of 14').to.include({ isWin35: false, mfe: 0 })
    expect(scored(left([70.1, 0.1]))).to.include({ isWin35: true })
  })

  it('counts neither what is refilled nor what is opened later', () => {
    const refilled = buildMarkets([
      { atSec: 0, px: 10 },
      { atSec: 20, left: 0 },
      { atSec: 30, left: 1 },
      { atSec: 31, px: 90 },
      { atSec: 32, px: 90, market: otherPool },
    ])
    expect(scored(refilled)).to.include({ ret1: -1, ret60: -1, mfe: 0, mae: -1, isWin35: false })
  })

  for (const [name, markets, ruggedAtSec] of [
    ['more than a fifth is left', left([100, 0.2001]), null],
    ['it is in the last second of the hour', left([3603, 0.1]), 3603],
    ['it is after the hour', left([3603.001, 0.1]), null],
    ['it was before the anchor', left([2, 0.1]), null],
    ['half was gone at the anchor, and a tenth of the whole is left', left([2, 0.5], [100, 0.1]), 100],
    ['half was gone at the anchor, and a fifth of the whole is left', left([2, 0.5], [100, 0.2]), null],
  ] as const)
    it(`is ${ruggedAtSec === null ? 'no' : 'a'} pull if ${name}`, () => {
      const { ruggedAtMs, ret60 } = scored(markets)
      expect(ruggedAtMs).to.equal(ruggedAtSec === null ? null : second(ruggedAtSec))
      expect(ret60 === -1).to.equal(ruggedAtSec !== null)
    })

  it('is scored although it was closed after the pull, with none in its place', () => {
    expect(scored(closeAt(left([100, 0.1]), 200))).to.include({ unscored: null, ret60: -1, ruggedAtMs: second(100) })
  })

  it('is the market that the anchor’s went on in', () => {
    const markets = closeAt(
      buildMarkets([
        { atSec: 0, px: 1 },
        { atSec: 50, px: 3, market: otherPool },
        { atSec: 90, left: 0.1, market: otherPool },
      ]),
      60,
      { next: otherPool },
    )
    expect(scored(markets)).to.include({ market: onePool, ret1: 2, ret5: -1, mfe: 2, ruggedAtMs: second(90) })
  })

  it('does not touch an anchor on another market', () => {
    const markets = buildMarkets([
      { atSec: 0, px: 1, depth: 1 },
      { atSec: 0, px: 2, depth: 5, market: otherPool },
      { atSec: 100, left: 0 },
    ])
    expect(scored(markets)).to.include({ market: otherPool, ret60: 0, ruggedAtMs: null })
  })
})

describe('a market that is not followed to the end of the watch of the post', () => {
  it('is no anchor', () => {
    const ending = (hours: number) => buildMarkets([{ atSec: -60, px: 1 }], { forgottenAtMs: second(hours * 3600) })
    expect(scored(ending(48)).unscored).to.equal('no_price')
    expect(scored(ending(48.25)).unscored).to.equal(null)
  })

  it('leaves the others: the deepest of those that are followed', () => {
    const markets = buildMarkets([
      { atSec: -60, px: 1, depth: 9 },
      { atSec: -60, px: 2, depth: 1, market: otherPool },
    ])
    for (const line of markets.lines) if (line.market === onePool) line.releasedAtMs = second(0)
    expect(scored(markets)).to.include({ market: otherPool, anchorPx: 2 })
  })
})
