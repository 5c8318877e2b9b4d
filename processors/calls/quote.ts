/** The price at an instant, for rules about calls. */
import type { EpochMs, MarketId } from '../../schemas/units.ts'
import {
  type Called,
  deepestAt,
  holds,
  isFollowed,
  type Line,
  type Markets,
  quoteOf,
  standingAt,
} from '../markets/markets.ts'
import type { Quote } from '../markets/prices.ts'

/** Returns a filter for the markets that are followed to the end of the call's watch. An anchor must be a price on such a market. */
export const fitsCallOf =
  (markets: Markets, called: Called) =>
  (line: Line): boolean =>
    isFollowed(markets, line, called)

/** The price on the deepest market that is followed for the call. Null: there was no price, or the instant is too long ago. */
export function quoteForCall(markets: Markets, atMs: EpochMs, called: Called): Quote | null {
  const line = holds(markets, atMs) ? deepestAt(markets, atMs, fitsCallOf(markets, called)) : null
  return line && quoteOf(line, atMs)
}

/** Returns the price on a market or its successor. Null: there is none, or it is no longer in memory. */
export function quoteOn(markets: Markets, market: MarketId, atMs: EpochMs): Quote | null {
  const line = standingAt(markets, market, atMs)
  return line && quoteOf(line, atMs)
}
