/**
 * Records a shadow: the prices in the hour after a signal. The hour begins when a position on the signal
 * would be opened. Prices are relative to the price at that time.
 */

import assert from 'node:assert/strict'
import type { DeskShadow } from '../../schemas/desk/derived.ts'
import type { DeskRules } from '../../schemas/desk/rules.ts'
import { type EpochMs, minuteMs } from '../../schemas/units.ts'
import { isPulled } from '../markets/move.ts'
import type { TradableMarket } from './tradable-market.ts'

/** The times of the returns `ret1`, `ret5`, `ret15` and `ret60` after the start of the shadow, in ms. */
const marksMs = [minuteMs, 5 * minuteMs, 15 * minuteMs, 60 * minuteMs] as const

export type Shadow = Pick<DeskShadow, 'signalAtMs' | 'signal' | 'anchorAtMs' | 'market'> & {
  readonly anchorPx: number
  readonly anchorLeft: number
  lastPx: number
  highPx: number
  lowPx: number
  /** The returns at those times of `marksMs` that have passed. */
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
 * Takes in a change of the market. A return at the exact time of the change uses the price after it. After
 * the liquidity was removed, the price stays 0.
 */
export function followShadow(shadow: Shadow, { atMs, px, left }: TradableMarket, rules: ShadowRules): void {
  // A token can be found again after its tracking has ended, within the hour of a shadow. The curve then has
  // prices again, but the shadow has ended.
  if (shadow.endedAtMs !== null) return
  assert(atMs <= shadowDueAtMs(shadow, rules), 'a shadow must be published when its hour is over')
  passMarks(shadow, atMs)
  shadow.lastPx = shadow.lastPx === 0 || isPulled(shadow.anchorLeft, left, rules.rugLeftRatioMax) ? 0 : px
  shadow.highPx = Math.max(shadow.highPx, shadow.lastPx)
  shadow.lowPx = Math.min(shadow.lowPx, shadow.lastPx)
}

/** Ends the shadow when trading on the market ends. Returns due at or after that time are not recorded. */
export function endShadow(shadow: Shadow, atMs: EpochMs): void {
  if (shadow.endedAtMs !== null) return
  passMarks(shadow, atMs)
  shadow.endedAtMs = atMs
}

/**
 * Returns the record of the shadow (the prices in the hour after a signal). Call this function when the hour
 * is over or the market is closed.
 */
export function shadowOf(shadow: Shadow, rules: ShadowRules): DeskShadow {
  if (shadow.endedAtMs === null) passMarks(shadow, shadowDueAtMs(shadow, rules) + 1)
  const { signalAtMs, signal, anchorAtMs, market, anchorPx, highPx, lowPx, returns } = shadow
  const [ret1 = null, ret5 = null, ret15 = null, ret60 = null] = returns
  const [mfe, mae] = [highPx / anchorPx - 1, lowPx / anchorPx - 1]
  return { signalAtMs, signal, anchorAtMs, market, ret1, ret5, ret15, ret60, mfe, mae }
}

/** Adds the returns that are due before `beforeMs`. They are computed from the last price. */
function passMarks(shadow: Shadow, beforeMs: EpochMs): void {
  const { anchorAtMs, anchorPx, lastPx, returns } = shadow
  while (anchorAtMs + (marksMs[returns.length] ?? Number.POSITIVE_INFINITY) < beforeMs)
    returns.push(lastPx / anchorPx - 1)
}
