/**
 * Scripts trades that cover every case of the rules for bursts and exits. Thresholds are met exactly or just
 * missed, windows and ages are tested to the second, and every exit rule sells. Times are in minutes after
 * the start. The scripts contain no expected results.
 */

import type { ChainAContracts } from './deployment.ts'
import { ageScenes } from './market-ages.ts'
import { type Book, createBook, type Deed, type MarketPool } from './market-book.ts'
import { outcomeScenes } from './market-outcomes.ts'
import { thresholdScenes } from './market-thresholds.ts'
import { traderScenes } from './market-traders.ts'
import { createRandom } from './random.ts'

/** The length of `past`, in milliseconds. The last block of `past` is at the end of this time. */
export const marketLengthMs = 445 * 60_000

type LivePart = Readonly<{
  pools: readonly MarketPool[]
  before: readonly Deed[]
  during: readonly Deed[]
  after: readonly Deed[]
}>

export type Market = Readonly<{
  pools: readonly MarketPool[]
  past: readonly Deed[]
  /**
   * Returns the transactions that are sent while a service is tested, in three lists: before the service is
   * stopped, while it is stopped, and after its restart.
   */
  live(fromAtMs: number): LivePart
}>

/** Returns the time that is this long after the start of the script. */
type Clock = (minutes: number, seconds?: number) => number

export type Scene = (book: Book, clock: Clock, random: () => number) => void

export function createMarket(
  contracts: ChainAContracts,
  options: Readonly<{ startAtMs: number; seed: number }>,
): Market {
  const book = createBook(contracts)
  const clock: Clock = (minutes, seconds = 0) => options.startAtMs + (minutes * 60 + seconds) * 1000
  const random = createRandom(options.seed)
  for (const scene of [...thresholdScenes, ...traderScenes, ...outcomeScenes, ...ageScenes]) scene(book, clock, random)
  const livePool = book.open({ name: 'live', atMs: clock(430), liquidityEth: 20 })
  const past = [...book.deeds]
  return { pools: book.pools, past, live: (fromAtMs) => livePart(contracts, livePool, fromAtMs) }
}

/**
 * Scripts the live part. A burst begins before the stop of the service and ends after it. A pool opens during
 * the stop.
 */
function livePart(contracts: ChainAContracts, pool: MarketPool, fromAtMs: number): LivePart {
  const parts = [createBook(contracts), createBook(contracts), createBook(contracts)] as const
  const [before, during, after] = parts
  for (let index = 0; index < 14; index++) {
    const book = index < 5 ? before : index < 8 ? during : after
    book.swap(pool, { atMs: fromAtMs + index * 1000, eth: 0.09 + index / 1000, wallet: `live ${index % 9}` })
  }
  const young = during.open({ name: 'opened while away', atMs: fromAtMs + 6500 })
  after.swap(young, { atMs: fromAtMs + 11_000, eth: 0.25, wallet: 'live 1' })
  after.swap(young, { atMs: fromAtMs + 12_000, eth: -0.1, wallet: 'live 1' })
  return { pools: [young], before: before.deeds, during: during.deeds, after: after.deeds }
}
