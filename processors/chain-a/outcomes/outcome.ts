/**
 * Computes the outcome of a burst: the price in the time after its signal, and the result of each exit rule
 * (a rule for when to sell).
 */
import assert from 'node:assert/strict'
import type { Burst, BurstOutcome } from '../../../schemas/chain-a/derived.ts'
import { type ChainANumbers, weiOf } from '../../../schemas/chain-a/numbers.ts'
import type { EpochMs, Wei } from '../../../schemas/units.ts'
import {
  type ExitRule,
  exitRulesOf,
  exitsOf,
  leaveAtTrade,
  leaveInTime,
  movePrice,
  type PricePath,
  pathFrom,
  returnAt,
  type Track,
} from '../../exits.ts'
import { isPulled } from '../../markets/move.ts'

/**
 * A transaction that changed liquidity. `ratio` is the ETH in the pool after the transaction divided by the
 * ETH before it. Both amounts are computed with the price before the transaction.
 */
export type Pull = Readonly<{ atMs: EpochMs; ratio: number }>

type PoolPath = PricePath & { netWei: Wei; netHighWei: Wei }

/** The rules by which outcomes are computed, with functions for the exit rules (rules for when to sell). */
export type Scoring = Omit<ChainANumbers['outcomes'], 'exits'> & Readonly<{ exitRules: readonly ExitRule<PoolPath>[] }>

export const scoringOf = ({ exits, ...rules }: ChainANumbers['outcomes']): Scoring => ({
  ...rules,
  exitRules: exitRulesOf(exits, ({ fadeEth }) => (fadeEth === undefined ? null : fade(weiOf(fadeEth)))),
})

const fade =
  (wei: Wei) =>
  ({ netHighWei, netWei }: PoolPath): boolean =>
    netHighWei - netWei >= wei

/**
 * A burst whose price is followed. At a rug (the removal of the liquidity), each exit rule that still holds
 * its position exits. For a rule that would hold to the end of the window, the reason of this exit is
 * `held_rug`.
 */
export type Watch = Track<PoolPath, 'rug' | 'held_rug'> & {
  burst: Pick<Burst, 'pool' | 'tier' | 'atMs'>
  /**
   * The remaining share of the liquidity at the signal, beginning at 1. Each `Pull` multiplies this share by
   * its `ratio`, so an addition of liquidity raises it. Swaps do not change it.
   */
  remaining: number
  rug: BurstOutcome['rug']
}

export const endOf = (watch: Watch, { lengthMs }: Scoring): EpochMs => watch.burst.atMs + lengthMs

/**
 * Begins to follow the price after a burst. The first price is that of the signal, before any swap of a later
 * block.
 */
export const openWatch = ({ pool, tier, atMs, px }: Burst, { exitRules }: Scoring): Watch => ({
  burst: { pool, tier, atMs },
  path: { netWei: 0n, netHighWei: 0n, ...pathFrom(atMs, px) },
  exits: exitRules.map(() => null),
  remaining: 1,
  rug: null,
})

/** A swap of a block after the block of the signal. Swaps must be passed in chain order. */
export type PricedSwap = Readonly<{ atMs: EpochMs; px: number; ethWei: Wei }>

/**
 * Applies a swap. First, exit rules whose time limit has expired exit at the price before the swap. Then the
 * price changes, and the other exit conditions are checked. Swaps after a rug (the removal of the liquidity)
 * are ignored.
 */
export function followSwap(watch: Watch, swap: PricedSwap, scoring: Scoring): void {
  const { path, rug } = watch
  if (rug) return
  leaveInTime(watch, swap.atMs, scoring)
  movePrice(path, swap)
  path.netWei += swap.ethWei
  if (path.netWei > path.netHighWei) path.netHighWei = path.netWei
  leaveAtTrade(watch, swap.atMs, scoring)
}

/**
 * Applies a transaction that changed the pool's liquidity after the block of the signal. If too little
 * liquidity remains, this is a rug. Exit rules whose time limit has expired then exit first, and the others
 * lose everything.
 */
export function followPull(watch: Watch, { atMs, ratio }: Pull, scoring: Scoring): void {
  const { exitRules, rugLeftRatioMax } = scoring
  const { path, exits } = watch
  if (watch.rug) return
  watch.remaining *= ratio
  if (!isPulled(1, watch.remaining, rugLeftRatioMax)) return
  leaveInTime(watch, atMs, scoring)
  watch.rug = { atSec: Math.floor((atMs - path.signalAtMs) / 1000), lpRemoved: 1 - watch.remaining }
  path.lastPx = 0
  exitRules.forEach((rule, index) => {
    exits[index] ??= { px: 0, atMs, why: rule.inTime || rule.atTrade ? 'rug' : 'held_rug' }
  })
}

/**
 * Computes the outcome. Call this function at the end of the window, after all its swaps and changes of
 * liquidity. A time limit that ends with the window has then expired.
 */
export function scoreWatch(watch: Watch, scoring: Scoring): BurstOutcome {
  const { burst, path } = watch
  leaveInTime(watch, endOf(watch, scoring) + 1, scoring)
  const exits = exitsOf(watch, scoring)
  const [live] = exits
  assert(live !== undefined, 'a burst must be scored under at least one exit rule')
  return {
    ...burst,
    ret30m: returnAt(path.lastPx, path, scoring),
    peakRet: returnAt(path.highPx, path, scoring),
    ruleRet: live.ret,
    exits,
    rug: watch.rug,
  }
}
