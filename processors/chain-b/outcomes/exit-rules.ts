/**
 * The exit rules that every burst is scored under, as data. In words: `schemas/chain-b/rules.ts`. A rule sees the price path
 * since the signal and says whether it exits. All rules see the same path.
 */
import type { ExitReason } from '../../../schemas/chain-b/derived.ts'
import { lamportsPerSol } from '../../../schemas/chain-b/units.ts'

const minuteMs = 60_000

/** Every rule stops at this share of the signal price. */
export const stopRatio = 0.85
export const trailRatio = 0.8
export const stallMs = 60_000
/** How far below its high-water mark net SOL is at the exit: of the live rule, and of the early one. */
export const fadeLamports = { live: 5 * lamportsPerSol, early: 2 * lamportsPerSol } as const

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

const stall = { limitAtMs: ({ highAtMs }: PricePath) => highAtMs + stallMs, why: 'burst_stall' } as const

const gain = (ratio: number) =>
  ({ isReached: ({ lastPx, signalPx }: PricePath) => lastPx >= ratio * signalPx, why: 'take_profit' }) as const

const trail = { isReached: ({ lastPx, highPx }: PricePath) => lastPx <= trailRatio * highPx, why: 'trail' } as const

const minutes = (count: number) =>
  ({ limitAtMs: ({ signalAtMs }: PricePath) => signalAtMs + count * minuteMs, why: 'time' }) as const

/** In the order of the outcomes. The first one gives `ruleRet`. */
export const exitRules: readonly ExitRule[] = [
  { name: 'live', atTrade: fade(fadeLamports.live) },
  { name: 'hold' },
  { name: 'fade-2', atTrade: fade(fadeLamports.early) },
  { name: 'stall', inTime: stall },
  { name: 'take-profit-50', atTrade: gain(1.5) },
  { name: 'take-profit-100', atTrade: gain(2) },
  { name: 'trail-20', atTrade: trail },
  { name: 'time-5m', inTime: minutes(5) },
  { name: 'time-10m', inTime: minutes(10) },
]
