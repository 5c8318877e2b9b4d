/** Scripts about the outcomes of a burst. Each script gives the trades, and so the price, after the signal. */

import type { Scene } from './market.ts'
import { buys, same } from './market-thresholds.ts'

type Path = readonly (readonly [minutes: number, seconds: number, eth: number])[]

/**
 * Scripts a burst of 12 equal buys, followed by a path of trades. The burst fires at 50 min 44 s. The times
 * in the path count from the signal.
 */
const after =
  (name: string, liquidityEth: number, path: Path): Scene =>
  (book, clock) => {
    const pool = book.open({ name, atMs: clock(3), liquidityEth })
    buys(book, pool, { fromAtMs: clock(50), everySec: 4, sizes: same(12, 0.1) })
    for (const [minutes, seconds, eth] of path)
      book.swap(pool, { atMs: clock(50 + minutes, 44 + seconds), eth, wallet: `${name} on its way` })
  }

/** The price first falls by a little more than 14 %, and then by more than 15 %. */
const stop = after('stop', 20, [
  [0, 20, 0.1],
  [1, 10, -1.65],
  [3, 0, -0.2],
  [20, 0, 0.5],
])

/**
 * The net inflow first falls to 0.45 ETH below its maximum, then to 0.5 ETH below it, and then further. The
 * pool is so deep that the price barely moves.
 */
const fade = after('fade', 60, [
  [0, 10, 0.3],
  [0, 30, -0.45],
  [0, 50, 0.2],
  [0, 55, -0.25],
  [1, 30, 0.1],
  [1, 50, -0.4],
])

/** A swap after exactly 60 s without a new high is not a stall yet. A swap after 61 s is a stall. */
const stall = after('stall', 15, [
  [0, 30, 0.05],
  [1, 30, 0.05],
  [2, 31, 0.05],
  [4, 0, -0.1],
])

const takeProfit = after('take profit', 6, [
  [0, 40, 0.8],
  [1, 20, 0.8],
  [2, 10, 0.9],
  [4, 59, 0.1],
  [5, 0, 0.1],
  [5, 1, 0.5],
  [9, 0, -1.2],
])

const trail = after('trail', 10, [
  [0, 50, 0.9],
  [1, 40, 0.7],
  [2, 0, -0.4],
  [2, 20, -0.4],
  [2, 40, -0.4],
  [30, 0, 0.3],
  [30, 1, -3],
])

const held = after('held', 25, [
  [0, 55, 0.06],
  [1, 50, 0.05],
  [2, 45, 0.05],
  [29, 59, 0.07],
])

/** There are no trades after the burst, so every exit rule sells at the price of the signal. */
const quiet = after('quiet', 12, [])

export const outcomeScenes: readonly Scene[] = [stop, fade, stall, takeProfit, trail, held, quiet]
