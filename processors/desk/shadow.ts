/**
 * The shadow of a signal: the prices in the hour after the time at which a lane would be filled. Prices are relative to the price at that
 * time.
 */

import assert from 'node:assert/strict'
import type { DeskShadow } from '../../schemas/desk/derived.ts'
import type { DeskRules } from '../../schemas/desk/rules.ts'
import { type EpochMs, minuteMs } from '../../schemas/units.ts'
import { isPulled } from '../markets/move.ts'
import type { TradableMarket } from './tradable-market.ts'

/** The times of the returns `ret1`, `ret5`, `ret15` and `ret60` after the anchor, in ms. */
const marksMs = [minuteMs, 5 * minuteMs, 15 * minuteMs, 60 * minuteMs] as const

export type Shadow = Pick<DeskShadow, 'signalAtMs' | 'signal' | 'anchorAtMs' | 'market'> & {
  readonly anchorPx: number
  readonly anchorLeft: number
  lastPx: number
  highPx: number
  lowPx: number
  /** The returns at the marks that have passed. */
  readonly returns: number[]
  endedAtMs: EpochMs | null
}

type Signal = Pick<Shadow, 'signalAtMs' | 'signal' | 'anchorAtMs' | 'market'>

export const openShadow = (
  { signalAtMs, signal, anchorAtMs, market }: Signal,
  { px, left }: TradableMarket,
): Shadow => ({
  signalAtMs,
  signal,
  anchorAtMs,
  market,
  anchorPx: px,
  anchorLeft: left,
  lastPx: px,
  highPx: px,
  lowPx: px,
  returns: [],
  endedAtMs: null,
})

type ShadowRules = Pick<DeskRules, 'shadowMs' | 'rugLeftRatioMax'>

export const shadowDueAtMs = ({ anchorAtMs }: Pick<Shadow, 'anchorAtMs'>, { shadowMs }: ShadowRules): EpochMs =>
  anchorAtMs + shadowMs

/**
 * Applies a move of the market. A mark at the exact time of the move uses the price after the move. After a
 * rug the price stays 0.
 */
export function followShadow(shadow: Shadow, { atMs, px, left }: TradableMarket, rules: ShadowRules): void {
  // A closed mint can be found again within the hour of a shadow. Prices of the curve then come again, but
  // the shadow has ended.
  if (shadow.endedAtMs !== null) return
  assert(atMs <= shadowDueAtMs(shadow, rules), 'a shadow must be published when its hour is over')
  passMarks(shadow, atMs)
  shadow.lastPx = shadow.lastPx === 0 || isPulled(shadow.anchorLeft, left, rules.rugLeftRatioMax) ? 0 : px
  shadow.highPx = Math.max(shadow.highPx, shadow.lastPx)
  shadow.lowPx = Math.min(shadow.lowPx, shadow.lastPx)
}

/** Ends the shadow when trading on the market ends. Marks at or after that instant have no return. */
export function endShadow(shadow: Shadow, atMs: EpochMs): void {
  if (shadow.endedAtMs !== null) return
  passMarks(shadow, atMs)
  shadow.endedAtMs = atMs
}

/** Returns the record of the shadow. Call this function when the hour is over or the market is closed. */
export function shadowOf(shadow: Shadow, rules: ShadowRules): DeskShadow {
  if (shadow.endedAtMs === null) passMarks(shadow, shadowDueAtMs(shadow, rules) + 1)
  const { signalAtMs, signal, anchorAtMs, market, anchorPx, highPx, lowPx, returns } = shadow
  const [ret1 = null, ret5 = null, ret15 = null, ret60 = null] = returns
  const [mfe, mae] = [highPx / anchorPx - 1, lowPx / anchorPx - 1]
  return { signalAtMs, signal, anchorAtMs, market, ret1, ret5, ret15, ret60, mfe, mae }
}

/** Adds the returns of the marks before `beforeMs`. The returns are computed from the last price. */
function passMarks(shadow: Shadow, beforeMs: EpochMs): void {
  const { anchorAtMs, anchorPx, lastPx, returns } = shadow
  while (anchorAtMs + (marksMs[returns.length] ?? Number.POSITIVE_INFINITY) < beforeMs)
    returns.push(lastPx / anchorPx - 1)
}
