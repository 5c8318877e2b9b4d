/**
 * The exit rules that every burst is scored under, as data. In words: `schemas/chain-b/rules.ts`. A rule sees the price path
 * since the signal and says whether it exits. All rules see the same path.
 */
import type { ExitReason } from '../../../schemas/chain-b/derived.ts'
import type { ChainBNumbers } from '../../../schemas/chain-b/numbers.ts'

/** The path since the signal, up to and including the last trade. Prices are in any unit, the same for all. */
export type PricePath = {
  signalAtMs: number
  signalPx: number
  lastPx: number
  highPx: number
  highAtMs: number
  netLamports: number
  netHighLamports: number
}

export type ExitRule = Readonly<{
  name: string
  /** Exits at the last price once block time is later than the limit. Trades can move the limit. */
  inTime?: Readonly<{ limitAtMs: (path: PricePath) => number; why: ExitReason }>
  /** Exits at the price of the trade. */
  atTrade?: Readonly<{ isReached: (path: PricePath) => boolean; why: ExitReason }>
}>

const fade = (lamports: number) =>
  ({
    isReached: ({ netHighLamports, netLamports }: PricePath) => netHighLamports - netLamports >= lamports,
    why: 'burst_fade',
  }) as const

const stall = (stallMs: number) =>
  ({ limitAtMs: ({ highAtMs }: PricePath) => highAtMs + stallMs, why: 'burst_stall' }) as const

const gain = (ratio: number) =>
  ({ isReached: ({ lastPx, signalPx }: PricePath) => lastPx >= ratio * signalPx, why: 'take_profit' }) as const

const trail = (ratio: number) =>
  ({ isReached: ({ lastPx, highPx }: PricePath) => lastPx <= ratio * highPx, why: 'trail' }) as const

const time = (afterMs: number) =>
  ({ limitAtMs: ({ signalAtMs }: PricePath) => signalAtMs + afterMs, why: 'time' }) as const

type Exit = ChainBNumbers['outcomes']['exits'][number]

/** In the order of the outcomes. The first one gives `ruleRet`. */
export const exitRulesOf = (exits: readonly Exit[]): readonly ExitRule[] => exits.map(exitRuleOf)

function exitRuleOf({ name, fadeLamports, gainRatio, trailRatio, stallMs, afterMs }: Exit): ExitRule {
  return {
    name,
    ...(fadeLamports !== undefined && { atTrade: fade(fadeLamports) }),
    ...(gainRatio !== undefined && { atTrade: gain(gainRatio) }),
    ...(trailRatio !== undefined && { atTrade: trail(trailRatio) }),
    ...(stallMs !== undefined && { inTime: stall(stallMs) }),
    ...(afterMs !== undefined && { inTime: time(afterMs) }),
  }
}
