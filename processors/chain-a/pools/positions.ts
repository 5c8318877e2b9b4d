/** Stores the liquidity of a pool by price range, and computes the ETH in it. */
import type { LiquidityChanged } from '../../../schemas/chain-a/facts.ts'
import { ethInPosition } from '../../../schemas/chain-a/pool-price.ts'
import type { SqrtPriceX96 } from '../../../schemas/units.ts'
import { keptOf, noItems, withItem } from '../../lean-list.ts'

type Range = Readonly<{ tickLower: number; tickUpper: number; liquidity: bigint }>

/**
 * The liquidity of each price range, summed over all owners. The ranges are in the order in which they first
 * got liquidity. Most pools have one or two ranges, so this is a list. A map would take most of the memory of
 * a pool.
 */
export type Positions = readonly Range[]

export const noPositions: Positions = noItems

/** For each change, the list before it and the list after it, as they were computed last. */
const changes = new WeakMap<LiquidityChanged, Readonly<{ before: Positions; after: Positions }>>()

/** Applies a change of liquidity. Two processors that hold the same list get the same new list, so it is in memory once. */
export function changeLiquidity(pool: { positions: Positions }, change: LiquidityChanged): void {
  const { positions: before } = pool
  const known = changes.get(change)
  const after = known?.before === before ? known.after : positionsAfter(before, change)
  changes.set(change, { before, after })
  pool.positions = after
}

function positionsAfter(positions: Positions, change: LiquidityChanged): Positions {
  const { tickLower, tickUpper, liquidityDelta } = change
  if (liquidityDelta === 0n) return positions
  const range = positions.find((known) => known.tickLower === tickLower && known.tickUpper === tickUpper)
  if (!range) return withItem(positions, { tickLower, tickUpper, liquidity: liquidityDelta })
  const liquidity = range.liquidity + liquidityDelta
  if (liquidity === 0n) return keptOf(positions, (known) => known !== range)
  return positions.map((known) => (known === range ? { tickLower, tickUpper, liquidity } : known))
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
