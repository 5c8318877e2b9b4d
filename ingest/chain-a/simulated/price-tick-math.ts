/**
 * Computes the square-root price (a Q64.96 number) of a price tick, and the price tick of a price. The
 * results differ from those of the contracts by at most a few units in the last digit.
 */

import type { SqrtPriceX96 } from '../../../schemas/units.ts'

const fraction = 128n
const logOfPriceTick = Math.log(1.0001)

/** The lowest and the highest square-root price that a swap can reach when no liquidity is left. */
export const sqrtPriceLeast = 4295128740n
export const sqrtPriceMost = 1461446703485210103287273052203988822378723970341n

/** sqrt(1.0001) in Q128, by Newton's method on 10001 / 10000. */
const rootOfPriceTick = wholeRoot((10001n << (2n * fraction)) / 10000n)

function wholeRoot(square: bigint): bigint {
  let guess = 1n << BigInt((square.toString(2).length + 1) >> 1)
  for (;;) {
    const next = (guess + square / guess) >> 1n
    if (next >= guess) return guess
    guess = next
  }
}

const known = new Map<number, bigint>()

export function sqrtAtPriceTick(priceTick: number): bigint {
  const cached = known.get(priceTick)
  if (cached !== undefined) return cached
  let power = 1n << fraction
  let factor = rootOfPriceTick
  for (let left = Math.abs(priceTick); left > 0; left >>= 1) {
    if (left & 1) power = (power * factor) >> fraction
    factor = (factor * factor) >> fraction
  }
  const sqrt = priceTick < 0 ? (1n << (fraction + 96n)) / power : power >> (fraction - 96n)
  known.set(priceTick, sqrt)
  return sqrt
}

/**
 * Returns the highest price tick whose price is not above this price. The calculation uses doubles. Near the
 * price of a price tick, the result may be off by one.
 */
export function priceTickAtSqrt(sqrtPriceX96: SqrtPriceX96): number {
  return Math.floor((2 * Math.log(Number(sqrtPriceX96) / 2 ** 96)) / logOfPriceTick)
}
