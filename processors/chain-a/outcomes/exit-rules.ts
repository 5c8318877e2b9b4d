/**
 * The exit rules that every burst is scored under, as data. In words: `schemas/chain-a/rules.ts`. A rule sees the price path
 * since the signal and says whether it exits. All rules see the same path.
 */
import type { ExitReason } from '../../../schemas/chain-a/derived.ts'

const minuteMs = 60_000

/** Every rule stops at this share of the signal price. */
export const stopRatio = 0.85
export const fadeWei = 10n ** 18n / 2n
export const stallMs = 60_000

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

const fade = {
  isReached: (path: PricePath) => path.netHighWei - path.netWei >= fadeWei,
  why: 'burst_fade',
} as const

const stall = {
  limitAtMs: (path: PricePath) => path.highAtMs + stallMs,
  why: 'burst_stall',
} as const

const gain = (ratio: number) =>
  ({ isReached: (path: PricePath) => path.lastPx >= ratio * path.signalPx, why: 'take_profit' }) as const

const trail = {
  isReached: (path: PricePath) => path.lastPx <= 0.8 * path.highPx,
  why: 'trail',
} as const

const minutes = (count: number) =>
  ({ limitAtMs: (path: PricePath) => path.signalAtMs + count * minuteMs, why: 'time' }) as const

/** In the order of the outcomes. The first one gives `ruleRet`. */
export const exitRules: readonly ExitRule[] = [
  { name: 'live', atSwap: fade, inTime: stall },
  { name: 'hold' },
  { name: 'fade', atSwap: fade },
  { name: 'stall', inTime: stall },
  { name: 'take-profit-50', atSwap: gain(1.5) },
  { name: 'take-profit-100', atSwap: gain(2) },
  { name: 'trail-20', atSwap: trail },
  { name: 'time-5m', inTime: minutes(5) },
  { name: 'time-10m', inTime: minutes(10) },
]
