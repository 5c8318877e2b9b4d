/** The current minute of a pool, and the 10-second slots at whose ends it is published. */
import type { PoolMinute } from '../../../schemas/chain-a/derived.ts'
import type { LiquidityChanged, Swap } from '../../../schemas/chain-a/facts.ts'
import { priceFromSqrt } from '../../../schemas/chain-a/pool-price.ts'
import type { PoolIdentity } from '../pools/pool.ts'
import { changeLiquidity, liquidityEth, type Positions } from '../pools/positions.ts'

const minuteMs = 60_000
const slotMs = 10_000

/** The last millisecond of the slot with the instant. A minute has six slots, so no slot spans two minutes. */
export const slotEndOf = (atMs: number): number => Math.floor(atMs / slotMs) * slotMs + slotMs - 1

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
  /** The slot end at which the cell is published; may be in the past. */
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
    changeLiquidity(cell.positions, change)
    return false
  }
  turnTo(cell, change.blockAtMs)
  changeLiquidity(cell.positions, change)
  cell.liqEth = null
  return true
}

/** The first price of a v3 pool. */
export function setInitialPrice(cell: MinuteCell, sqrtPriceX96: bigint): void {
  cell.sqrtPriceX96 = sqrtPriceX96
  cell.liqEth = null
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
