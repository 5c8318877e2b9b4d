/**
 * Computes to the wei what a trade in a pool would pay and receive. The integer arithmetic is that of the
 * exchange (`SqrtPriceMath`, `SwapMath`), with the liquidity at the price before the trade. Beyond the next
 * multiple of the tick spacing the liquidity can differ. If a trade moves the price that far, its fill is
 * marked as inexact.
 */

import type { SqrtPriceX96, TokenRaw, Wei } from '../units.ts'
import type { PoolCreated, Swap } from './facts.ts'

/**
 * The state of a pool directly after a trade. `feeMillionths` is the pool's fee: 3000 is 0.3 %. A hook may
 * charge a further fee.
 */
export type PoolDepth = Pick<Swap, 'sqrtPriceX96' | 'liquidity' | 'tick'> &
  Pick<PoolCreated, 'ethIsCurrency0' | 'tickSpacing'> &
  Readonly<{ feeMillionths: number }>

export type PoolFill = Readonly<{
  /** The received amount: wei for a sale, raw token units for a buy. */
  received: bigint
  /** The pool's price after the fill. */
  sqrtPriceX96: SqrtPriceX96
  /**
   * True if the fill is exact: no position can begin or end between the prices before and after the fill. If
   * false, the fill is an estimate.
   */
  isExact: boolean
}>

const q96 = 2n ** 96n
const millionth = 1_000_000n

/** Returns the fill of a buy. `ethWei` includes the pool's fee. */
export const buyFromPool = (pool: PoolDepth, ethWei: Wei): PoolFill => fillOf(pool, ethWei, pool.ethIsCurrency0)

/** Returns the fill of a sale. The pool's fee is deducted from `tokenRaw`. */
export const sellToPool = (pool: PoolDepth, tokenRaw: TokenRaw): PoolFill =>
  fillOf(pool, tokenRaw, !pool.ethIsCurrency0)

function fillOf(pool: PoolDepth, paid: bigint, isCurrency0Paid: boolean): PoolFill {
  const { sqrtPriceX96: before, liquidity, feeMillionths } = pool
  const put = (paid * (millionth - BigInt(feeMillionths))) / millionth
  if (put <= 0n || liquidity <= 0n) return { received: 0n, sqrtPriceX96: before, isExact: liquidity > 0n }
  const after = isCurrency0Paid ? lowered(before, liquidity, put) : before + (put * q96) / liquidity
  const received = isCurrency0Paid
    ? (liquidity * (before - after)) / q96
    : (liquidity * q96 * (after - before)) / after / before
  return { received, sqrtPriceX96: after, isExact: staysInRange(pool, after) }
}

/**
 * Returns the price after `put` of currency 0 was paid in. Such a payment lowers the price. This function
 * rounds up because the pool does so.
 */
function lowered(before: bigint, liquidity: bigint, put: bigint): bigint {
  const scaled = liquidity * q96
  const divisor = scaled + put * before
  return (scaled * before + divisor - 1n) / divisor
}

/**
 * Returns whether the price stays between the same two multiples of the tick spacing. Prices within `edge` of
 * a multiple count as outside, because a double is not exact enough there.
 */
function staysInRange({ tick, tickSpacing }: PoolDepth, after: bigint): boolean {
  const lower = Math.floor(tick / tickSpacing) * tickSpacing
  const root = Number(after) / Number(q96)
  const afterTick = (2 * Math.log(root)) / Math.log(1.0001)
  return afterTick > lower + edge && afterTick < lower + tickSpacing - edge
}

const edge = 1e-6
