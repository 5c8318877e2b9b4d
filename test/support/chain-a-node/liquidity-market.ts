/**
 * Scripts transactions about the holders of liquidity, before and after bursts. Each script has one pool and
 * a burst of twelve buys. No two pools open in the same second. The scripts contain no expected results.
 */
import { getContractAddress } from 'viem'
import { bundlerCreation } from './bundler.ts'
import type { ChainAContracts } from './deployment.ts'
import { holderScenes } from './liquidity-holders.ts'
import { pullScenes } from './liquidity-pulls.ts'
import { createStage, creatorOf, type LiquidityScene } from './liquidity-stage.ts'
import { createBook, type Deed, type MarketPool } from './market-book.ts'
import { walletOf } from './node.ts'
import { liquidityRouterCreation } from './positions.ts'

/** The time from the first pool to half an hour after the last burst. */
export const liquidityMarketLengthMs = 45 * 60_000

export type LiquidityMarket = Readonly<{
  pools: readonly MarketPool[]
  past: readonly Deed[]
  /**
   * One function for each pool of `liveScenes`. The function builds twelve buys after `past`, by the same
   * twelve wallets in every pool.
   */
  live: readonly ((atMs: number) => readonly Deed[])[]
}>

/** The pools of these scripts have no trades in `past`. */
const liveScenes: readonly LiquidityScene[] = ['live one', 'live two', 'live three'].map((name) => [
  name,
  (stage) => {
    stage.mint(stage.open(), { wallet: creatorOf(name), eth: 10 })
  },
])

export function createLiquidityMarket(contracts: ChainAContracts, startAtMs: number): LiquidityMarket {
  const book = createBook(contracts)
  const builder = walletOf('builder of contracts')
  const liquidityRouter = getContractAddress({ from: builder, nonce: 0n })
  const bundler = getContractAddress({ from: builder, nonce: 1n })
  const creations = [liquidityRouterCreation(builder, contracts), bundlerCreation(builder)]
  book.note({ atMs: startAtMs, transactions: creations })
  const nextNft = createNumbers()
  ;[...holderScenes, ...pullScenes, ...liveScenes].forEach(([name, play], index) => {
    const openedAtMs = startAtMs + (1 + index) * 1000
    const burstAtMs = startAtMs + (8 + (index % 3)) * 60_000
    play({ contracts, liquidityRouter, bundler, ...createStage(book, { name, openedAtMs, burstAtMs, nextNft }) })
  })
  const livePools = book.pools.slice(-liveScenes.length)
  return {
    ...{ pools: book.pools, past: [...book.deeds] },
    live: livePools.map((pool) => (atMs: number) => {
      const later = createBook(contracts)
      for (let index = 0; index < 12; index++) later.swap(pool, { atMs, eth: 0.1, wallet: `live ${index}` })
      return later.deeds
    }),
  }
}

/**
 * Creates a function that returns the id of the next NFT. The exchange numbers its NFTs in the order of their
 * mints.
 */
function createNumbers(): () => bigint {
  let next = 1n
  return () => next++
}
