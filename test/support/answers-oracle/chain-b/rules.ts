/** The rules of chain B as numbers and comparisons, from the specification and its sentences in words. A test bends them. */
import type { CurveTrade } from './known.ts'

type Compare = (one: number | bigint, other: number | bigint) => boolean

export type Rules = Readonly<{
  windowMs: number
  /** Whether a trade this long before the signal is in the window of that length. */
  isInWindow: (ageMs: number, windowMs: number) => boolean
  inflowLeast: bigint
  recentMs: number
  needsRecentBuy: boolean
  ageLeastMs: number
  ageMostMs: number
  fillLeastPercent: bigint
  fillMostPercent: bigint
  /** How the thresholds of inflow, age and fill are held against a value. */
  atLeast: Compare
  scoredAfterMs: number
  /** Whether a trade this long after the signal is in the outcome. */
  isInOutcome: (afterMs: number, scoredAfterMs: number) => boolean
  /** A price up to a factor that is the same on one curve. */
  standardPrice: (trade: CurveTrade) => number
  cost: number
  stop: number
  liveDropLamports: bigint
  fadeDropLamports: bigint
  stallMs: number
  takeProfits: readonly [number, number]
  trail: number
  timesMs: readonly [number, number]
  anatomyAfterMs: number
  leavesOutCurve: boolean
  topHolders: number
  postMinutes: readonly [number, number, number]
  /** Whether a trade of the pool so long after the mark still counts for it. */
  isAtMark: (afterMarkMs: number) => boolean
  pathMinutes: number
  /** Whether a row so old is in a look-back of that length. */
  isInLookBack: (ageMs: number, lookBackMs: number) => boolean
}>

const minuteMs = 60_000

export const rules: Rules = {
  windowMs: minuteMs,
  isInWindow: (ageMs, windowMs) => ageMs < windowMs,
  inflowLeast: 10_000_000_000n,
  recentMs: 15_000,
  needsRecentBuy: true,
  ageLeastMs: 5 * minuteMs,
  ageMostMs: 240 * minuteMs,
  fillLeastPercent: 25n,
  fillMostPercent: 55n,
  atLeast: (one, other) => one >= other,
  scoredAfterMs: 20 * minuteMs,
  isInOutcome: (afterMs, scoredAfterMs) => afterMs <= scoredAfterMs,
  standardPrice: ({ virtualQuoteRaw }) => Number(virtualQuoteRaw) ** 2,
  cost: 0.025,
  stop: 0.85,
  liveDropLamports: 5_000_000_000n,
  fadeDropLamports: 2_000_000_000n,
  stallMs: minuteMs,
  takeProfits: [1.5, 2],
  trail: 0.8,
  timesMs: [5 * minuteMs, 10 * minuteMs],
  anatomyAfterMs: 5_000,
  leavesOutCurve: true,
  topHolders: 10,
  postMinutes: [1, 5, 15],
  isAtMark: (afterMarkMs) => afterMarkMs <= 0,
  pathMinutes: 60,
  isInLookBack: (ageMs, lookBackMs) => ageMs < lookBackMs,
}
