/**
 * Plans the trades in a launch's pool, before prices are known. A planned trade has a time, a side, an amount
 * and, for buys, a wallet.
 */

import { instantsAt, scaled, somebody } from '../../simulated/market/trading.ts'
import type { Random } from '../../simulated/random.ts'
import type { BurstPlan, LaunchPlan } from './plan.ts'

/**
 * A planned trade whose price is not known yet. For a sell, `eth` is an upper limit, because a wallet sells
 * no more than it holds. An `exit` sells the fraction `share` of a wallet's tokens.
 */
export type Intent = Readonly<
  | { second: number; side: 'buy'; wallet: number; eth: number }
  | { second: number; side: 'sell'; eth: number }
  | { second: number; side: 'exit'; share: number }
>

/**
 * Wallets are numbered. The wallets with the lowest numbers are bots, which buy first in every launch. After
 * them come crews: groups of twelve wallets with the same owner.
 */
const botCount = 80
const crewCount = 60
const crewSize = 12
const bot = (random: Random): number => random.whole(0, botCount - 1)
const crewMember = (crew: number, member: number): number => 100 + crew * crewSize + (member % crewSize)
export const creatorWallet = (random: Random): number => 40_000 + Math.floor(600 * random.unit() ** 2)

/**
 * The pause before a planned burst, in seconds. The rules that detect bursts count buys in windows of at most
 * 60 s. So no window contains trades from before the pause and from the burst.
 */
const hushSec = 61
/**
 * The minimum time between two trades outside bursts, in seconds. At this distance, a window of a burst rule
 * contains fewer than eight buys, even if every trade is a buy.
 */
const quietGapSecLeast = 9
/** The time after the pool's creation in which only bots trade, in seconds. */
const snipersSec = 10
/**
 * The age of the pool up to which trades may follow each other closely, in seconds. The burst rules only look
 * at trades from an age of 4 min on.
 */
const freeSec = 235

/**
 * Yields all planned trades of a launch in time order: the bots, the first other buyers, the trades between
 * bursts, and the bursts.
 */
export function* intentsOf(plan: LaunchPlan, random: Random): Generator<Intent> {
  yield* snipers(plan, random)
  if (plan.crowd !== null && plan.bursts.length === 0) {
    yield* crowd(plan, { fromSec: plan.createdAtSec + snipersSec, toSec: plan.endsAtSec }, random)
    return
  }
  const freeUntilSec = Math.min(plan.createdAtSec + freeSec, plan.endsAtSec)
  yield* firstComers({ fromSec: plan.createdAtSec + snipersSec, toSec: freeUntilSec }, random)
  let fromSec = freeUntilSec
  for (const burst of plan.bursts) {
    yield* between(plan, { fromSec, toSec: burst.startSec - hushSec }, random)
    yield* burstIntents(burst, random)
    fromSec = burst.endSec + (burst.tier === 'lite' ? hushSec : 1)
  }
  yield* between(plan, { fromSec, toSec: plan.endsAtSec }, random)
}

type Span = Readonly<{ fromSec: number; toSec: number }>

const between = (plan: LaunchPlan, span: Span, random: Random): Generator<Intent> =>
  plan.crowd !== null && span.fromSec >= plan.crowd.fromSec ? crowd(plan, span, random) : quiet(plan, span, random)

function* snipers(plan: LaunchPlan, random: Random): Generator<Intent> {
  const count = Math.min(25, Math.floor(random.exponential(plan.kind === 'dead' ? 2 : 7)))
  let second = plan.createdAtSec
  for (let left = count; left > 0; left--) {
    second += random.chance(0.5) ? 0 : 1
    if (second >= plan.createdAtSec + snipersSec) return
    yield { second, side: 'buy', wallet: bot(random), eth: sized(0.04, 0.6, random) }
  }
}

function* firstComers(span: Span, random: Random): Generator<Intent> {
  const gapSec = random.logNormal(9, 0.9)
  for (const at of instantsAt(() => 1 / gapSec, span, random))
    yield trade(Math.floor(at), { buyShare: 0.62, medianEth: 0.02 }, random)
}

function* quiet(plan: LaunchPlan, span: Span, random: Random): Generator<Intent> {
  for (let second = span.fromSec; ; ) {
    second += quietGapSecLeast + Math.floor(random.exponential(plan.quietGapSec))
    if (second >= span.toSec) return
    yield trade(second, { buyShare: 0.55, medianEth: 0.015 }, random)
  }
}

/**
 * Yields the additional trades of `plan.crowd`. Their rate falls over time, but is always at least one trade
 * in 15 minutes.
 */
function* crowd(plan: LaunchPlan, span: Span, random: Random): Generator<Intent> {
  const { fromSec, trades, fadeSec } = plan.crowd ?? { fromSec: 0, trades: 0, fadeSec: 1 }
  const fadeAt = (second: number) => Math.exp(-(second - fromSec) / fadeSec)
  for (const at of instantsAt((second) => (trades / fadeSec) * fadeAt(second) + 1 / 900, span, random))
    yield trade(Math.floor(at), { buyShare: 0.46 + 0.1 * fadeAt(at), medianEth: 0.025 }, random)
}

function trade(second: number, mood: Readonly<{ buyShare: number; medianEth: number }>, random: Random): Intent {
  if (random.chance(mood.buyShare)) {
    return { second, side: 'buy', wallet: somebody(random), eth: sized(mood.medianEth, 0.95, random) }
  }
  return { second, side: 'exit', share: random.pick([1, 1, 0.5, 0.3]) }
}

/**
 * Draws an amount in ETH around `median`. The amount is kept within [0.0005, 0.6], so that it is neither
 * negligible nor unusually large.
 */
const sized = (median: number, sigma: number, random: Random): number =>
  Math.min(0.6, Math.max(0.0005, random.logNormal(median, sigma)))

/**
 * Yields the trades of a burst in time order. In a burst that is not lite, a small sell follows every fifth
 * buy. The last trade of every burst is a buy.
 */
function* burstIntents(burst: BurstPlan, random: Random): Generator<Intent> {
  const sizes = burstSizes(burst, random)
  const crew = random.whole(0, crewCount - 1)
  const smallest = Math.min(...sizes)
  const spanSec = burst.endSec - burst.startSec
  for (const [index, eth] of sizes.entries()) {
    const second = burst.startSec + Math.floor((spanSec * index) / (sizes.length - 1))
    const isCrew = burst.style === 'scripted' || random.chance(0.3)
    yield { second, side: 'buy', wallet: isCrew ? crewMember(crew, index) : somebody(random), eth }
    const isSellDue = burst.tier !== 'lite' && index % 5 === 4 && index < sizes.length - 1
    if (isSellDue) yield { second, side: 'sell', eth: smallest / 2 }
  }
}

function burstSizes(burst: BurstPlan, random: Random): readonly number[] {
  const { buys, eth, style } = burst
  if (style === 'scripted') return Array.from({ length: buys }, () => eth / buys)
  if (style === 'spread')
    return scaled(
      eth,
      Array.from({ length: buys }, () => random.logNormal(1, 0.35)),
    )
  const whales = scaled(
    eth * 0.62,
    Array.from({ length: 3 }, () => random.logNormal(1, 0.2)),
  )
  const crowd = scaled(
    eth * 0.38,
    Array.from({ length: buys - 3 }, () => random.logNormal(1, 0.5)),
  )
  return interleaved(whales, crowd)
}

/** Inserts the large buys after one quarter, one half and three quarters of the small buys. */
function interleaved(whales: readonly number[], crowd: readonly number[]): readonly number[] {
  const mixed = [...crowd]
  for (const [index, whale] of whales.entries()) mixed.splice(Math.floor((mixed.length * (index + 1)) / 4), 0, whale)
  return mixed
}
