/** Defines the actions of a liquidity script: its pool, positions, burst, and times relative to the burst. */
import type { Address } from 'viem'
import type { ChainAContracts } from './deployment.ts'
import type { Book, MarketPool } from './market-book.ts'
import { buys, same } from './market-thresholds.ts'
import { type NodeTransaction, walletOf } from './node.ts'
import { liquidityOf, v4Liquidity, v4Removal } from './pools.ts'
import type { Position } from './positions.ts'

export type Nft = Position & Readonly<{ liquidity: bigint }>

type Minting = Readonly<{ wallet: string; eth: number; rangeTicks?: number; offsetTicks?: number }>

export type Stage = Readonly<{
  contracts: ChainAContracts
  /** The address of a contract that adds liquidity in its own name. */
  liquidityRouter: Address
  /** The address of a contract that trades for many wallets in one transaction. */
  bundler: Address
  openedAtMs: number
  /**
   * Opens the pool of the script. The creator is `provider of <scene>`. A v4 pool has no liquidity at first.
   */
  open(options?: Partial<Parameters<Book['open']>[0]>): MarketPool
  /**
   * Adds liquidity at `openedAtMs` and returns the NFT. The order of the calls gives the numbers of the NFTs,
   * so it must be the order of the mints on the chain.
   */
  mint(pool: MarketPool, minting: Minting): Nft
  /** Adds liquidity at a time after the opening of the pool. This function does not return the NFT. */
  add(atMs: number, pool: MarketPool, minting: Minting): void
  /** Makes twelve buys, one every 4 s. The last buy is the signal. */
  burst(pool: MarketPool, wallet?: (index: number) => string): void
  /** Returns the time that is this long after the signal. Negative values give a time before the signal. */
  after(minutes: number, seconds?: number): number
  act(atMs: number, ...transactions: readonly NodeTransaction[]): void
  swap: Book['swap']
  /** Removes this number of thousandths of the liquidity that an NFT had at first. */
  pull(pool: MarketPool, nft: Nft, thousandths: number): NodeTransaction
}>

export type LiquidityScene = readonly [name: string, play: (stage: Stage) => void]

export const creatorOf = (scene: string): string => `provider of ${scene}`

type Setting = Readonly<{ name: string; openedAtMs: number; burstAtMs: number; nextNft: () => bigint }>

export function createStage(book: Book, setting: Setting): Omit<Stage, 'contracts' | 'liquidityRouter' | 'bundler'> {
  const { name, openedAtMs, burstAtMs, nextNft } = setting
  const act: Stage['act'] = (atMs, ...transactions) => book.note({ atMs, transactions })
  const add: Stage['add'] = (atMs, pool, { wallet, eth: liquidityEth, ...range }) => {
    const common = { dex: 'v4', token: pool.token, quote: pool.quote, provider: walletOf(wallet) } as const
    act(atMs, ...v4Liquidity(book.contracts, pool, { ...common, liquidityEth, ...range }))
  }
  return {
    openedAtMs,
    act,
    swap: book.swap,
    open: (options = {}) => book.open({ name, atMs: openedAtMs, liquidityEth: 0, ...options }),
    add,
    mint(pool, minting) {
      add(openedAtMs, pool, minting)
      const { wallet, eth: liquidityEth } = minting
      return { owner: walletOf(wallet), tokenId: nextNft(), liquidity: liquidityOf({ liquidityEth }) }
    },
    burst: (pool, wallet) =>
      buys(book, pool, { fromAtMs: burstAtMs, everySec: 4, sizes: same(12, 0.1), ...(wallet ? { wallet } : {}) }),
    after: (minutes, seconds = 0) => burstAtMs + (minutes * 60 + 44 + seconds) * 1000,
    pull: (pool, { owner, tokenId, liquidity }, thousandths) =>
      v4Removal(book.contracts, pool, { owner, tokenId, liquidity: (liquidity * BigInt(thousandths)) / 1000n }),
  }
}
