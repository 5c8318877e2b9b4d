/**
 * Tests the recount of calls, which is independent code that scores posts about tokens. Each expected value
 * can be read from the drawing above its test.
 */
import { expect } from 'chai'
import type { Mentioned, PriceAnswered } from '../../schemas/calls/facts.ts'
import {
  buildLiquidityChanged,
  buildPoolCreated,
  buildSwap,
  second,
  testToken,
} from '../support/builders/build-facts.ts'
import { buildMention, buildPriceAnswer } from '../support/builders/build-mentions.ts'
import { linesOfChainA } from '../support/oracle/calls/chain-a.ts'
import { type Line, marketsOf, pulledAtMs } from '../support/oracle/calls/lines.ts'
import { callRules } from '../support/oracle/calls/rules.ts'
import { scoreAsked, scoreOn } from '../support/oracle/calls/score.ts'
import { nextTick, rowsOf, scoresOf, type Told } from '../support/oracle/calls/watch.ts'

const [minute, hour] = [60, 3600]
type Drawn = Readonly<{
  market?: string
  /** `[second, price]` */
  prices: readonly (readonly [atSec: number, px: number])[]
  /** `[second, share of the liquidity that remains]`. With the share 0, the pool is emptied. */
  changes?: readonly (readonly [atSec: number, ratio: number])[]
  depth?: number
  goesOn?: readonly [atSec: number, next: string]
  livesSec?: number
}>

function lineOf({ market = 'pool', prices, changes = [], depth = 1, goesOn, livesSec = 1e6 }: Drawn): Line {
  const openedAtMs = second(prices[0]?.[0] ?? 0)
  const emptySec = changes.find(([, ratio]) => ratio === 0)?.[0] ?? Number.POSITIVE_INFINITY
  return {
    ...{ market, source: 'pool', openedAtMs, supplyRaw: null, livens: [], finds: [] },
    prices: prices.map(([atSec, px]) => ({ atMs: second(atSec), px, fill: null })),
    changes: changes.map(([atSec, ratio]) => ({ atMs: second(atSec), ratio, isEmptied: ratio === 0 })),
    depthAt: (atMs) => (atMs >= second(emptySec) ? null : depth),
    ends: goesOn ? { atMs: second(goesOn[0]), next: goesOn[1] } : null,
    forgottenAtMs: () => openedAtMs + livesSec * 1000,
  }
}

const scoreFrom = (drawn: readonly Drawn[], postedSec = 0) =>
  scoreOn(marketsOf(drawn.map(lineOf), [], callRules.followLeadMs), second(postedSec), callRules)

describe('a score of the recount', () => {
  //   second   0   3        60        300         3600+3
  //   price    2   2 anchor 3         1
  it('reads prices in force after the anchor', () => {
    const score = scoreFrom([
      {
        prices: [
          [0, 2],
          [60, 3],
          [300, 1],
        ],
      },
    ])
    expect(score).to.include({ anchorAtMs: second(3), anchorPx: 2, ret1: 0.5, ret5: -0.5, ret60: -0.5 })
    expect(score).to.include({ mfe: 0.5, mae: -0.5, isWin35: true, ruggedAtMs: null })
  })

  //   second   0   3        100        120         130
  //   price    1   1 anchor 1.4        pulled      5 (a buy from the small rest)
  it('is worth nothing from the second of a pull on', () => {
    const prices = [
      [0, 1],
      [100, 1.4],
      [130, 5],
    ] as const
    const score = scoreFrom([{ prices, changes: [[120, 0.2]] }])
    expect(score).to.include({ ruggedAtMs: second(120), ret1: 0, ret5: -1, ret60: -1, mae: -1, isWin35: true })
    expect(score.mfe).to.be.closeTo(0.4, 1e-12)
  })

  it('is no win where the pull came first', () => {
    const prices = [
      [0, 1],
      [100, 1.4],
    ] as const
    expect(scoreFrom([{ prices, changes: [[90, 0.1]] }])).to.include({ isWin35: false, mfe: 0, mae: -1 })
    expect(scoreFrom([{ prices, changes: [[100, 0.1]] }])).to.include({ isWin35: false, mfe: 0 })
    expect(scoreFrom([{ prices, changes: [[101, 0.1]] }])).to.include({ isWin35: true })
  })

  it('goes on after a pull of 79 % and ends with the next one', () => {
    const prices = [
      [0, 1],
      [100, 2],
    ] as const
    expect(scoreFrom([{ prices, changes: [[50, 0.21]] }])).to.include({ ruggedAtMs: null, ret60: 1 })
    const twice = [
      [50, 0.21],
      [70, 0.9],
    ] as const
    expect(scoreFrom([{ prices, changes: twice }])).to.include({ ruggedAtMs: second(70) })
    const refilled = [
      [50, 0.21],
      [60, 2],
      [70, 0.9],
    ] as const // 0.21 x 2 x 0.9 = 0.378
    expect(scoreFrom([{ prices, changes: refilled }])).to.include({ ruggedAtMs: null })
  })

  it('of a post after the pull stands on the market that is deepest then', () => {
    const pulled: Drawn = { market: 'a', prices: [[0, 1]], depth: 9, changes: [[50, 0]] }
    const second_: Drawn = { market: 'b', prices: [[40, 7]] }
    expect(scoreFrom([pulled, second_], 10)).to.include({ market: 'a', ruggedAtMs: second(50), ret60: -1 })
    expect(scoreFrom([pulled, second_], 60)).to.include({ market: 'b', ruggedAtMs: null, ret60: 0 })
  })

  it('does not see a pull of more than an hour after the anchor', () => {
    const drawn = { prices: [[0, 1]] as const }
    expect(scoreFrom([{ ...drawn, changes: [[3603, 0.1]] }])).to.include({ ret60: -1, ruggedAtMs: second(3603) })
    expect(scoreFrom([{ ...drawn, changes: [[3603.5, 0.1]] }])).to.include({ ret60: 0, ruggedAtMs: null })
  })

  //   price on the curve      1 ……… | complete at 200
  //   price in its own pool         | 3 ……… pulled at 400
  it('goes on in the own pool of its curve, and ends with that one', () => {
    const curve: Drawn = { market: 'curve', prices: [[0, 1]], goesOn: [200, 'own'] }
    const own = { market: 'own', prices: [[200, 3]] as const }
    expect(scoreFrom([curve, own])).to.include({ market: 'curve', ret1: 0, ret5: 2, ret60: 2, mfe: 2 })
    const rugged = scoreFrom([curve, { ...own, changes: [[400, 0.15]] }])
    expect(rugged).to.include({ market: 'curve', ret5: 2, ret15: -1, ruggedAtMs: second(400) })
  })

  it('takes the first price within two minutes, and none later', () => {
    expect(scoreFrom([{ prices: [[119, 2]] }])).to.include({ anchorAtMs: second(119), anchorPx: 2 })
    expect(scoreFrom([{ prices: [[121, 2]] }])).to.include({ unscored: 'late_anchor' })
    expect(scoreFrom([{ prices: [[4000, 2]] }])).to.include({ unscored: 'no_price' })
  })
})

type Answer = Readonly<{ px?: number | null; afterSec?: number; isSilent?: boolean; source?: 'pool' | 'aggregator' }>

const answerOf = (atMs: number, { px = 1, afterSec = 1, isSilent = false, source = 'aggregator' }: Answer) => ({
  ...buildPriceAnswer(`${testToken}:${atMs}`, isSilent ? null : px, { source }).data,
  ...{ isWithoutPrice: px === null, answeredAtMs: atMs + afterSec * 1000 },
})

/**
 * Scores a post on prices from lookups. The keys of `answers` are whole minutes after the post. By default,
 * an answer comes 1 s after its request.
 */
const askedScore = (answers: Readonly<Record<number, Answer>>) =>
  scoreAsked(
    {
      answerAt: (atMs) => answerOf(atMs, answers[Math.floor((atMs - second(0)) / 60_000)] ?? {}),
      rules: callRules,
    },
    second(0),
  )

describe('a score on asked prices', () => {
  it('is measured from the time of the answer', () => {
    const score = askedScore({ 0: { px: 2 }, 1: { px: 3 }, 10: { px: 0.5 }, 60: { px: 4 } })
    expect(score).to.include({ anchorAtMs: second(1), anchorPx: 2, isAsked: true, market: null, ruggedAtMs: null })
    expect(score).to.include({ ret1: 0.5, ret5: -0.5, ret15: -0.5, ret60: 1, mfe: 1, mae: -0.75, isWin35: true })
  })

  it('needs an answer within 15 s of the post, and within 60 s of its marks', () => {
    expect(askedScore({ 0: { afterSec: 15 } })).to.include({ unscored: null })
    expect(askedScore({ 0: { afterSec: 15.1 } })).to.include({ unscored: 'late_anchor', isAsked: true })
    expect(askedScore({ 5: { afterSec: 60 } })).to.include({ unscored: null })
    expect(askedScore({ 5: { afterSec: 61 } })).to.include({ unscored: 'unanswered' })
  })

  it('tells "there is none" from "nobody said"', () => {
    expect(askedScore({ 0: { px: null } })).to.include({ unscored: 'no_price' })
    expect(askedScore({ 0: { isSilent: true } })).to.include({ unscored: 'unanswered' })
    expect(askedScore({ 60: { px: null } })).to.include({ unscored: 'no_price' })
    expect(askedScore({ 15: { isSilent: true } })).to.include({ unscored: 'unanswered' })
    expect(askedScore({ 1: { source: 'pool' } })).to.include({ unscored: 'unanswered' })
    expect(askedScore({ 20: { px: null }, 25: { isSilent: true } })).to.include({ unscored: null })
  })
})

/** Returns a run with one tick per minute, starting one minute before the post. */
function toldOf(
  drawn: readonly Drawn[],
  its: Readonly<{ untilSec: number; answer?: (minutes: number) => Answer }>,
): Told {
  const tickAtMs = Array.from({ length: its.untilSec / minute + 2 }, (_, index) => second((index - 1) * minute))
  const told = (atMs: number): PriceAnswered => answerOf(atMs, its.answer?.((atMs - second(0)) / 60_000) ?? {})
  const { data: mention } = buildMention({ postedAtMs: second(0) })
  const posts: readonly Readonly<{ mention: Mentioned; knownIn: number }>[] = [{ mention, knownIn: 1 }]
  return { lines: drawn.map(lineOf), posts, tickAtMs, answerTo: nextTick(tickAtMs, told), rules: callRules }
}

const watched = (drawn: readonly Drawn[], its: Parameters<typeof toldOf>[1]) => rowsOf(toldOf(drawn, its))[0]
const silent = { isSilent: true }
const none = { px: null }

describe('a watch of the recount', () => {
  //   minute   0    10   20   25      50
  //   price    1    2    2    pulled  9 (refilled and bought)
  it('is worth nothing at each mark after a pull', () => {
    const prices = [
      [0, 1],
      [10 * minute, 2],
      [50 * minute, 9],
    ] as const
    const row = watched([{ prices, changes: [[25 * minute, 0.1]] }], { untilSec: 5 * hour })
    expect(row).to.include({ ruggedAtMs: second(25 * minute), ret1h: -1, ret4h: -1, lastRet: -1, isDead: false })
    expect(row).to.include({ maxRet: 1, maxAtMs: second(10 * minute), dipBeforeMax: 1 })
  })

  it('does not know of a pull that is still to come', () => {
    const drawn = [{ prices: [[0, 1]] as const, changes: [[2 * hour, 0.1]] as const }]
    expect(watched(drawn, { untilSec: 1.5 * hour })).to.include({ ruggedAtMs: null, ret1h: 0, lastRet: 0 })
    expect(watched(drawn, { untilSec: 4.5 * hour })).to.include({ ruggedAtMs: second(2 * hour), ret1h: 0, ret4h: -1 })
  })

  it('dies of 18 failed reads, and silence is none', () => {
    const dying = (minutes: number) => (minutes > 30 ? none : {})
    // Read 18 without a price is at 210 min.
    expect(watched([], { untilSec: 210 * minute, answer: dying })).to.include({ isDead: false, ret1h: null })
    const dead = watched([], { untilSec: 5 * hour, answer: dying })
    expect(dead).to.include({ isDead: true, lastRet: -1, ret1h: -1, ret4h: -1, lastSampleAtMs: second(30 * minute) })
    const quiet = (minutes: number) => (minutes > 30 ? silent : {})
    expect(watched([], { untilSec: 48 * hour, answer: quiet })).to.include({ isDead: false, ret4h: null, lastRet: 0 })
    const mixed = (minutes: number) => (minutes === 100 ? silent : dying(minutes))
    expect(watched([], { untilSec: 221 * minute, answer: mixed })).to.include({ isDead: false })
    expect(watched([], { untilSec: 223 * minute, answer: mixed })).to.include({ isDead: true })
  })

  //   minute   0     10 … 180 none: dead   300: a price again
  it('lives again, and what was reached before stands', () => {
    const answer = (minutes: number) => (minutes >= 10 && minutes < 300 ? none : { px: 3 })
    const row = watched([], { untilSec: 13 * hour, answer })
    expect(row).to.include({ isDead: false, ret1h: -1, ret4h: -1, ret12h: 0, lastRet: 0, maxRet: 0 })
    expect(row).to.include({ maxAtMs: second(5 * hour) })
    // The price of a dead token is looked up only one time per hour.
    const between = (minutes: number) => (minutes >= 10 && minutes % 60 !== 50 ? none : { px: 3 })
    expect(watched([], { untilSec: 13 * hour, answer: between })).to.include({ isDead: false })
    const unread = (minutes: number) => (minutes >= 10 && (minutes < 200 || minutes % 60 !== 50) ? none : { px: 3 })
    expect(watched([], { untilSec: 13 * hour, answer: unread })).to.include({ isDead: true, ret12h: -1 })
  })

  it('has the price of an answer as its anchor only if it came within 15 s', () => {
    const slow = (afterSec: number) => (minutes: number) => (minutes === 0 ? { px: 2, afterSec } : { px: 3 })
    const row = watched([], { untilSec: 2 * hour, answer: slow(14) })
    expect(row?.anchor).to.include({ atMs: second(14), px: 2, isAsked: true, market: null })
    expect(row).to.include({ ret1h: 0.5 })
    expect(watched([], { untilSec: 2 * hour, answer: slow(16) })).to.include({ anchor: null, ret1h: null })
  })

  it('is on the market to its end if the call came half an hour before that would be forgotten', () => {
    const drawn = (livesSec: number) => [
      {
        prices: [
          [-hour, 1],
          [hour, 2],
        ] as const,
        livesSec,
      },
    ]
    // The post becomes known 1 s after it was written, so 1801 s leave exactly half an hour.
    expect(watched(drawn(hour + 1801), { untilSec: 12.5 * hour })).to.include({ ret4h: 1, ret12h: 1 })
    const late = watched(drawn(hour + 1800), { untilSec: 12.5 * hour, answer: () => ({ px: 8 }) })
    expect(late?.anchor).to.include({ isAsked: true, px: 8 })
    expect(late).to.include({ stage: null, ret12h: 0 })
    expect(scoresOf(toldOf(drawn(hour + 1801), { untilSec: 2 * hour }))[0]).to.include({ isAsked: false })
    expect(scoresOf(toldOf(drawn(hour + 1800), { untilSec: 2 * hour }))[0]).to.include({ isAsked: true, ret60: 0 })
  })
})

describe('a pull of the recount', () => {
  const txHash = '0xfe'
  const created = [
    buildPoolCreated({ blockAtMs: second(0) }),
    buildLiquidityChanged({ blockAtMs: second(0), liquidityDelta: 1000n * 10n ** 18n }),
  ]
  const pulledIn = (facts: Parameters<typeof linesOfChainA>[0]) => {
    const lines = linesOfChainA(facts)
    return pulledAtMs(marketsOf(lines, [], 0), { market: lines[0]?.market ?? '', atMs: second(10) }, 0.2)
  }
  const removal = (atSec: number, share: bigint, more = {}) =>
    buildLiquidityChanged({ blockAtMs: second(atSec), liquidityDelta: -share * 10n ** 19n, ...more })

  it('is judged transaction by transaction', () => {
    expect(pulledIn([...created, removal(20, 79n)])).to.equal(null)
    expect(pulledIn([...created, removal(20, 80n)])).to.equal(second(20))
    const back = buildLiquidityChanged({ blockAtMs: second(20), liquidityDelta: 900n * 10n ** 18n, txHash })
    expect(pulledIn([...created, removal(20, 90n, { txHash }), back])).to.equal(null)
    expect(pulledIn([...created, removal(20, 90n), back])).to.equal(second(20))
  })

  it('is measured at the price before the first change of its transaction', () => {
    // Between the two removals, a swap raises the price. At the higher price, the remaining liquidity would
    // contain more ETH.
    const swap = buildSwap({ blockAtMs: second(20), px: 1e-6, txHash })
    expect(pulledIn([...created, removal(20, 85n, { txHash }), swap, removal(20, 1n, { txHash })])).to.equal(second(20))
  })

  it('counts from the anchor on', () => {
    expect(pulledIn([...created, removal(5, 90n), removal(20, 1n)])).to.equal(null)
    expect(pulledIn([...created, removal(5, 90n), removal(20, 9n)])).to.equal(second(20))
    expect(pulledIn([...created, removal(10, 90n)])).to.equal(null)
  })
})
