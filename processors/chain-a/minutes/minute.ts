/** One minute of a pool, counted so far, and the 10-second slots at whose ends it is published. */
import type { PoolMinute } from '../../../schemas/chain-a/derived.ts'
import type { LiquidityChanged, Swap } from '../../../schemas/chain-a/facts.ts'
import { priceFromSqrt } from '../../../schemas/chain-a/pool-price.ts'
import type { PoolIdentity } from '../pools/pool.ts'
import { changeLiquidity, liquidityEth, type Positions } from '../pools/positions.ts'

const minuteMs = 60_000
const slotMs = 10_000

/** The last millisecond of the slot that holds the instant; six slots make a minute, so no slot spans two minutes. */
export const slotEndOf = (atMs: number): number => Math.floor(atMs / slotMs) * slotMs + slotMs - 1

export type MinuteCell = {
  identity: PoolIdentity
  positions: Positions
  minuteAtMs: number
  buyWei: bigint
  sellWei: bigint
  buys: number
  sells: number
  /** After the last counted swap; before the first one, the initial price, null where there is none yet. */
  sqrtPriceX96: bigint | null
  lastSwapAtMs: number | null
  /** ETH side at the last swap; null while it has not been worked out since. */
  liqEth: number | null
  /** The slot end that the cell is to be published at, or one that has passed. */
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

/** Counts a swap into the minute of its block's time. */
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
 * Takes a change of liquidity in. True when the cell shows it: only before the first swap, for `liqEth` is that of the
 * last swap, whatever was added or removed since.
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

/** The cell as a record: absolute, so that the newest version of a minute is the minute. */
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

/** Works out `liqEth` from the positions as they stand: asked before they change, and not at every swap. */
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
