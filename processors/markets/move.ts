/** A change of a token's market. The markets processor passes the change to later processors of the stage. */
import type { StageRecord } from '../../schemas/stage.ts'
import type { EpochMs, MarketId } from '../../schemas/units.ts'

/**
 * - `price`: a fact set the price.
 * - `liquidity`: a transaction changed the liquidity. `ratio` is the coins in the market after the transaction divided by the coins before
 *   it, at one price. `left` is the remaining share of the liquidity (see `Line.lefts`).
 * - `graduated`: the curve is complete, so trading on it ends.
 * - `closed`: the stage stops following the market. `next` is its successor.
 */
export type Move = Readonly<{ market: MarketId; atMs: EpochMs }> &
  (
    | Readonly<{ type: 'price'; px: number; fact: StageRecord }>
    | Readonly<{ type: 'liquidity'; ratio: number; left: number }>
    | Readonly<{ type: 'graduated' }>
    | Readonly<{ type: 'closed'; next: MarketId | null }>
  )

/** The tolerance for the rounding of products of doubles. */
const tolerance = 1e-12

/** Returns whether the market was pulled: `left` is at most the share `leftMax` of `before`, the liquidity at the anchor. */
export const isPulled = (before: number, left: number, leftMax: number): boolean =>
  left <= (leftMax + tolerance) * before
