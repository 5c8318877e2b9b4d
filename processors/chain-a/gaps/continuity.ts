/**
 * Checks that a swap begins at the price at which the previous swap ended. The amount that a swap takes out of a pool is exact and
 * without fees, so this amount, the liquidity and the price after the swap give the price before the swap.
 */
import type { Swap } from '../../../schemas/chain-a/facts.ts'
import type { EpochMs, PoolId, SqrtPriceX96, Wei } from '../../../schemas/units.ts'

export type WatchedPool = {
  readonly pool: PoolId
  readonly ethIsCurrency0: boolean
  /** The square root of the price after the last swap, or at the creation. 0: there is no price yet. */
  root: number
  /**
   * The price tick of `root`. Null: there is no price yet, or rounding makes it unclear on which side of a price tick the initial price is.
   */
  priceTick: number | null
  /** The liquidity in range at `root`, if the price tick is known. */
  liquidity: bigint
  /** When the pool got this price. */
  atMs: EpochMs
  /** The distinct price ticks at which the ranges of positions begin or end. Null: there are too many to keep. */
  bounds: readonly number[] | null
}

/**
 * - `linked`: no swap is missing.
 * - `broken`: swaps are missing. `root` is the square root of the price before the swap.
 * - `unjudged`: the liquidity in range changed or may have changed, so the amounts of the swap do not give the price before the swap.
 */
export type Link = Readonly<{ kind: 'linked' } | { kind: 'unjudged' } | { kind: 'broken'; root: number }>

const linked: Link = { kind: 'linked' }
const unjudged: Link = { kind: 'unjudged' }

const q96 = 2 ** 96
/** A bound for the relative error of about ten roundings to a double. Each rounding changes a value by at most the ratio 2^-53. */
const roundings = 1e-14
/**
 * An upper bound for rounding errors of the contracts: 2 units of Q64.96 of a price, and 2 raw units of an amount. The contracts round a
 * price once and an amount twice, each time by less than one unit.
 */
const units = 2

/** Converts a square root of the price from Q64.96. */
export const rootOf = (sqrtPriceX96: SqrtPriceX96): number => Number(sqrtPriceX96) / q96

type Move = Pick<Swap, 'ethWei' | 'tokenRaw' | 'liquidity' | 'tick'> & Readonly<{ root: number }>

/** Judges whether the swap follows the last price of the pool. Call it before the swap is applied to the pool. */
export function linkOf(pool: WatchedPool, swap: Move): Link {
  if (pool.priceTick === null || swap.liquidity === 0n || swap.liquidity !== pool.liquidity) return unjudged
  const liquidity = Number(swap.liquidity)
  const root = rootBefore(pool, swap, liquidity)
  // `unitOut`: the ratio by which one unit of the currency that goes out changes the root. One unit of the Q64.96 price changes the root
  // by the ratio 1 / (root * q96).
  const unitOut = isEthOut(swap) === pool.ethIsCurrency0 ? root / liquidity : 1 / (root * liquidity)
  const tolerance = roundings + units * (unitOut + 1 / (root * q96))
  if (Math.abs(root / pool.root - 1) <= tolerance) return linked
  return mayCross(pool, swap.tick) ? unjudged : { kind: 'broken', root }
}

const isEthOut = ({ ethWei }: Pick<Swap, 'ethWei'>): boolean => ethWei < 0n

/** Computes the root before the swap. The formula adds only positive numbers, so the error stays within a few roundings. */
function rootBefore({ ethIsCurrency0 }: WatchedPool, swap: Move, liquidity: number): number {
  const out = isEthOut(swap) ? -Number(swap.ethWei) : Number(swap.tokenRaw)
  const isZeroOut = isEthOut(swap) === ethIsCurrency0
  return isZeroOut ? 1 / (1 / swap.root + out / liquidity) : swap.root + out / liquidity
}

/** Returns whether the range of a position may begin or end between the pool's price tick and `toTick`. */
function mayCross({ priceTick, bounds }: WatchedPool, toTick: number): boolean {
  if (priceTick === null || bounds === null) return true
  const lower = Math.min(priceTick, toTick)
  const upper = Math.max(priceTick, toTick)
  return bounds.some((bound) => bound > lower && bound <= upper)
}

/**
 * Returns the amount of wei that moves the pool from its last price to `root`. Null: the range of a position begins or ends between the two
 * prices, so the liquidity was not constant.
 */
export function weiBetween(pool: WatchedPool, root: number): Wei | null {
  const edge = priceTickOf(root)
  if (mayCross(pool, Math.floor(edge)) || mayCross(pool, Math.ceil(edge))) return null
  const moved = pool.ethIsCurrency0 ? 1 / root - 1 / pool.root : root - pool.root
  const wei = Math.round(Math.abs(moved) * Number(pool.liquidity))
  return Number.isFinite(wei) ? BigInt(wei) : null
}

/** Returns the fractional price tick, with an error of about 1e-9. */
export const priceTickOf = (root: number): number => (2 * Math.log(root)) / Math.log(1.0001)
