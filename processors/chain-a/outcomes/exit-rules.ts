/**
 * The exit rules that every burst is scored under, as data. In words: `schemas/chain-a/rules.ts`. A rule sees the price path
 * since the signal and says whether it exits. All rules see the same path.
 */
import type { ExitReason } from '../../../schemas/chain-a/derived.ts'
import { type ChainANumbers, weiOf } from '../../../schemas/chain-a/numbers.ts'

/** The path since the signal, up to and including the last swap. Prices in ETH per raw token unit. */
export type PricePath = {
  signalAtMs: number
  signalPx: number
  lastPx: number
  highPx: number
  highAtMs: number
  netWei: bigint
  netHighWei: bigint
}

export type ExitRule = Readonly<{
  name: string
  /** Exits at the last price once block time is later than the limit. Swaps can move the limit. */
  inTime?: Readonly<{ limitAtMs: (path: PricePath) => number; why: ExitReason }>
  /** Exits at the price of the swap. */
  atSwap?: Readonly<{ isReached: (path: PricePath) => boolean; why: ExitReason }>
}>

const fade = (wei: bigint) =>
  ({ isReached: (path: PricePath) => path.netHighWei - path.netWei >= wei, why: 'burst_fade' }) as const

const stall = (stallMs: number) =>
  ({ limitAtMs: (path: PricePath) => path.highAtMs + stallMs, why: 'burst_stall' }) as const

const gain = (ratio: number) =>
  ({ isReached: (path: PricePath) => path.lastPx >= ratio * path.signalPx, why: 'take_profit' }) as const

const trail = (ratio: number) =>
  ({ isReached: (path: PricePath) => path.lastPx <= ratio * path.highPx, why: 'trail' }) as const

const time = (afterMs: number) => ({ limitAtMs: (path: PricePath) => path.signalAtMs + afterMs, why: 'time' }) as const

type Exit = ChainANumbers['outcomes']['exits'][number]

/** In the order of the outcomes. The first one gives `ruleRet`. */
export const exitRulesOf = (exits: readonly Exit[]): readonly ExitRule[] => exits.map(exitRuleOf)

function exitRuleOf({ name, fadeEth, gainRatio, trailRatio, stallMs, afterMs }: Exit): ExitRule {
  return {
    name,
    ...(fadeEth !== undefined && { atSwap: fade(weiOf(fadeEth)) }),
    ...(gainRatio !== undefined && { atSwap: gain(gainRatio) }),
    ...(trailRatio !== undefined && { atSwap: trail(trailRatio) }),
    ...(stallMs !== undefined && { inTime: stall(stallMs) }),
    ...(afterMs !== undefined && { inTime: time(afterMs) }),
  }
}
