/**
 * Simulates a pool with concentrated liquidity. A swap moves the price stepwise, from one bound of a position
 * to the next. The steps use the same integer arithmetic as the contracts.
 */

import type { SqrtPriceX96 } from '../../../schemas/units.ts'
import { priceTickAtSqrt, sqrtAtPriceTick, sqrtPriceLeast, sqrtPriceMost } from './price-tick-math.ts'

type Bound = { readonly priceTick: number; readonly sqrt: bigint; net: bigint }

export type Pool = {
  sqrtPriceX96: SqrtPriceX96
  priceTick: number
  /** The sum of the liquidity of all positions whose range includes the current price. */
  liquidity: bigint
  /** The fee of a swap, in hundredths of a basis point of the amount that the swap pays in. */
  readonly feePips: bigint
  /** The price ticks at which a position begins or ends, in ascending order. */
  readonly bounds: Bound[]
}

/**
 * The amounts of a swap, in raw units. `paidIn` is of the sold currency, `paidOut` of the bought currency.
 * Both are 0 in an empty pool.
 */
export type Moved = Readonly<{ paidIn: bigint; paidOut: bigint }>

const million = 1_000_000n

export function createPool(sqrtPriceX96: SqrtPriceX96, feePips: number): Pool {
  return { sqrtPriceX96, priceTick: priceTickAtSqrt(sqrtPriceX96), liquidity: 0n, feePips: BigInt(feePips), bounds: [] }
}

export function changeLiquidity(pool: Pool, range: Readonly<{ lower: number; upper: number }>, delta: bigint): void {
  boundAt(pool, range.lower).net += delta
  boundAt(pool, range.upper).net -= delta
  if (range.lower <= pool.priceTick && pool.priceTick < range.upper) pool.liquidity += delta
}

function boundAt(pool: Pool, priceTick: number): Bound {
  const found = pool.bounds.find((bound) => bound.priceTick === priceTick)
  if (found !== undefined) return found
  const bound = { priceTick, sqrt: sqrtAtPriceTick(priceTick), net: 0n }
  pool.bounds.push(bound)
  pool.bounds.sort((left, right) => left.priceTick - right.priceTick)
  return bound
}

/**
 * Sells `amountIn` of currency 0 (`isZeroIn`) or of currency 1, without a price limit. If no liquidity is
 * left, the swap does not spend the rest of the amount.
 */
export function swapExactIn(pool: Pool, isZeroIn: boolean, amountIn: bigint): Moved {
  let left = amountIn
  let paidOut = 0n
  for (;;) {
    const bound = nextBound(pool, isZeroIn)
    const target = bound?.sqrt ?? (isZeroIn ? sqrtPriceLeast : sqrtPriceMost)
    const step = stepTowards(pool, { isZeroIn, target, amountIn: left })
    left -= step.paidIn
    paidOut += step.paidOut
    pool.sqrtPriceX96 = step.sqrtPriceX96
    if (!step.isReached) {
      pool.priceTick = clampedPriceTick(pool, isZeroIn, bound)
      break
    }
    cross(pool, isZeroIn, bound)
    if (bound === undefined || left === 0n) break
  }
  return { paidIn: amountIn - left, paidOut }
}

/**
 * Applies the change of liquidity at the bound that the price has reached. If no bound is left, the price
 * tick becomes the lowest or the highest possible one.
 */
function cross(pool: Pool, isDownward: boolean, bound: Bound | undefined): void {
  if (bound === undefined) {
    pool.priceTick = isDownward ? -887272 : 887271
    return
  }
  pool.liquidity += isDownward ? -bound.net : bound.net
  pool.priceTick = isDownward ? bound.priceTick - 1 : bound.priceTick
}

function nextBound(pool: Pool, isDownward: boolean): Bound | undefined {
  return isDownward
    ? pool.bounds.findLast((bound) => bound.priceTick <= pool.priceTick)
    : pool.bounds.find((bound) => bound.priceTick > pool.priceTick)
}

/**
 * Computes the price tick after a swap. The calculation in doubles may be off by one price tick. So the
 * result is kept between the last crossed bound and the next bound.
 */
function clampedPriceTick(pool: Pool, isDownward: boolean, bound: Bound | undefined): number {
  const priceTick = priceTickAtSqrt(pool.sqrtPriceX96)
  return isDownward
    ? Math.min(pool.priceTick, Math.max(priceTick, bound?.priceTick ?? priceTick))
    : Math.max(pool.priceTick, Math.min(priceTick, (bound?.priceTick ?? priceTick + 1) - 1))
}

type Step = Moved & Readonly<{ sqrtPriceX96: SqrtPriceX96; isReached: boolean }>

function stepTowards(pool: Pool, want: Readonly<{ isZeroIn: boolean; target: bigint; amountIn: bigint }>): Step {
  const { isZeroIn, target, amountIn } = want
  const { liquidity, sqrtPriceX96, feePips } = pool
  if (liquidity === 0n) return { paidIn: 0n, paidOut: 0n, sqrtPriceX96: target, isReached: true }
  const afterFee = (amountIn * (million - feePips)) / million
  const next = isZeroIn
    ? sqrtAfterZeroIn(sqrtPriceX96, liquidity, afterFee)
    : sqrtPriceX96 + (afterFee << 96n) / liquidity
  const isReached = isZeroIn ? next <= target : next >= target
  const end = isReached ? target : next
  const lower = isZeroIn ? end : sqrtPriceX96
  const upper = isZeroIn ? sqrtPriceX96 : end
  const paidOut = isZeroIn ? amountOfOne(liquidity, lower, upper) : amountOfZero(liquidity, lower, upper)
  if (!isReached) return { paidIn: amountIn, paidOut, sqrtPriceX96: end, isReached }
  const net = isZeroIn ? amountOfZero(liquidity, lower, upper) : amountOfOne(liquidity, lower, upper)
  const gross = ((net + 1n) * million) / (million - feePips) + 1n
  return { paidIn: gross < amountIn ? gross : amountIn, paidOut, sqrtPriceX96: end, isReached }
}

/**
 * Returns the price after `amountIn` of currency 0 is paid in. The result is rounded up, as in the contracts.
 * So the price never falls further than the payment allows.
 */
function sqrtAfterZeroIn(sqrtPriceX96: SqrtPriceX96, liquidity: bigint, amountIn: bigint): bigint {
  const numerator = liquidity << 96n
  const denominator = numerator + amountIn * sqrtPriceX96
  return (numerator * sqrtPriceX96 + denominator - 1n) / denominator
}

const amountOfZero = (liquidity: bigint, lower: bigint, upper: bigint): bigint =>
  ((liquidity << 96n) * (upper - lower)) / upper / lower

const amountOfOne = (liquidity: bigint, lower: bigint, upper: bigint): bigint => (liquidity * (upper - lower)) >> 96n
