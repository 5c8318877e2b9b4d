/** The liquidity of a pool by price range, and the ETH side of it. */
import type { LiquidityChanged } from '../../schemas/chain-a/facts.ts'
import { ethInPosition } from '../../schemas/chain-a/pool-price.ts'

type Range = { tickLower: number; tickUpper: number; liquidity: bigint }

/** Keyed by `tickLower:tickUpper`: who owns a position does not change what it holds. */
export type Positions = Map<string, Range>

export function changeLiquidity(positions: Positions, change: LiquidityChanged): void {
  const { tickLower, tickUpper, liquidityDelta } = change
  const key = `${tickLower}:${tickUpper}`
  const liquidity = (positions.get(key)?.liquidity ?? 0n) + liquidityDelta
  if (liquidity === 0n) positions.delete(key)
  else positions.set(key, { tickLower, tickUpper, liquidity })
}

/**
 * ETH that all positions hold at the price. The sum over positions, because the shortcut from the active liquidity is
 * right only for one position over the full range. Summed in the order of the ranges' first adds.
 */
export function liquidityEth(positions: Positions, sqrtPriceX96: bigint, ethIsCurrency0: boolean): number {
  let eth = 0
  for (const range of positions.values()) eth += ethInPosition(range, sqrtPriceX96, ethIsCurrency0)
  return eth
}
