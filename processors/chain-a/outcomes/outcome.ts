/** The outcome of a burst: the price path after its signal, and where each exit rule exits. */
import type { Burst, BurstOutcome, ExitReason } from '../../../schemas/chain-a/derived.ts'
import type { ChainANumbers } from '../../../schemas/chain-a/numbers.ts'
import { isPulled } from '../../markets/move.ts'
import { type ExitRule, exitRulesOf, type PricePath } from './exit-rules.ts'

/** The result of a transaction: `ratio` is the ETH side after it / before it, at the price before it. */
export type Pull = Readonly<{ atMs: number; ratio: number }>

/** How bursts are scored. */
export type Scoring = Omit<ChainANumbers['outcomes'], 'exits'> & Readonly<{ exitRules: readonly ExitRule[] }>

export const scoringOf = ({ exits, ...rules }: ChainANumbers['outcomes']): Scoring => ({
  ...rules,
  exitRules: exitRulesOf(exits),
})

type Exit = Readonly<{ px: number; atMs: number; why: ExitReason }>

/** A burst that is followed. `exits` has the order of `exitRules`; null if the rule has not exited. */
export type Watch = {
  burst: Pick<Burst, 'pool' | 'tier' | 'atMs'>
  path: PricePath
  exits: (Exit | null)[]
  /** Share of the liquidity at the signal that is left, by its ETH side. Adds raise it. */
  remaining: number
  rug: BurstOutcome['rug']
}

export const endOf = (watch: Watch, { lengthMs }: Scoring): number => watch.burst.atMs + lengthMs

/** The path begins at the signal price, before any swap of a later block. */
export const openWatch = ({ pool, tier, atMs, px }: Burst, { exitRules }: Scoring): Watch => ({
  burst: { pool, tier, atMs },
  path: {
    signalAtMs: atMs,
    signalPx: px,
    lastPx: px,
    highPx: px,
    highAtMs: atMs,
    netWei: 0n,
    netHighWei: 0n,
  },
  exits: exitRules.map(() => null),
  remaining: 1,
  rug: null,
})

/** A counted swap of a block after the signal block; swaps come in chain order. */
export type PricedSwap = Readonly<{ atMs: number; px: number; ethWei: bigint }>

/**
 * First the time limits that ran out before the swap, at the price before it; then the swap, the stop, and the rules' own
 * exits. After a rug nothing is followed.
 */
export function followSwap(watch: Watch, swap: PricedSwap, { exitRules, stopRatio }: Scoring): void {
  const { path, exits, rug } = watch
  if (rug) return
  leaveInTime(watch, swap.atMs, exitRules)
  movePath(path, swap)
  const isStopped = path.lastPx <= stopRatio * path.signalPx
  exitRules.forEach((rule, index) => {
    if (exits[index]) return
    const why = isStopped ? 'stop' : reasonAtSwap(rule, path)
    if (why) exits[index] = { px: path.lastPx, atMs: swap.atMs, why }
  })
}

/**
 * A transaction after the signal block that changed the pool's liquidity. If too little is left, all rules still in lose
 * everything. Time limits that ran out before it still apply.
 */
export function followPull(watch: Watch, { atMs, ratio }: Pull, { exitRules, rugLeftRatioMax }: Scoring): void {
  const { path, exits } = watch
  if (watch.rug) return
  watch.remaining *= ratio
  if (!isPulled(1, watch.remaining, rugLeftRatioMax)) return
  leaveInTime(watch, atMs, exitRules)
  watch.rug = { atSec: Math.floor((atMs - path.signalAtMs) / 1000), lpRemoved: 1 - watch.remaining }
  path.lastPx = 0
  exitRules.forEach((rule, index) => {
    exits[index] ??= { px: 0, atMs, why: rule.inTime || rule.atSwap ? 'rug' : 'held_rug' }
  })
}

/** Call it at the end of the window, after all its swaps and pulls. A time limit at exactly the end has run out. */
export function scoreWatch(watch: Watch, scoring: Scoring): BurstOutcome {
  const { burst, path } = watch
  const { exitRules, costRatio } = scoring
  leaveInTime(watch, endOf(watch, scoring) + 1, exitRules)
  const returnAt = (px: number): number => px / path.signalPx - 1 - costRatio
  const exits = exitRules.map(({ name: rule }, index): BurstOutcome['exits'][number] => {
    const exit = watch.exits[index]
    if (!exit) return { rule, ret: returnAt(path.lastPx), why: 'held', sec: null }
    return { rule, ret: returnAt(exit.px), why: exit.why, sec: Math.floor((exit.atMs - path.signalAtMs) / 1000) }
  })
  return {
    ...burst,
    ret30m: returnAt(path.lastPx),
    peakRet: returnAt(path.highPx),
    ruleRet: exits[0]?.ret ?? returnAt(path.lastPx),
    exits,
    rug: watch.rug,
  }
}

/** Exits the rules whose time limit is before the instant. Instants are whole milliseconds. */
function leaveInTime({ path, exits }: Watch, beforeMs: number, exitRules: readonly ExitRule[]): void {
  exitRules.forEach(({ inTime }, index) => {
    if (!inTime || exits[index]) return
    const atMs = inTime.limitAtMs(path)
    if (atMs < beforeMs) exits[index] = { px: path.lastPx, atMs, why: inTime.why }
  })
}

const reasonAtSwap = ({ atSwap }: ExitRule, path: PricePath): ExitReason | null =>
  atSwap?.isReached(path) ? atSwap.why : null

function movePath(path: PricePath, { atMs, px, ethWei }: PricedSwap): void {
  path.lastPx = px
  path.netWei += ethWei
  if (path.netWei > path.netHighWei) path.netHighWei = path.netWei
  if (px <= path.highPx) return
  path.highPx = px
  path.highAtMs = atMs
}
