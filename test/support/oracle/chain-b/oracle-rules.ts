/** The numbers and choices of `schemas/chain-b/rules.ts`, written out once more, so that a test can bend each of them. */
const minuteMs = 60_000
const sol = 10n ** 9n

/** A share as a fraction of integers. */
type Fraction = Readonly<{ of: bigint; in: bigint }>

type ExitRule = Readonly<{
  name: string
  fadeLamports?: bigint
  stallMs?: number
  gain?: number
  trail?: number
  afterMs?: number
}>

export const oracleRules = {
  windowMs: minuteMs,
  windowIncludesStart: false,
  inflowLamports: 10n * sol,
  thresholdIsStrict: false,
  recentMs: 15_000 as number | null,
  ageMsMin: 5 * minuteMs,
  ageMsMax: 240 * minuteMs,
  fillMin: { of: 25n, in: 100n } as Fraction,
  fillMax: { of: 55n, in: 100n } as Fraction,
  oneUnscoredAtATime: true,
  lateFactsCount: false,
  outcomeMs: 20 * minuteMs,
  price: 'square' as 'square' | 'quotient' | 'plain',
  oneOddTradeIsEnough: true,
  costs: 0.025,
  stop: 0.85,
  isStopFirst: true,
  completionEnds: true,
  isTimeUpAtItsInstant: false,
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
  ] as readonly ExitRule[],
  bundleBuys: 2,
  topHolders: 10,
  leavesCurveOut: true,
  anatomyDelayMs: 5000,
  pathMinutes: 60,
  postMinutes: [1, 5, 15] as readonly number[],
  graduatedLifeMs: 65 * minuteMs,
  idleLifeMs: 24 * 60 * minuteMs,
} as const

export type OracleRules = { readonly [Name in keyof typeof oracleRules]: Widened<(typeof oracleRules)[Name]> }
export type OracleExitRule = OracleRules['exitRules'][number]

type Widened<T> = T extends number ? number : T extends bigint ? bigint : T extends boolean ? boolean : T

/** The rules, each time with one of them bent. */
export const mutations: readonly Readonly<{ name: string; rules: OracleRules }>[] = (
  [
    ['a window of 61 s', { windowMs: 61_000 }],
    ['a window that includes its first instant', { windowIncludesStart: true }],
    ['an inflow of 9.9 SOL', { inflowLamports: (99n * sol) / 10n }],
    ['an inflow of 10.05 SOL', { inflowLamports: (1005n * sol) / 100n }],
    ['a window of 30 s', { windowMs: 30_000 }],
    ['an inflow of 12 SOL', { inflowLamports: 12n * sol }],
    ['curves from 40 % full', { fillMin: { of: 40n, in: 100n } }],
    ['curves up to 35 % full', { fillMax: { of: 35n, in: 100n } }],
    ['outcomes after 5 min', { outcomeMs: 5 * minuteMs }],
    ['a stop at -5 %', { stop: 0.95 }],
    ['costs of 2.6 %', { costs: 0.026 }],
    ['no need to buy still', { recentMs: null }],
    ['tokens from 4 min of age', { ageMsMin: 4 * minuteMs }],
    ['tokens up to 3 h of age', { ageMsMax: 180 * minuteMs }],
    ['curves from 24 % full', { fillMin: { of: 24n, in: 100n } }],
    ['curves up to 56 % full', { fillMax: { of: 56n, in: 100n } }],
    ['several unscored bursts at a time', { oneUnscoredAtATime: false }],
    ['late facts that count', { lateFactsCount: true }],
    ['outcomes after 19 min', { outcomeMs: 19 * minuteMs }],
    ['a price that is no square', { price: 'plain' }],
    ['only the signal decides which price', { oneOddTradeIsEnough: false }],
    ['returns without costs', { costs: 0 }],
    ['a stop at -14 %', { stop: 0.86 }],
    ['the stop after the rule’s own exit', { isStopFirst: false }],
    ['no end at completion', { completionEnds: false }],
    ['a time limit that is up at its instant', { isTimeUpAtItsInstant: true }],
    ['bundles of three', { bundleBuys: 3 }],
    ['the nine largest holders', { topHolders: 9 }],
    ['a curve that is a holder', { leavesCurveOut: false }],
    ['a path of 59 minutes', { pathMinutes: 59 }],
    ['returns 2 minutes after the pool opened', { postMinutes: [2, 5, 15] }],
    ['an hour with a graduated mint', { graduatedLifeMs: 60 * minuteMs }],
  ] as readonly (readonly [string, Partial<OracleRules>])[]
).map(([name, change]) => ({ name, rules: { ...oracleRules, ...change } }))
