/**
 * Builds `Markets`, the price and liquidity histories of pools and curves. Times are in seconds after
 * `testStartAtMs`.
 */
import { closeLine, lineOf, type Markets, noMarkets, openLine } from '../../../processors/markets/markets.ts'
import { addPoint, noPoints, pushPoint, secondOf } from '../../../processors/markets/points.ts'
import type { Market } from '../../../processors/markets/prices.ts'
import type { Hex } from '../../../schemas/units.ts'
import { second } from './build-facts.ts'

type Sample = Readonly<{ atSec: number; px?: number; depth?: number; left?: number; market?: Hex }>

export const onePool: Hex = '0xaa'
export const otherPool: Hex = '0xbb'

/**
 * Builds a market (a pool or a curve) that has just opened. By default, the market is kept in memory for
 * ever.
 */
export const buildMarket = (fields: Partial<Market> = {}): Market => ({
  ...{ market: onePool, source: 'pool', px: 1, depth: 0, openedAtMs: second(0), fill: null, supplyRaw: null },
  ...{ forgottenAtMs: null, idleLifeMs: Number.MAX_SAFE_INTEGER },
  ...fields,
})

/**
 * Builds markets from samples. A sample can have a price, a depth and the share of liquidity that is left. A
 * market opens with its first sample.
 */
export function buildMarkets(samples: readonly Sample[], fields: Partial<Market> = {}): Markets {
  const markets = noMarkets()
  for (const { atSec, px, depth, left, market = onePool } of samples) {
    const known = lineOf(markets, market)
    const opening = buildMarket({ openedAtMs: second(atSec), ...fields, market })
    const line = known?.closedAtMs === null ? known : openLine(markets, opening)
    if (px !== undefined) addPoint(line.prices, second(atSec), px)
    line.depths ??= depth === undefined ? null : noPoints()
    if (line.depths !== null && depth !== undefined) addPoint(line.depths, second(atSec), depth)
    line.lefts ??= left === undefined ? null : { atMs: [0], value: [1] }
    if (line.lefts !== null && left !== undefined) pushPoint(line.lefts, second(atSec), left)
    markets.newestAtMs = secondOf(second(atSec))
  }
  return markets
}

export function closeAt(
  markets: Markets,
  atSec: number,
  { market = onePool, next = null as Hex | null } = {},
): Markets {
  const line = lineOf(markets, market)
  if (line === undefined) return markets
  if (next !== null) line.endedAtMs = second(atSec)
  closeLine(line, second(atSec), next)
  return markets
}
