/** The outcome of a burst: the price path of the half hour after its signal, and where each exit rule exits. */
import type { Burst, BurstOutcome, ExitReason } from '../../../schemas/chain-a/derived.ts'
import { isPulled } from '../../markets/move.ts'
import { type ExitRule, exitRules, type PricePath, stopRatio } from './exit-rules.ts'

/** It is a rug if no more than this share of the liquidity at the signal is left. */
export const rugRatioMax = 0.2

/** The result of a transaction: `ratio` is the ETH side after it / before it, at the price before it. */
export type Pull = Readonly<{ atMs: number; ratio: number }>

export const outcomeMs = 30 * 60_000

/** Costs of buying and selling, deducted from every return. */
export const costs = 0.02

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

export const endOf = (watch: Watch): number => watch.burst.atMs + outcomeMs

/** The path begins at the signal price, before any swap of a later block. */
export const openWatch = ({ pool, tier, atMs, px }: Burst): Watch => ({
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
export function followSwap(watch: Watch, swap: PricedSwap): void {
  const { path, exits, rug } = watch
  if (rug) return
  leaveInTime(watch, swap.atMs)
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
export function followPull(watch: Watch, { atMs, ratio }: Pull): void {
  const { path, exits } = watch
  if (watch.rug) return
  watch.remaining *= ratio
  if (!isPulled(1, watch.remaining, rugRatioMax)) return
  leaveInTime(watch, atMs)
  watch.rug = { atSec: Math.floor((atMs - path.signalAtMs) / 1000), lpRemoved: 1 - watch.remaining }
  path.lastPx = 0
  exitRules.forEach((rule, index) => {
    exits[index] ??= { px: 0, atMs, why: rule.inTime || rule.atSwap ? 'rug' : 'held_rug' }
  })
}

/** Call it at the end of the window, after all its swaps and pulls. A time limit at exactly the end has run out. */
export function scoreWatch(watch: Watch): BurstOutcome {
  const { burst, path } = watch
  leaveInTime(watch, endOf(watch) + 1)
  const exits = exitRules.map((rule, index) => exitOf(rule, watch.exits[index] ?? null, path))
  return {
    ...burst,
    ret30m: returnAt(path.lastPx, path),
    peakRet: returnAt(path.highPx, path),
    ruleRet: exits[0]?.ret ?? returnAt(path.lastPx, path),
    exits,
    rug: watch.rug,
  }
}

const returnAt = (px: number, path: PricePath): number => px / path.signalPx - 1 - costs

function exitOf(rule: ExitRule, exit: Exit | null, path: PricePath): BurstOutcome['exits'][number] {
  if (!exit) return { rule: rule.name, ret: returnAt(path.lastPx, path), why: 'held', sec: null }
  const sec = Math.floor((exit.atMs - path.signalAtMs) / 1000)
  return { rule: rule.name, ret: returnAt(exit.px, path), why: exit.why, sec }
}

/** Exits the rules whose time limit is before the instant. Instants are whole milliseconds. */
function leaveInTime({ path, exits }: Watch, beforeMs: number): void {
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
