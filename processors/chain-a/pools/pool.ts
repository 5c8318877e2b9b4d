/** The identity of a pool, and the test which of its swaps count. */
import type { PoolCreated, Swap } from '../../../schemas/chain-a/facts.ts'
import { priceTickMax, priceTickMin } from '../../../schemas/chain-a/pool-price.ts'
import type { BlockNumber, EpochMs } from '../../../schemas/units.ts'

/** The fields of a pool that never change. Processors keep them in their state. */
export type PoolIdentity = Pick<PoolCreated, 'pool' | 'dex' | 'ethIsCurrency0' | 'hooks'> &
  Readonly<{ createdBlock: BlockNumber; createdAtMs: EpochMs }>

const known = new WeakMap<PoolCreated, PoolIdentity>()

/** Returns one object to all processors that see the fact. A copy for each would take a tenth of the memory of a live pool. */
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
 * False for swaps that no rule counts: those without ETH, those through an empty pool to the limit of the price range, and those
 * from the pool's own hook (fee sweeps, buybacks).
 */
export const isCounted = (swap: Swap, pool: PoolIdentity): boolean =>
  swap.ethWei !== 0n &&
  swap.tick > priceTickMin &&
  swap.tick < priceTickMax - 1 &&
  (pool.hooks === null || swap.sender !== pool.hooks)
