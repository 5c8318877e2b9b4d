/** What happens on a market of a token, as the fold of markets tells the processors behind it. */
import type { StageRecord } from '../../schemas/stage.ts'
import type { Hex } from '../../schemas/units.ts'

/**
 * `price`: a fact set the price. `liquidity`: a transaction changed the liquidity; `ratio` is the coin side after / before it, and
 * `left` what remains of it (see `Line`). `graduated`: the curve is complete, so nobody trades on it any more. `closed`: the
 * market is followed no longer; `next` goes on in its place.
 */
export type Move = Readonly<{ market: Hex; atMs: number }> &
  (
    | Readonly<{ type: 'price'; px: number; fact: StageRecord }>
    | Readonly<{ type: 'liquidity'; ratio: number; left: number }>
    | Readonly<{ type: 'graduated' }>
    | Readonly<{ type: 'closed'; next: Hex | null }>
  )

/** For the rounding of products of doubles. */
const tolerance = 1e-12

/** Whether so little of the liquidity is left that the market was pulled, for whoever anchored on it at `before`. */
export const isPulled = (before: number, left: number, leftMax: number): boolean =>
  left <= (leftMax + tolerance) * before
