/**
 * Follows the price and the liquidity of a pool, and reports each gap: a place where swaps of the pool are
 * missing from the log.
 */
import type { TradeGap } from '../../../schemas/chain-a/derived.ts'
import type { LiquidityChanged, PoolCreated, PoolInitialized, Swap } from '../../../schemas/chain-a/facts.ts'
import { noItems, withItem } from '../../lean-list.ts'
import { edge, linkOf, priceTickOf, rootOf, type WatchedPool, weiBetween } from './continuity.ts'

/**
 * The maximum number of price bounds of liquidity positions that are stored for a pool. Pools with more
 * bounds are not checked for missing swaps. Most pools have one or two positions.
 */
const boundsMax = 256

export function watchPool({ pool, ethIsCurrency0, sqrtPriceX96, blockAtMs }: PoolCreated): WatchedPool {
  const watched: WatchedPool = {
    pool,
    ethIsCurrency0,
    root: 0,
    priceTick: null,
    liquidity: 0n,
    atMs: blockAtMs,
    bounds: noItems,
  }
  if (sqrtPriceX96 !== null) setInitialPrice(watched, { sqrtPriceX96, blockAtMs })
  return watched
}

type InitialPrice = Pick<PoolInitialized, 'sqrtPriceX96' | 'blockAtMs'>

export function setInitialPrice(pool: WatchedPool, { sqrtPriceX96, blockAtMs }: InitialPrice): void {
  const root = rootOf(sqrtPriceX96)
  const priceTick = priceTickOf(root)
  const isOnEdge = Math.abs(priceTick - Math.round(priceTick)) < edge
  Object.assign(pool, { root, priceTick: isOnEdge ? null : Math.floor(priceTick), atMs: blockAtMs })
}

export function changeLiquidity(pool: WatchedPool, change: LiquidityChanged): void {
  const { tickLower, tickUpper, liquidityDelta } = change
  if (liquidityDelta === 0n) return
  const { priceTick } = pool
  if (priceTick !== null && tickLower <= priceTick && priceTick < tickUpper) pool.liquidity += liquidityDelta
  pool.bounds = boundsWith(boundsWith(pool.bounds, tickLower), tickUpper)
}

/**
 * Adds a price bound of a position. Bounds are never removed. A bound that no position has any more only
 * means that fewer swaps can be checked.
 */
function boundsWith(bounds: WatchedPool['bounds'], bound: number): WatchedPool['bounds'] {
  if (bounds === null || bounds.includes(bound)) return bounds
  return bounds.length < boundsMax ? withItem(bounds, bound) : null
}

/**
 * Applies a swap. Returns the gap before it, if swaps are missing there. Null: the prices do not show that
 * swaps are missing.
 */
export function followSwap(pool: WatchedPool, swap: Swap): TradeGap | null {
  const { ethWei, tokenRaw, liquidity, tick } = swap
  const root = rootOf(swap.sqrtPriceX96)
  const link = linkOf(pool, { ethWei, tokenRaw, liquidity, tick, root })
  const gap = link.kind === 'broken' ? gapBefore(pool, swap, link.root) : null
  pool.root = root
  pool.priceTick = tick
  pool.liquidity = liquidity
  pool.atMs = swap.blockAtMs
  return gap
}

function gapBefore(pool: WatchedPool, { blockAtMs, txHash, logIndex }: Swap, root: number): TradeGap {
  return {
    ...{ pool: pool.pool, atMs: blockAtMs, txHash, logIndex, fromAtMs: pool.atMs, toAtMs: blockAtMs },
    ...{ trades: null, volumeRaw: weiBetween(pool, root), state: 'open', failure: null },
  }
}
