/** One way to price the trades after a signal, and where each exit rule exits on it. */
import type { BurstOutcome, ExitReason } from '../../../schemas/chain-b/derived.ts'
import type { ExitRule, PricePath } from './exit-rules.ts'

/** How a track is scored. */
export type TrackRules = Readonly<{ exitRules: readonly ExitRule[]; stopRatio: number; costRatio: number }>

type Exit = Readonly<{ px: number; atMs: number; why: ExitReason }>

/** `exits` has the order of `exitRules`; null if the rule has not exited. */
export type Track = { path: PricePath; exits: (Exit | null)[] }

export type PricedTrade = Readonly<{ atMs: number; px: number; lamports: number }>

/** The path begins at the signal price, before any trade of a later slot. */
export const openTrack = (signalAtMs: number, signalPx: number, { exitRules }: TrackRules): Track => ({
  path: {
    signalAtMs,
    signalPx,
    lastPx: signalPx,
    highPx: signalPx,
    highAtMs: signalAtMs,
    netLamports: 0,
    netHighLamports: 0,
  },
  exits: exitRules.map(() => null),
})

/** First the time limits that ran out before the trade, at the price before it; then the stop, and the rules' own exits. */
export function followTrade(track: Track, trade: PricedTrade, rules: TrackRules): void {
  const { path, exits } = track
  const { exitRules, stopRatio } = rules
  leaveInTime(track, trade.atMs, rules)
  movePath(path, trade)
  const isStopped = path.lastPx <= stopRatio * path.signalPx
  for (const [index, rule] of exitRules.entries()) {
    if (exits[index]) continue
    const why = isStopped ? 'stop' : reasonAtTrade(rule, path)
    if (why) exits[index] = { px: path.lastPx, atMs: trade.atMs, why }
  }
}

/** Exits the rules whose time limit is before the instant, at the last price. Instants are whole milliseconds. */
export function leaveInTime({ path, exits }: Track, beforeMs: number, { exitRules }: TrackRules): void {
  for (const [index, { inTime }] of exitRules.entries()) {
    if (!inTime || exits[index]) continue
    const atMs = inTime.limitAtMs(path)
    if (atMs < beforeMs) exits[index] = { px: path.lastPx, atMs, why: inTime.why }
  }
}

/** The curve is complete: all rules still in exit at the last price. */
export function leaveAtCompletion({ path, exits }: Track, atMs: number, { exitRules }: TrackRules): void {
  for (const index of exitRules.keys()) exits[index] ??= { px: path.lastPx, atMs, why: 'graduated' }
}

export const returnAt = (px: number, { signalPx }: PricePath, { costRatio }: TrackRules): number =>
  px / signalPx - 1 - costRatio

export const exitsOf = ({ path, exits }: Track, rules: TrackRules): BurstOutcome['exits'] =>
  rules.exitRules.map(({ name: rule }, index) => {
    const exit = exits[index]
    if (!exit) return { rule, ret: returnAt(path.lastPx, path, rules), why: 'held', sec: null }
    return { rule, ret: returnAt(exit.px, path, rules), why: exit.why, sec: secOf(exit, path) }
  })

const secOf = ({ atMs }: Exit, { signalAtMs }: PricePath): number => Math.floor((atMs - signalAtMs) / 1000)

const reasonAtTrade = ({ atTrade }: ExitRule, path: PricePath): ExitReason | null =>
  atTrade?.isReached(path) ? atTrade.why : null

function movePath(path: PricePath, { atMs, px, lamports }: PricedTrade): void {
  path.lastPx = px
  path.netLamports += lamports
  if (path.netLamports > path.netHighLamports) path.netHighLamports = path.netLamports
  if (px <= path.highPx) return
  path.highPx = px
  path.highAtMs = atMs
}
