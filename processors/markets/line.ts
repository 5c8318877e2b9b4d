/** One market of a token, with its past prices and its remaining liquidity. */
import type { EpochMs, MarketId } from '../../schemas/units.ts'
import { noPoints, type Points } from './points.ts'
import type { Market } from './prices.ts'

export type Line = Pick<Market, 'market' | 'source' | 'openedAtMs' | 'supplyRaw' | 'forgottenAtMs' | 'idleLifeMs'> & {
  readonly prices: Points
  /**
   * The depth (amount of coins) over time, measured only while the token has several markets. It shows which
   * market was the deepest at a given time.
   */
  depths: Points | null
  /**
   * For a curve, the fill (sold share of its tokens) at each entry into another band (`bandOf`). No rule
   * needs the fill in between.
   */
  fills: Points | null
  /** The current fill of a curve (the sold share of its tokens), 0 to 1. Null for a pool. */
  fill: number | null
  /**
   * The remaining share of the liquidity over time, beginning at 1. Each transaction that changes the
   * liquidity multiplies the share by a ratio. The share is 0 while the pool is empty, and 1 again when it
   * gets liquidity. Times are not rounded to seconds, because the order of two changes within a second
   * matters. Null if the share was always 1.
   */
  lefts: Points | null
  /** The time of the last trade, opening price or change of liquidity. */
  movedAtMs: EpochMs
  /** The time at which the curve was completed. Null for an incomplete curve, and for a pool. */
  endedAtMs: EpochMs | null
  /** The time at which tracking ended. After that, only calls keep the market open. Null: the market is tracked. */
  releasedAtMs: EpochMs | null
  /** The time at which the market was closed, rounded up to a whole second. Null: the market is open. */
  closedAtMs: EpochMs | null
  /** The market that replaced this market, such as the pool after a curve. */
  next: MarketId | null
}

/** Begins a market that has no price yet. One literal without spreads takes the least memory. */
export const newLine = ({ market, source, openedAtMs, supplyRaw, forgottenAtMs, idleLifeMs, fill }: Market): Line => ({
  market,
  source,
  openedAtMs,
  supplyRaw,
  forgottenAtMs,
  idleLifeMs,
  fill,
  prices: noPoints(),
  depths: null,
  fills: null,
  lefts: null,
  movedAtMs: 0,
  endedAtMs: null,
  closedAtMs: null,
  next: null,
  releasedAtMs: null,
})
