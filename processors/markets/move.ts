/** An event on a market of a token, which the fold of markets passes to the processors behind it. */
import type { StageRecord } from '../../schemas/stage.ts'
import type { EpochMs, MarketId } from '../../schemas/units.ts'

/**
 * `price`: a fact set the price. `liquidity`: a transaction changed the liquidity; `ratio` is the coin side after it divided by
 * that before it, and `left` is what remains (see `Line`). `graduated`: the curve is complete, which ends trading on it. `closed`:
 * the stage stops following the market; `next` is its successor.
 */
export type Move = Readonly<{ market: MarketId; atMs: EpochMs }> &
  (
    | Readonly<{ type: 'price'; px: number; fact: StageRecord }>
    | Readonly<{ type: 'liquidity'; ratio: number; left: number }>
    | Readonly<{ type: 'graduated' }>
    | Readonly<{ type: 'closed'; next: MarketId | null }>
  )

/** Allows for the rounding of products of doubles. */
const tolerance = 1e-12

/** Whether the market was pulled: at most the share `leftMax` of the liquidity at the anchor, `before`, is left. */
export const isPulled = (before: number, left: number, leftMax: number): boolean =>
  left <= (leftMax + tolerance) * before
