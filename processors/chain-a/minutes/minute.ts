/** The current minute of a pool, and when it is published. */

import type { PoolMinute } from '../../../schemas/chain-a/derived.ts'
import type { LiquidityChanged, Swap } from '../../../schemas/chain-a/facts.ts'
import { priceFromSqrt } from '../../../schemas/chain-a/pool-price.ts'
import { minuteMs } from '../../../schemas/units.ts'
import { waitEndOf } from '../pace.ts'
import type { PoolIdentity } from '../pools/pool.ts'
import { changeLiquidity, liquidityEth, type Positions } from '../pools/positions.ts'

export type MinuteCell = {
  identity: PoolIdentity
  positions: Positions
  minuteAtMs: number
  buyWei: bigint
  sellWei: bigint
  buys: number
  sells: number
  /** The price after the last counted swap. Before the first one the initial price, or null if there is none yet. */
  sqrtPriceX96: bigint | null
  lastSwapAtMs: number | null
  /** ETH side at the last swap. Null if not computed since. */
  liqEth: number | null
  /** Time of the block that changed it last, and of the newest block whose change was published. */
  changedAtMs: number
  publishedAtMs: number
  /** A change of this block is published at its end. */
  isReady: boolean
  /** Else changes wait until block time has passed this instant; 0 while none waits. */
  dueAtMs: number
}

export const openCell = (identity: PoolIdentity, sqrtPriceX96: bigint | null): MinuteCell => ({
  identity,
  positions: [],
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

/** Adds a swap to the minute of its block. */
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
 * Applies a change of liquidity. True if the cell shows it, which is only before the first swap: `liqEth` is that of the last
 * swap, whatever was added or removed since.
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

/** The first price of a v3 pool. */
export function setInitialPrice(cell: MinuteCell, sqrtPriceX96: bigint): void {
  cell.sqrtPriceX96 = sqrtPriceX96
  cell.liqEth = null
}

/** How long the change at `changedAtMs` waits; null: it is published at the end of its block. A minute never waits past its end. */
export function waitEndOfCell({ publishedAtMs, changedAtMs, minuteAtMs }: MinuteCell): number | null {
  const waitEndAtMs = waitEndOf(publishedAtMs, changedAtMs)
  return waitEndAtMs === null ? null : Math.min(waitEndAtMs, minuteAtMs + minuteMs - 1)
}

/** The cell as a record with the totals of the minute so far. The newest version replaces the others. */
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

/** Computes `liqEth` from the present positions. Called before they change and when the cell is published, not at every swap. */
function settleLiquidity(cell: MinuteCell): number {
  const { positions, sqrtPriceX96, identity } = cell
  cell.liqEth ??= sqrtPriceX96 === null ? 0 : liquidityEth(positions, sqrtPriceX96, identity.ethIsCurrency0)
  return cell.liqEth
}

function turnTo(cell: MinuteCell, atMs: number): void {
  const minuteAtMs = atMs - (atMs % minuteMs)
  if (cell.minuteAtMs === minuteAtMs) return
  cell.minuteAtMs = minuteAtMs
  cell.buyWei = 0n
  cell.sellWei = 0n
  cell.buys = 0
  cell.sells = 0
}
