/** The pool contracts' own arithmetic: Q64.96 square-root prices and what a position holds at a price. */

const Q96 = 2 ** 96

/** Beyond these ticks a price is only the limit of a swap through an empty pool. */
export const tickMin = -887272
export const tickMax = 887272

/** Price in ETH per raw token unit; whole-token price is this times 10^decimals. Doubles: relative error about 1e-15. */
export function priceFromSqrt(sqrtPriceX96: bigint, ethIsCurrency0: boolean): number {
  const root = Number(sqrtPriceX96) / Q96
  const currency1PerCurrency0 = root * root
  return ethIsCurrency0 ? 1e-18 / currency1PerCurrency0 : currency1PerCurrency0 * 1e-18
}

const sqrtAtTick = (tick: number): number => 1.0001 ** (tick / 2)

/**
 * ETH (not wei) that a position of liquidity L over [tickLower, tickUpper) holds at the price. Doubles: an estimate to
 * about 1e-12, not the wei the contract would pay.
 */
export function ethInPosition(
  position: Readonly<{
    liquidity: bigint
    tickLower: number
    tickUpper: number
  }>,
  sqrtPriceX96: bigint,
  ethIsCurrency0: boolean,
): number {
  const price = Number(sqrtPriceX96) / Q96
  const lower = sqrtAtTick(position.tickLower)
  const upper = sqrtAtTick(position.tickUpper)
  const clamped = Math.min(Math.max(price, lower), upper)
  const liquidity = Number(position.liquidity)
  const raw = ethIsCurrency0 ? liquidity * (1 / clamped - 1 / upper) : liquidity * (clamped - lower)
  return raw / 1e18
}
