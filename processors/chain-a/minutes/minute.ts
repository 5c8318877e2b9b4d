/** Sums up the trades of a pool in the current minute, and computes when the sums are published. */

import type { PoolMinute } from '../../../schemas/chain-a/derived.ts'
import type { LiquidityChanged, Swap } from '../../../schemas/chain-a/facts.ts'
import { priceFromSqrt } from '../../../schemas/chain-a/pool-price.ts'
import { type EpochMs, minuteMs, type SqrtPriceX96, type Wei } from '../../../schemas/units.ts'
import { waitEndOf } from '../pace.ts'
import type { PoolIdentity } from '../pools/pool.ts'
import { changeLiquidity, liquidityEth, noPositions, type Positions } from '../pools/positions.ts'

export type MinuteCell = {
  identity: PoolIdentity
  positions: Positions
  minuteAtMs: EpochMs
  buyWei: Wei
  sellWei: Wei
  buys: number
  sells: number
  /**
   * The price after the last swap in the sums, or the initial price before the first swap. Null: there is no
   * price yet.
   */
  sqrtPriceX96: SqrtPriceX96 | null
  lastSwapAtMs: EpochMs | null
  /** The ETH in the pool's positions at the last swap. Null: not computed yet. */
  liqEth: number | null
  /** The time of the last block that changed the sums of the minute, in ms. */
  changedAtMs: EpochMs
  /** The time of the last block whose change was published, in ms. */
  publishedAtMs: EpochMs
  /** Whether the sums of the minute must be published at the end of this block. */
  isReady: boolean
  /**
   * The time at which waiting changes are published, in ms. It is reached with the first later block. 0: no
   * change waits.
   */
  dueAtMs: EpochMs
}

export const openCell = (identity: PoolIdentity, sqrtPriceX96: SqrtPriceX96 | null): MinuteCell => ({
  identity,
  positions: noPositions,
  minuteAtMs: 0,
  buyWei: 0n,
  sellWei: 0n,
  buys: 0,
  sells: 0,
  sqrtPriceX96,
  lastSwapAtMs: null,
  liqEth: null,
  changedAtMs: 0,
  publishedAtMs: 0,
  isReady: false,
  dueAtMs: 0,
})

export function addSwap(cell: MinuteCell, swap: Swap): void {
  turnTo(cell, swap.blockAtMs)
  if (swap.ethWei > 0n) {
    cell.buyWei += swap.ethWei
    cell.buys++
  } else {
    cell.sellWei -= swap.ethWei
    cell.sells++
  }
  cell.sqrtPriceX96 = swap.sqrtPriceX96
  cell.lastSwapAtMs = swap.blockAtMs
  cell.liqEth = null
}

/**
 * Applies a change of liquidity. Returns whether the record of the minute changes. It changes only before the
 * first swap, because after that `liqEth` is the ETH at the last swap.
 */
export function addLiquidity(cell: MinuteCell, change: LiquidityChanged): boolean {
  if (cell.lastSwapAtMs !== null) {
    settleLiquidity(cell)
    changeLiquidity(cell, change)
    return false
  }
  turnTo(cell, change.blockAtMs)
  changeLiquidity(cell, change)
  cell.liqEth = null
  return true
}

/** Sets the first price of a v3 pool. */
export function setInitialPrice(cell: MinuteCell, sqrtPriceX96: SqrtPriceX96): void {
  cell.sqrtPriceX96 = sqrtPriceX96
  cell.liqEth = null
}

/**
 * Returns the time until which the change at `changedAtMs` waits for publication. This is at most the end of
 * the minute. Returns null if the change is published at the end of its block.
 */
export function waitEndOfCell({ publishedAtMs, changedAtMs, minuteAtMs }: MinuteCell): EpochMs | null {
  const waitEndAtMs = waitEndOf(publishedAtMs, changedAtMs)
  return waitEndAtMs === null ? null : Math.min(waitEndAtMs, minuteAtMs + minuteMs - 1)
}

/**
 * Builds the record of the minute with the current sums. Each record replaces the earlier ones of the same
 * minute.
 */
export function minuteOf(cell: MinuteCell): PoolMinute {
  const { identity, minuteAtMs, buyWei, sellWei, buys, sells, lastSwapAtMs, sqrtPriceX96 } = cell
  const hasPrice = lastSwapAtMs !== null && sqrtPriceX96 !== null
  return {
    pool: identity.pool,
    minuteAtMs,
    buyWei,
    sellWei,
    buys,
    sells,
    lastPx: hasPrice ? priceFromSqrt(sqrtPriceX96, identity.ethIsCurrency0) : null,
    lastSwapAtMs,
    liqEth: settleLiquidity(cell),
  }
}

/**
 * Computes `liqEth` from the current positions, unless `liqEth` is known. Call this function before the
 * positions change, and at publication.
 */
function settleLiquidity(cell: MinuteCell): number {
  const { positions, sqrtPriceX96, identity } = cell
  cell.liqEth ??= sqrtPriceX96 === null ? 0 : liquidityEth(positions, sqrtPriceX96, identity.ethIsCurrency0)
  return cell.liqEth
}

function turnTo(cell: MinuteCell, atMs: EpochMs): void {
  const minuteAtMs = atMs - (atMs % minuteMs)
  if (cell.minuteAtMs === minuteAtMs) return
  cell.minuteAtMs = minuteAtMs
  cell.buyWei = 0n
  cell.sellWei = 0n
  cell.buys = 0
  cell.sells = 0
}
