/**
 * Checks that a swap begins at the price at which the previous swap ended. The price before a swap is
 * computed from the liquidity, the price after the swap, and the amount taken out. This amount is exact and
 * without fees.
 */
import assert from 'node:assert/strict'
import type { Swap } from '../../../schemas/chain-a/facts.ts'
import type { EpochMs, PoolId, SqrtPriceX96, Wei } from '../../../schemas/units.ts'

export type WatchedPool = {
  readonly pool: PoolId
  readonly ethIsCurrency0: boolean
  /**
   * The square root of the price after the last swap, or at the creation of the pool. 0 if there is no price
   * yet.
   */
  root: number
  /** The price tick of `root`. Null: there is no price yet, or rounding leaves the tick of the initial price unclear. */
  priceTick: number | null
  /** The liquidity in range at `root`, if the price tick is known. */
  liquidity: bigint
  /** When the pool got this price. */
  atMs: EpochMs
  /**
   * The distinct price ticks at which the ranges of positions begin or end. Null if there are too many to
   * store.
   */
  bounds: readonly number[] | null
}

/**
 * - `linked`: no swap is missing.
 * - `broken`: swaps are missing. `root` is the square root of the price before the swap.
 * - `unjudged`: the liquidity in range may have changed, so the price before the swap is not known.
 */
export type Link = Readonly<{ kind: 'linked' } | { kind: 'unjudged' } | { kind: 'broken'; root: number }>

const linked: Link = { kind: 'linked' }
const unjudged: Link = { kind: 'unjudged' }

const q96 = 2 ** 96
/** A bound for the relative error of about ten roundings to a double. One rounding changes a value by a ratio of at most 2^-53. */
const roundings = 1e-14
/**
 * The bound for the contracts' rounding errors: 2 units of a Q64.96 price, and 2 raw units of an amount. The
 * contracts round a price one time and an amount two times. Each rounding changes the value by less than one
 * unit.
 */
const units = 2
/**
 * The margin for rounding errors of a fractional price tick. Within this distance of a whole tick, the true
 * value may be on either side of the whole tick.
 */
export const edge = 1e-6

/** Converts a square root of the price from Q64.96. */
export const rootOf = (sqrtPriceX96: SqrtPriceX96): number => Number(sqrtPriceX96) / q96

type Move = Pick<Swap, 'ethWei' | 'tokenRaw' | 'liquidity' | 'tick'> & Readonly<{ root: number }>

/**
 * Judges whether the swap follows the last price of the pool. Call this function before the swap is applied
 * to the pool.
 */
export function linkOf(pool: WatchedPool, swap: Move): Link {
  if (pool.priceTick === null || swap.liquidity === 0n || swap.liquidity !== pool.liquidity) return unjudged
  const liquidity = Number(swap.liquidity)
  const root = rootBefore(pool, swap, liquidity)
  // `unitOut` is the relative change of the root per unit of the currency that goes out. Per unit of the Q64.96 price, the relative change
  // is 1 / (root * q96).
  const unitOut = isEthOut(swap) === pool.ethIsCurrency0 ? root / liquidity : 1 / (root * liquidity)
  const tolerance = roundings + units * (unitOut + 1 / (root * q96))
  if (Math.abs(root / pool.root - 1) <= tolerance) return linked
  return mayCross(pool, swap.tick) ? unjudged : { kind: 'broken', root }
}

/** The sign of the token amount decides, because the ETH of a small sale is rounded down to 0. */
const isEthOut = ({ tokenRaw }: Pick<Swap, 'tokenRaw'>): boolean => tokenRaw < 0n

/** Computes the root before the swap. The formula only adds positive numbers, so its error is a few roundings. */
function rootBefore({ ethIsCurrency0 }: WatchedPool, swap: Move, liquidity: number): number {
  const out = isEthOut(swap) ? -Number(swap.ethWei) : Number(swap.tokenRaw)
  const isZeroOut = isEthOut(swap) === ethIsCurrency0
  return isZeroOut ? 1 / (1 / swap.root + out / liquidity) : swap.root + out / liquidity
}

/** Returns whether the range of a position may begin or end between the pool's price tick and `toTick`. */
function mayCross({ priceTick, bounds }: WatchedPool, toTick: number): boolean {
  assert(priceTick !== null, 'the pool has no price')
  if (bounds === null) return true
  const lower = Math.min(priceTick, toTick)
  const upper = Math.max(priceTick, toTick)
  return bounds.some((bound) => bound > lower && bound <= upper)
}

/**
 * Returns the wei that move the pool from its last price to `root`. Returns null if the range of a position
 * begins or ends between the two prices, because the liquidity was then not constant.
 */
export function weiBetween(pool: WatchedPool, root: number): Wei | null {
  const priceTick = priceTickOf(root)
  if (mayCross(pool, Math.floor(priceTick - edge)) || mayCross(pool, Math.floor(priceTick + edge))) return null
  const moved = pool.ethIsCurrency0 ? 1 / root - 1 / pool.root : root - pool.root
  const wei = Math.round(Math.abs(moved) * Number(pool.liquidity))
  return Number.isFinite(wei) ? BigInt(wei) : null
}

/** Returns the fractional price tick, with an error of about 1e-9. */
export const priceTickOf = (root: number): number => (2 * Math.log(root)) / Math.log(1.0001)
