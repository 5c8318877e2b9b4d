/**
 * Lists the rules of chain B as numbers and comparisons, from the specification. Tests can change each of
 * them.
 */
import type { CurveTraded } from '../../../../schemas/chain-b/facts.ts'

type Compare = (one: number | bigint, other: number | bigint) => boolean

/** An exit rule without the stop. A rule that contains no number holds until the end. */
export type ExitRule = Readonly<{
  name: string
  fadeLamports?: bigint
  stallMs?: number
  gain?: number
  trail?: number
  afterMs?: number
}>

export type Rules = Readonly<{
  windowMs: number
  /** Returns true if a trade `ageMs` before the signal is in the window. */
  isInWindow: (ageMs: number, windowMs: number) => boolean
  inflowLamports: bigint
  /** The length of the last part of the window, in which buying must continue. Null: this is not required. */
  recentMs: number | null
  ageMsMin: number
  ageMsMax: number
  fillPercentMin: bigint
  fillPercentMax: bigint
  /** Compares inflow, age and fill with their thresholds. */
  atLeast: Compare
  oneUnscoredAtATime: boolean
  lateFactsCount: boolean
  outcomeMs: number
  /** Returns true if a trade `afterMs` after the signal counts for the outcome of the burst. */
  isInOutcome: (afterMs: number, outcomeMs: number) => boolean
  completionEnds: boolean
  /** Returns a price. Its unit may be any unit that is constant on one curve. */
  standardPrice: (trade: CurveTraded) => number
  /** True if one trade that does not follow the formula changes the prices of all trades. */
  oneOddTradeIsEnough: boolean
  costs: number
  stop: number
  isStopFirst: boolean
  /** Returns true if a time limit ended before a trade. */
  isTimeUp: (endsAtMs: number, tradeAtMs: number) => boolean
  /** The exit rules in the order of the specification. The first rule is `live`. */
  exitRules: readonly ExitRule[]
  anatomyDelayMs: number
  bundleBuys: number
  leavesCurveOut: boolean
  topHolders: number
  postMinutes: readonly number[]
  /**
   * Returns true if a pool trade still counts for a time mark. `afterMarkMs` is the time of the trade after
   * the mark.
   */
  isAtMark: (afterMarkMs: number) => boolean
  pathMinutes: number
  graduatedLifeMs: number
  idleLifeMs: number
  /** Returns true if a row of age `ageMs` belongs to a list of the last `lookBackMs` milliseconds. */
  isInLookBack: (ageMs: number, lookBackMs: number) => boolean
}>

const minuteMs = 60_000
const sol = 1_000_000_000n

export const rules: Rules = {
  windowMs: minuteMs,
  isInWindow: (ageMs, windowMs) => ageMs < windowMs,
  inflowLamports: 10n * sol,
  recentMs: 15_000,
  ageMsMin: 5 * minuteMs,
  ageMsMax: 240 * minuteMs,
  fillPercentMin: 25n,
  fillPercentMax: 55n,
  atLeast: (one, other) => one >= other,
  oneUnscoredAtATime: true,
  lateFactsCount: false,
  outcomeMs: 20 * minuteMs,
  isInOutcome: (afterMs, outcomeMs) => afterMs <= outcomeMs,
  completionEnds: true,
  standardPrice: ({ virtualQuoteRaw }) => Number(virtualQuoteRaw) ** 2,
  oneOddTradeIsEnough: true,
  costs: 0.025,
  stop: 0.85,
  isStopFirst: true,
  isTimeUp: (endsAtMs, tradeAtMs) => endsAtMs < tradeAtMs,
  exitRules: [
    { name: 'live', fadeLamports: 5n * sol },
    { name: 'hold' },
    { name: 'fade-2', fadeLamports: 2n * sol },
    { name: 'stall', stallMs: minuteMs },
    { name: 'take-profit-50', gain: 1.5 },
    { name: 'take-profit-100', gain: 2 },
    { name: 'trail-20', trail: 0.8 },
    { name: 'time-5m', afterMs: 5 * minuteMs },
    { name: 'time-10m', afterMs: 10 * minuteMs },
  ],
  anatomyDelayMs: 5_000,
  bundleBuys: 2,
  leavesCurveOut: true,
  topHolders: 10,
  postMinutes: [1, 5, 15],
  isAtMark: (afterMarkMs) => afterMarkMs <= 0,
  pathMinutes: 60,
  graduatedLifeMs: 65 * minuteMs,
  idleLifeMs: 24 * 60 * minuteMs,
  isInLookBack: (ageMs, lookBackMs) => ageMs < lookBackMs,
}

/** Returns the exit rules, with some of them changed. */
export const withExits = (changed: Readonly<Record<string, Omit<ExitRule, 'name'>>>): Pick<Rules, 'exitRules'> => ({
  exitRules: rules.exitRules.map((rule) => ({ ...rule, ...changed[rule.name] })),
})
