/**
 * The exit rules (rules for when to sell) with which the outcome of every burst is computed. All rules use
 * the same prices after the signal. Each rule gives its own time of sale. The file `rules.ts` of each chain
 * describes the rules in words.
 */

import type { DurationMs, EpochMs } from '../schemas/units.ts'

/** The prices after a signal, up to and including the last trade. All prices of one path have the same unit. */
export type PricePath = { signalAtMs: EpochMs; signalPx: number; lastPx: number; highPx: number; highAtMs: EpochMs }

/** A rule's own reasons to exit. */
type Way = 'burst_fade' | 'burst_stall' | 'take_profit' | 'trail' | 'time'

export type ExitRule<Path extends PricePath> = Readonly<{
  name: string
  /** Sells at the last price, with the first block later than `limitAtMs`. Each trade can change the limit. */
  inTime?: Readonly<{ limitAtMs: (path: Path) => number; why: Way }>
  /** Sells at the price of the first trade for which `isReached` returns true. */
  atTrade?: Readonly<{ isReached: (path: Path) => boolean; why: Way }>
}>

/**
 * The parameters of an exit rule that mean the same on every chain. If a parameter is missing, the rule lacks
 * the corresponding exit condition.
 */
type ExitValues = Readonly<{
  name: string
  gainRatio?: number | undefined
  trailRatio?: number | undefined
  stallMs?: DurationMs | undefined
  afterMs?: DurationMs | undefined
}>

/**
 * Builds the rules from their parameters, in the same order. The first rule gives the field `ruleRet` of an
 * outcome. `fadeOf` returns a function that tests whether the net inflow of the chain's coin has faded.
 * `fadeOf` returns null if the rule does not sell in this case.
 */
export const exitRulesOf = <Path extends PricePath, Values extends ExitValues>(
  exits: readonly Values[],
  fadeOf: (values: Values) => ((path: Path) => boolean) | null,
): readonly ExitRule<Path>[] =>
  exits.map((values) => {
    const { name, gainRatio, trailRatio, stallMs, afterMs } = values
    const hasFaded = fadeOf(values)
    return {
      name,
      ...(hasFaded && { atTrade: { isReached: hasFaded, why: 'burst_fade' } }),
      ...(gainRatio !== undefined && { atTrade: gain(gainRatio) }),
      ...(trailRatio !== undefined && { atTrade: trail(trailRatio) }),
      ...(stallMs !== undefined && { inTime: stall(stallMs) }),
      ...(afterMs !== undefined && { inTime: time(afterMs) }),
    }
  })

const gain = (ratio: number) =>
  ({ isReached: ({ lastPx, signalPx }: PricePath) => lastPx >= ratio * signalPx, why: 'take_profit' }) as const

const trail = (ratio: number) =>
  ({ isReached: ({ lastPx, highPx }: PricePath) => lastPx <= ratio * highPx, why: 'trail' }) as const

const stall = (stallMs: DurationMs) =>
  ({ limitAtMs: ({ highAtMs }: PricePath) => highAtMs + stallMs, why: 'burst_stall' }) as const

const time = (afterMs: DurationMs) =>
  ({ limitAtMs: ({ signalAtMs }: PricePath) => signalAtMs + afterMs, why: 'time' }) as const

/** The sale under one exit rule. `Ending` is the reason for an event of the chain at which all rules sell. */
type Exit<Ending> = Readonly<{ px: number; atMs: EpochMs; why: Way | 'stop' | Ending }>

/**
 * The prices after a signal, and the sale under each exit rule. `exits` has one entry per rule, in the order
 * of the rules. It is null while the rule has not sold.
 */
export type Track<Path extends PricePath, Ending = never> = { path: Path; exits: (Exit<Ending> | null)[] }

type Scored<Path extends PricePath> = Readonly<{ exitRules: readonly ExitRule<Path>[] }>

/** Begins a path with the price of the signal. It stays until the first trade of a later block. */
export const pathFrom = (signalAtMs: EpochMs, signalPx: number): PricePath => ({
  signalAtMs,
  signalPx,
  lastPx: signalPx,
  highPx: signalPx,
  highAtMs: signalAtMs,
})

export function movePrice(path: PricePath, { atMs, px }: Readonly<{ atMs: EpochMs; px: number }>): void {
  path.lastPx = px
  if (px <= path.highPx) return
  path.highPx = px
  path.highAtMs = atMs
}

/** Sells at the last price under each rule whose time limit is before `beforeMs`. */
export function leaveInTime<Path extends PricePath, Ending>(
  { path, exits }: Track<Path, Ending>,
  beforeMs: EpochMs,
  { exitRules }: Scored<Path>,
): void {
  // This loop runs for each trade after a signal. `entries` would make an object for each rule.
  for (let index = 0; index < exitRules.length; index++) {
    const inTime = exitRules[index]?.inTime
    if (!inTime || exits[index]) continue
    const atMs = inTime.limitAtMs(path)
    if (atMs < beforeMs) exits[index] = { px: path.lastPx, atMs, why: inTime.why }
  }
}

/**
 * Sells under each rule whose exit condition is met by a trade. The common stop price is checked first, then
 * the rule's own condition. Call this function after `movePrice` for the trade.
 */
export function leaveAtTrade<Path extends PricePath, Ending>(
  { path, exits }: Track<Path, Ending>,
  atMs: EpochMs,
  { exitRules, stopRatio }: Scored<Path> & Readonly<{ stopRatio: number }>,
): void {
  const isStopped = path.lastPx <= stopRatio * path.signalPx
  for (let index = 0; index < exitRules.length; index++) {
    if (exits[index]) continue
    const atTrade = exitRules[index]?.atTrade
    const why = isStopped ? 'stop' : atTrade?.isReached(path) ? atTrade.why : null
    if (why !== null) exits[index] = { px: path.lastPx, atMs, why }
  }
}

export const returnAt = (px: number, { signalPx }: PricePath, { costRatio }: Readonly<{ costRatio: number }>): number =>
  px / signalPx - 1 - costRatio

/**
 * Returns the result of each exit rule. Under a rule that has not sold, the return is computed from the last
 * price.
 */
export const exitsOf = <Path extends PricePath, Ending>(
  { path, exits }: Track<Path, Ending>,
  rules: Scored<Path> & Readonly<{ costRatio: number }>,
) =>
  rules.exitRules.map(({ name: rule }, index) => {
    const exit = exits[index]
    if (!exit) return { rule, ret: returnAt(path.lastPx, path, rules), why: 'held' as const, sec: null }
    const sec = Math.floor((exit.atMs - path.signalAtMs) / 1000)
    return { rule, ret: returnAt(exit.px, path, rules), why: exit.why, sec }
  })
