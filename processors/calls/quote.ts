/** Finds the price of a token at a given time, for the rules about calls (posts that recommend a token). */
import type { EpochMs, MarketId } from '../../schemas/units.ts'
import type { Line } from '../markets/line.ts'
import { type Called, deepestAt, holds, isFollowed, lineAt, type Markets, quoteOf } from '../markets/markets.ts'
import type { Quote } from '../markets/prices.ts'

/**
 * Returns a filter that accepts the markets that ingest records for the whole observation after the call.
 * Only the price on such a market can be the first price.
 */
export const fitsCallOf =
  (markets: Markets, called: Called) =>
  (line: Line): boolean =>
    isFollowed(markets, line, called)

/**
 * Returns the price on the market with the most liquidity, among the markets that ingest records for the
 * whole observation after the call. Null if there was no price, or if prices of that time are no longer in
 * memory.
 */
export function quoteForCall(markets: Markets, atMs: EpochMs, called: Called): Quote | null {
  const line = holds(markets, atMs) ? deepestAt(markets, atMs, fitsCallOf(markets, called)) : null
  return line && quoteOf(line, atMs)
}

/**
 * Returns the price on this market, or on the market that has replaced it. Null if there is no price, or if
 * prices of that time are no longer in memory.
 */
export function quoteOn(markets: Markets, market: MarketId, atMs: EpochMs): Quote | null {
  const line = lineAt(markets, market, atMs)
  return line && quoteOf(line, atMs)
}
