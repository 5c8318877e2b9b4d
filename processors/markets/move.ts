/** A change of a token's market. The processor `markets` passes each change to the processors after it. */
import type { StageRecord } from '../../schemas/stage.ts'
import type { EpochMs, MarketId } from '../../schemas/units.ts'

/**
 * - `price`: a fact set the price.
 * - `liquidity`: a transaction changed the liquidity. `ratio` is the amount of coins in the market after the
 *   transaction divided by the amount before it, at one price. `left` is the remaining share of the liquidity
 *   (see `Line.lefts`).
 * - `graduated`: the curve is complete, so trading on it ends.
 * - `closed`: the market is no longer tracked. `next` is the market that replaces it.
 */
export type Move = Readonly<{ market: MarketId; atMs: EpochMs }> &
  (
    | Readonly<{ type: 'price'; px: number; fact: StageRecord }>
    | Readonly<{ type: 'liquidity'; ratio: number; left: number }>
    | Readonly<{ type: 'graduated' }>
    | Readonly<{ type: 'closed'; next: MarketId | null }>
  )

/** The tolerance for rounding errors in products of doubles. */
const tolerance = 1e-12

/**
 * Returns whether the liquidity was pulled (removed by its owner): `left` is at most the share `leftMax` of
 * `before`.
 */
export const isPulled = (before: number, left: number, leftMax: number): boolean =>
  left <= (leftMax + tolerance) * before
