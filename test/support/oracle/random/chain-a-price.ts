/**
 * Returns the square root price of a level. The level is a price in ETH per token, if both currencies have 18
 * decimals.
 */
export function sqrtPriceOf(level: number, ethIsCurrency0: boolean): bigint {
  const root = Math.sqrt(ethIsCurrency0 ? 1 / level : level)
  return BigInt(Math.round(root * 2 ** 60)) << 36n
}

export const firstLevel = 1e-9
