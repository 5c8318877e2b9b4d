/** Describes a pool by its fixed fields, and decides which swaps of the pool the rules use. */
import type { ChainAFact, PoolCreated, PoolFact, Swap } from '../../../schemas/chain-a/facts.ts'
import { priceTickMax, priceTickMin } from '../../../schemas/chain-a/pool-price.ts'
import type { BlockNumber, EpochMs } from '../../../schemas/units.ts'

/** The fields of a pool that never change. Processors keep them in their state. */
export type PoolIdentity = Pick<PoolCreated, 'pool' | 'dex' | 'ethIsCurrency0' | 'hooks'> &
  Readonly<{ createdBlock: BlockNumber; createdAtMs: EpochMs }>

export const isOfPool = (fact: ChainAFact): fact is PoolFact => 'pool' in fact.data

const known = new WeakMap<PoolCreated, PoolIdentity>()

/**
 * Returns the same object to every processor that handles the fact. With one object per processor, a pool
 * would take a tenth more memory.
 */
export function poolIdentityOf(fact: PoolCreated): PoolIdentity {
  const identity = known.get(fact) ?? {
    pool: fact.pool,
    dex: fact.dex,
    ethIsCurrency0: fact.ethIsCurrency0,
    hooks: fact.hooks,
    createdBlock: fact.blockNumber,
    createdAtMs: fact.blockAtMs,
  }
  known.set(fact, identity)
  return identity
}

/**
 * Returns the item of the pool. Nearly all tokens have one pool, so a list of items takes as little time as a map,
 * and much less memory.
 */
export function itemOf<Item extends Readonly<{ identity: PoolIdentity }>>(
  items: readonly Item[],
  pool: string,
): Item | undefined {
  for (const item of items) if (item.identity.pool === pool) return item
  return undefined
}

/**
 * Returns false for swaps that no rule uses: swaps without ETH, and swaps through an empty pool to the limit
 * of the price range. Also false for swaps by the pool's own hook contract, such as fee sweeps and buybacks.
 */
export const isCounted = (swap: Swap, pool: PoolIdentity): boolean =>
  swap.ethWei !== 0n &&
  swap.tick > priceTickMin &&
  swap.tick < priceTickMax - 1 &&
  (pool.hooks === null || swap.sender !== pool.hooks)
