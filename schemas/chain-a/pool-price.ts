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

/** The square roots of the prices at the ticks 1, 2, 4, ..., 2^19: 1.0001^(tick / 2), rounded to a double. */
const sqrtAtPowersOfTwo = [
  1.0000499987500624, 1.0001, 1.00020001, 1.0004000600040002, 1.000800280056007, 1.001601200560182, 1.0032049649635981,
  1.0064202017276138, 1.012881622445451, 1.0259291810877293, 1.052530684607339, 1.1078208420399935, 1.2272670180582004,
  1.5061843336134675, 2.268591246822645, 5.146506245160322, 26.486526531474198, 701.5360877024866, 492152.882348911,
  242214459604.34106,
]

/**
 * Returns the square root of the price at a tick, with a relative error below 1e-14. Only multiplies and divides, which
 * every machine rounds alike. A power gets other last digits in other versions of Node.
 */
export function sqrtAtPriceTick(priceTick: number): number {
  let product = 1
  for (let rest = Math.abs(priceTick), index = 0; rest > 0; rest >>>= 1, index++)
    if ((rest & 1) === 1) product *= sqrtAtPowersOfTwo[index] ?? Number.NaN
  return priceTick < 0 ? 1 / product : product
}

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
