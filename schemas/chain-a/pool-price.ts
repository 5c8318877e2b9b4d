/**
 * The arithmetic of the pool contracts: Q64.96 square-root prices, and the amounts that a position holds at a
 * price.
 */

import type { SqrtPriceX96 } from '../units.ts'

const Q96 = 2 ** 96

/**
 * The limits of price ticks. A swap ends at a limit only if the pool has no liquidity left. So the price at a
 * limit is not a market price.
 */
export const priceTickMin = -887272
export const priceTickMax = 887272

/**
 * Returns the price in ETH per raw token unit, as a double with a relative error of about 1e-15. Multiply it
 * by 10^decimals to get the price of a whole token.
 */
export function priceFromSqrt(sqrtPriceX96: SqrtPriceX96, ethIsCurrency0: boolean): number {
  const root = Number(sqrtPriceX96) / Q96
  const currency1PerCurrency0 = root * root
  return ethIsCurrency0 ? 1e-18 / currency1PerCurrency0 : currency1PerCurrency0 * 1e-18
}

const sqrtAtPriceTick = (priceTick: number): number => 1.0001 ** (priceTick / 2)

/**
 * Returns the ETH (not wei) in a position of this liquidity over [tickLower, tickUpper) at the given price.
 * The relative error is about 1e-12, so the result is not exact to the wei.
 */
export function ethInPosition(
  position: Readonly<{
    liquidity: bigint
    tickLower: number
    tickUpper: number
  }>,
  sqrtPriceX96: SqrtPriceX96,
  ethIsCurrency0: boolean,
): number {
  const price = Number(sqrtPriceX96) / Q96
  const lower = sqrtAtPriceTick(position.tickLower)
  const upper = sqrtAtPriceTick(position.tickUpper)
  const clamped = Math.min(Math.max(price, lower), upper)
  const liquidity = Number(position.liquidity)
  const raw = ethIsCurrency0 ? liquidity * (1 / clamped - 1 / upper) : liquidity * (clamped - lower)
  return raw / 1e18
}
