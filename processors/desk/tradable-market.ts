/** The price and liquidity of a market, as the paper desk needs them. */

import type { EpochMs } from '../../schemas/units.ts'
import type { Line } from '../markets/line.ts'
import { leftNow, pxNow } from '../markets/markets.ts'

/** The state of a market at one time. `left` is the remaining share of its liquidity, see `Line.lefts`. */
export type TradableMarket = Readonly<{ atMs: EpochMs; px: number; left: number }>

/** Returns the current state of a market. Returns null if the market cannot be traded now. */
export function tradableNow(line: Line): TradableMarket | null {
  if (line.endedAtMs !== null || line.closedAtMs !== null) return null
  const [px, left] = [pxNow(line), leftNow(line)]
  return px > 0 && left > 0 ? { atMs: line.movedAtMs, px, left } : null
}
