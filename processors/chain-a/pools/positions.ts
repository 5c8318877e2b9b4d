/** The liquidity of a pool by price range, and its ETH side. */
import type { LiquidityChanged } from '../../../schemas/chain-a/facts.ts'
import { ethInPosition } from '../../../schemas/chain-a/pool-price.ts'
import type { SqrtPriceX96 } from '../../../schemas/units.ts'

type Range = { tickLower: number; tickUpper: number; liquidity: bigint }

/**
 * In the order of the first adds. Owners do not matter here. A list, because most pools have one or two ranges and a map would take
 * most of the memory of a live pool.
 */
export type Positions = readonly Range[]

/** Builds lists without spare capacity: V8 reserves room for 17 entries when it appends to an empty list. */
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
 * The ETH of all positions at the price, in whole ETH, summed in the order of the first adds. A shortcut from the active liquidity
 * would be right only for one position over the full range.
 */
export function liquidityEth(positions: Positions, sqrtPriceX96: SqrtPriceX96, ethIsCurrency0: boolean): number {
  let eth = 0
  for (const range of positions) eth += ethInPosition(range, sqrtPriceX96, ethIsCurrency0)
  return eth
}
