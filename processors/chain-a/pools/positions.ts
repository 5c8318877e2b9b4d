/** The liquidity of a pool by price range, and the ETH in it. */
import type { LiquidityChanged } from '../../../schemas/chain-a/facts.ts'
import { ethInPosition } from '../../../schemas/chain-a/pool-price.ts'
import type { SqrtPriceX96 } from '../../../schemas/units.ts'

type Range = { tickLower: number; tickUpper: number; liquidity: bigint }

/**
 * The liquidity of each range, summed over all owners, in the order of the first adds. Most pools have one or
 * two ranges, so this is a list. A map would take most of the memory of a pool.
 */
export type Positions = readonly Range[]

/** Applies a change. Builds a new list, because an append to an empty list makes V8 reserve 17 entries. */
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
 * Returns the ETH in all positions at the price. The positions are added in the order of the first adds. The
 * liquidity in range is not enough for this sum, because a position may cover only a part of the price range.
 */
export function liquidityEth(positions: Positions, sqrtPriceX96: SqrtPriceX96, ethIsCurrency0: boolean): number {
  let eth = 0
  for (const range of positions) eth += ethInPosition(range, sqrtPriceX96, ethIsCurrency0)
  return eth
}
