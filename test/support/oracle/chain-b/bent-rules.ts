/**
 * Lists changed rules with one deliberate error each. With each of them, the recomputed rows must differ from
 * the rows of the service.
 */
import { type Rules, rules, withExits } from './rules.ts'

export type BentRules = Readonly<{ name: string; rules: Rules }>

const bent = (name: string, changed: Partial<Rules>): BentRules => ({ name, rules: { ...rules, ...changed } })

/** The changed rules whose errors show in randomly drawn test data. */
export const bentRules: readonly BentRules[] = [
  bent('a window of 61 s', { windowMs: 61_000 }),
  bent('a window of 30 s', { windowMs: 30_000 }),
  bent('a window with its first instant', { isInWindow: (ageMs, windowMs) => ageMs <= windowMs }),
  bent('an inflow of 9.9 SOL', { inflowLamports: 9_900_000_000n }),
  bent('an inflow of 10.05 SOL', { inflowLamports: 10_050_000_000n }),
  bent('an inflow of 12 SOL', { inflowLamports: 12_000_000_000n }),
  bent('no buying in the last 15 s', { recentMs: null }),
  bent('from 4 min of age', { ageMsMin: 240_000 }),
  bent('up to 3 h of age', { ageMsMax: 10_800_000 }),
  bent('from 24 %', { fillPercentMin: 24n }),
  bent('from 40 %', { fillPercentMin: 40n }),
  bent('to 56 %', { fillPercentMax: 56n }),
  bent('to 35 %', { fillPercentMax: 35n }),
  bent('several unscored bursts at a time', { oneUnscoredAtATime: false }),
  bent('late facts that count', { lateFactsCount: true }),
  bent('scored after 19 min', { outcomeMs: 1_140_000 }),
  bent('scored after 5 min', { outcomeMs: 300_000 }),
  bent('no end at completion', { completionEnds: false }),
  bent('a price linear in SOL', { standardPrice: ({ virtualQuoteRaw }) => Number(virtualQuoteRaw) }),
  bent('a price of the real SOL', { standardPrice: ({ realQuoteRaw }) => Number(realQuoteRaw) ** 2 }),
  bent('only the signal decides which price', { oneOddTradeIsEnough: false }),
  bent('costs of 2.6 %', { costs: 0.026 }),
  bent('a stop at -14 %', { stop: 0.86 }),
  bent('a stop at -5 %', { stop: 0.95 }),
  bent('the stop after the rule’s own exit', { isStopFirst: false }),
  bent('a time that is up at its instant', { isTimeUp: (endsAtMs, tradeAtMs) => endsAtMs <= tradeAtMs }),
  bent('a live rule of 4.9 SOL', withExits({ live: { fadeLamports: 4_900_000_000n } })),
  bent('a fade of 2.1 SOL', withExits({ 'fade-2': { fadeLamports: 2_100_000_000n } })),
  bent('a stall of 59 s', withExits({ stall: { stallMs: 59_000 } })),
  bent('a profit of 51 %', withExits({ 'take-profit-50': { gain: 1.51 } })),
  bent('a profit of 101 %', withExits({ 'take-profit-100': { gain: 2.01 } })),
  bent('a trail of 19 %', withExits({ 'trail-20': { trail: 0.81 } })),
  bent('five minutes less a second', withExits({ 'time-5m': { afterMs: 299_000 } })),
  bent('ten minutes less a second', withExits({ 'time-10m': { afterMs: 599_000 } })),
  bent('bundles of three', { bundleBuys: 3 }),
  bent('the curve a holder', { leavesCurveOut: false }),
  bent('the nine largest holders', { topHolders: 9 }),
  bent('returns after 2, 5 and 15 min', { postMinutes: [2, 5, 15] }),
  bent('returns after 1, 5 and 14 min', { postMinutes: [1, 5, 14] }),
  bent('a path of 59 min', { pathMinutes: 59 }),
  bent('an hour with a graduated mint', { graduatedLifeMs: 3_600_000 }),
]

/** The changed rules whose errors show only on mints exactly at the limits of the rules. */
export const bentBounds: readonly BentRules[] = [
  bent('a window of 59 s', { windowMs: 59_000 }),
  bent('an inflow of a lamport more', { inflowLamports: 10_000_000_001n }),
  bent('the last 14 s', { recentMs: 14_000 }),
  bent('an age of a second less', { ageMsMin: 299_000 }),
  bent('an age of a second more', { ageMsMax: 14_401_000 }),
  bent('strict bounds', { atLeast: (one, other) => one > other }),
  bent('an outcome without its last instant', { isInOutcome: (afterMs, outcomeMs) => afterMs < outcomeMs }),
  bent('an anatomy a second later', { anatomyDelayMs: 6_000 }),
  bent('returns before their instant', { isAtMark: (afterMarkMs) => afterMarkMs < 0 }),
  bent('a look-back with its first instant', { isInLookBack: (ageMs, lookBackMs) => ageMs <= lookBackMs }),
]
