/** The price at an instant, for rules about calls. */
import type { EpochMs, MarketId } from '../../schemas/units.ts'
import {
  type Called,
  deepestAt,
  holds,
  isFollowed,
  type Line,
  lineAt,
  type Markets,
  quoteOf,
} from '../markets/markets.ts'
import type { Quote } from '../markets/prices.ts'

/**
 * Returns a filter for the markets that are followed until the end of the call's watch. Only a price on such
 * a market can be an anchor.
 */
export const fitsCallOf =
  (markets: Markets, called: Called) =>
  (line: Line): boolean =>
    isFollowed(markets, line, called)

/**
 * Returns the price on the market with the most liquidity among the markets followed for the call. Returns
 * null if there was no price, or if the time is too long ago.
 */
export function quoteForCall(markets: Markets, atMs: EpochMs, called: Called): Quote | null {
  const line = holds(markets, atMs) ? deepestAt(markets, atMs, fitsCallOf(markets, called)) : null
  return line && quoteOf(line, atMs)
}

/**
 * Returns the price on a market or its successor. Returns null if there is no price, or if the price is no
 * longer in memory.
 */
export function quoteOn(markets: Markets, market: MarketId, atMs: EpochMs): Quote | null {
  const line = lineAt(markets, market, atMs)
  return line && quoteOf(line, atMs)
}
