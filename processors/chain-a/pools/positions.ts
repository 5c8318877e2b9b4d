/** Stores the liquidity of a pool by price range, and computes the ETH in it. */
import type { LiquidityChanged } from '../../../schemas/chain-a/facts.ts'
import { ethInPosition } from '../../../schemas/chain-a/pool-price.ts'
import type { SqrtPriceX96 } from '../../../schemas/units.ts'

type Range = { tickLower: number; tickUpper: number; liquidity: bigint }

/**
 * The liquidity of each price range, summed over all owners. The ranges are in the order in which they first
 * got liquidity. Most pools have one or two ranges, so this is a list. A map would take most of the memory of
 * a pool.
 */
export type Positions = readonly Range[]

/**
 * Applies a change of liquidity. Builds a new list, because an append to an empty list makes V8 reserve 17
 * entries.
 */
export function changeLiquidity(pool: { positions: Positions }, change: LiquidityChanged): void {
  const { positions } = pool
  const { tickLower, tickUpper, liquidityDelta } = change
  if (liquidityDelta === 0n) return
  const range = positions.find((known) => known.tickLower === tickLower && known.tickUpper === tickUpper)
  if (!range) pool.positions = [...positions, { tickLower, tickUpper, liquidity: liquidityDelta }]
  else if (range.liquidity + liquidityDelta === 0n) pool.positions = positions.filter((known) => known !== range)
  else range.liquidity += liquidityDelta
}

/**
 * Returns the ETH in all price ranges of the pool at this price. It cannot be computed from the active
 * liquidity alone, because a range may cover only a part of all prices. The sum always runs in the order of
 * the list, so that the rounding is the same.
 */
export function liquidityEth(positions: Positions, sqrtPriceX96: SqrtPriceX96, ethIsCurrency0: boolean): number {
  let eth = 0
  for (const range of positions) eth += ethInPosition(range, sqrtPriceX96, ethIsCurrency0)
  return eth
}
