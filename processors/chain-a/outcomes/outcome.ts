/** What a burst was worth: the price path of the half hour after its signal, and where each exit rule left it. */
import type { Burst, BurstOutcome, ExitReason } from '../../../schemas/chain-a/derived.ts'
import { type ExitRule, exitRules, type PricePath, stopRatio } from './exit-rules.ts'
import { isRug, type Pull } from './rug.ts'

export const outcomeMs = 30 * 60_000

/** Of the round trip, taken off every return. */
export const costs = 0.02

type Exit = Readonly<{ px: number; atMs: number; why: ExitReason }>

/** A burst under watch. `exits` stand as `exitRules` do, null where a rule is still in. */
export type Watch = {
  burst: Pick<Burst, 'pool' | 'tier' | 'atMs'>
  path: PricePath
  exits: (Exit | null)[]
  /** Of the liquidity at the signal, by its ETH side; adds raise it. */
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
 * First the limits that ran out before the swap, at the price before it; then the swap, the stop, and the rules' own exits.
 * After a rug there is nothing left to follow.
 */
export function followSwap(watch: Watch, swap: PricedSwap): void {
  const { path, exits, rug } = watch
  if (rug) return
  leaveInTime(watch, swap.atMs)
  movePath(path, swap)
  const isStopped = path.lastPx <= stopRatio * path.signalPx
  for (let index = 0; index < exitRules.length; index++) {
    if (exits[index]) continue
    const why = isStopped ? 'stop' : reasonAtSwap(exitRules[index], path)
    if (why) exits[index] = { px: path.lastPx, atMs: swap.atMs, why }
  }
}

/**
 * A transaction of a block after the signal block that changed the pool's liquidity. When too little is left, all who are
 * still in have lost everything; limits that ran out before it stand.
 */
export function followPull(watch: Watch, { atMs, ratio }: Pull): void {
  const { path, exits } = watch
  if (watch.rug) return
  watch.remaining *= ratio
  if (!isRug(watch.remaining)) return
  leaveInTime(watch, atMs)
  watch.rug = { atSec: Math.floor((atMs - path.signalAtMs) / 1000), lpRemoved: 1 - watch.remaining }
  path.lastPx = 0
  exitRules.forEach((rule, index) => {
    exits[index] ??= { px: 0, atMs, why: rule.inTime || rule.atSwap ? 'rug' : 'held_rug' }
  })
}

/** At the end of the window, all its swaps and pulls followed. A limit at the very end has run out. */
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

/** By the limits that ran out before the instant: whole milliseconds. */
function leaveInTime({ path, exits }: Watch, beforeMs: number): void {
  for (let index = 0; index < exitRules.length; index++) {
    const inTime = exitRules[index]?.inTime
    if (!inTime || exits[index]) continue
    const atMs = inTime.limitAtMs(path)
    if (atMs < beforeMs) exits[index] = { px: path.lastPx, atMs, why: inTime.why }
  }
}

const reasonAtSwap = (rule: ExitRule | undefined, path: PricePath): ExitReason | null =>
  rule?.atSwap?.isReached(path) ? rule.atSwap.why : null

function movePath(path: PricePath, { atMs, px, ethWei }: PricedSwap): void {
  path.lastPx = px
  path.netWei += ethWei
  if (path.netWei > path.netHighWei) path.netHighWei = path.netWei
  if (px <= path.highPx) return
  path.highPx = px
  path.highAtMs = atMs
}
