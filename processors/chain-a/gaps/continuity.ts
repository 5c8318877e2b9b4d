/**
 * Checks that each swap of a pool begins at the price at which the previous swap ended. Otherwise swaps are
 * missing. The price before a swap is computed from three values: the liquidity, the price after the swap,
 * and the amount taken out of the pool. This amount is exact and without fees.
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
  /** The liquidity that is active at the price `root`, if the price tick is known. */
  liquidity: bigint
  /** When the pool got this price. */
  atMs: EpochMs
  /**
   * The distinct price ticks at which the ranges of liquidity positions begin or end. Null if there are too
   * many to store.
   */
  bounds: readonly number[] | null
}

/**
 * The relation of a swap to the previous swap of its pool.
 * - `linked`: no swap is missing between them.
 * - `broken`: swaps are missing. `root` is the square root of the price before this swap.
 * - `unjudged`: the active liquidity may have changed, so the price before this swap is not known.
 */
export type Link = Readonly<{ kind: 'linked' } | { kind: 'unjudged' } | { kind: 'broken'; root: number }>

const linked: Link = { kind: 'linked' }
const unjudged: Link = { kind: 'unjudged' }

const q96 = 2 ** 96
/**
 * An upper limit for the relative error of about ten roundings of a double. One rounding changes a value by a
 * factor of at most 1 ± 2^-53.
 */
const roundings = 1e-14
/**
 * An upper limit for the rounding errors of the contracts: 2 units of a Q64.96 price, and 2 raw units of an
 * amount. The contracts round a price one time and an amount two times, by less than one unit each time.
 */
const units = 2
/**
 * The margin for rounding errors of a fractional price tick. Within this distance of a whole tick, the true
 * value may be on either side of the whole tick.
 */
export const edge = 1e-6

/** Converts a square root of the price from Q64.96 to a plain number. */
export const rootOf = (sqrtPriceX96: SqrtPriceX96): number => Number(sqrtPriceX96) / q96

type Move = Pick<Swap, 'ethWei' | 'tokenRaw' | 'liquidity' | 'tick'> & Readonly<{ root: number }>

/**
 * Decides whether the swap follows directly on the last stored swap of the pool. Call this function before
 * the swap is applied to the pool.
 */
export function linkOf(pool: WatchedPool, swap: Move): Link {
  if (pool.priceTick === null || swap.liquidity === 0n || swap.liquidity !== pool.liquidity) return unjudged
  const liquidity = Number(swap.liquidity)
  const root = rootBefore(pool, swap, liquidity)
  // `unitOut` is the relative change of the root for one raw unit of the currency taken out. One unit of the
  // Q64.96 price is a relative change of 1 / (root * q96).
  const unitOut = isEthOut(swap) === pool.ethIsCurrency0 ? root / liquidity : 1 / (root * liquidity)
  const tolerance = roundings + units * (unitOut + 1 / (root * q96))
  if (Math.abs(root / pool.root - 1) <= tolerance) return linked
  return mayCross(pool, swap.tick) ? unjudged : { kind: 'broken', root }
}

/**
 * Returns whether the swap takes ETH out of the pool. The sign of the token amount decides, because the ETH
 * of a small sale is rounded down to 0.
 */
const isEthOut = ({ tokenRaw }: Pick<Swap, 'tokenRaw'>): boolean => tokenRaw < 0n

/**
 * Computes the square root of the price before the swap. The formula only adds positive numbers, so its error
 * is only a few roundings.
 */
function rootBefore({ ethIsCurrency0 }: WatchedPool, swap: Move, liquidity: number): number {
  const out = isEthOut(swap) ? -Number(swap.ethWei) : Number(swap.tokenRaw)
  const isZeroOut = isEthOut(swap) === ethIsCurrency0
  return isZeroOut ? 1 / (1 / swap.root + out / liquidity) : swap.root + out / liquidity
}

/**
 * Returns whether the range of a liquidity position may begin or end between the pool's price tick and
 * `toTick`.
 */
function mayCross({ priceTick, bounds }: WatchedPool, toTick: number): boolean {
  assert(priceTick !== null, 'the pool has no price')
  if (bounds === null) return true
  const lower = Math.min(priceTick, toTick)
  const upper = Math.max(priceTick, toTick)
  return bounds.some((bound) => bound > lower && bound <= upper)
}

/**
 * Returns the amount of wei that moves the pool from its last price to `root`. Returns null if the range of a
 * liquidity position begins or ends between the two prices, because the liquidity was then not constant.
 */
export function weiBetween(pool: WatchedPool, root: number): Wei | null {
  const priceTick = priceTickOf(root)
  if (mayCross(pool, Math.floor(priceTick - edge)) || mayCross(pool, Math.floor(priceTick + edge))) return null
  const moved = pool.ethIsCurrency0 ? 1 / root - 1 / pool.root : root - pool.root
  const wei = Math.round(Math.abs(moved) * Number(pool.liquidity))
  return Number.isFinite(wei) ? BigInt(wei) : null
}

/** Converts the square root of a price to a fractional price tick, with an error of about 1e-9. */
export const priceTickOf = (root: number): number => (2 * Math.log(root)) / Math.log(1.0001)
