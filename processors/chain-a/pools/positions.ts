/** The liquidity of a pool by price range, and the ETH side of it. */
import type { LiquidityChanged } from '../../../schemas/chain-a/facts.ts'
import { ethInPosition } from '../../../schemas/chain-a/pool-price.ts'

type Range = { tickLower: number; tickUpper: number; liquidity: bigint }

/**
 * In the order of their first adds: who owns a position does not change what it holds. A list, for most pools have one range
 * or two, and a map of one is most of what a live pool would weigh.
 */
export type Positions = Range[]

export function changeLiquidity(positions: Positions, change: LiquidityChanged): void {
  const { tickLower, tickUpper, liquidityDelta } = change
  if (liquidityDelta === 0n) return
  const index = positions.findIndex((range) => range.tickLower === tickLower && range.tickUpper === tickUpper)
  const range = positions[index]
  if (!range) positions.push({ tickLower, tickUpper, liquidity: liquidityDelta })
  else if (range.liquidity + liquidityDelta === 0n) positions.splice(index, 1)
  else range.liquidity += liquidityDelta
}

/**
 * ETH that all positions hold at the price. The sum over positions, because the shortcut from the active liquidity is
 * right only for one position over the full range. Summed in the order of the ranges' first adds.
 */
export function liquidityEth(positions: Positions, sqrtPriceX96: bigint, ethIsCurrency0: boolean): number {
  let eth = 0
  for (const range of positions) eth += ethInPosition(range, sqrtPriceX96, ethIsCurrency0)
  return eth
}
