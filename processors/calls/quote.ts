/** The price at an instant, as rules about calls ask for it. */
import type { Hex } from '../../schemas/units.ts'
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

/** A call may be anchored on the markets that are followed to the end of its watch. */
export const fitsCallOf =
  (markets: Markets, called: Called) =>
  (line: Line): boolean =>
    isFollowed(markets, line, called)

/** On the deepest market that is followed for the call. Null: there was no price, or it is too long ago. */
export function quoteForCall(markets: Markets, atMs: number, called: Called): Quote | null {
  const line = holds(markets, atMs) ? deepestAt(markets, atMs, fitsCallOf(markets, called)) : null
  return line && quoteOf(line, atMs)
}

/** On a market, or what went on from it. */
export function quoteOn(markets: Markets, market: Hex, atMs: number): Quote | null {
  const line = holds(markets, atMs) ? standingAt(markets, market, atMs) : null
  return line && quoteOf(line, atMs)
}
