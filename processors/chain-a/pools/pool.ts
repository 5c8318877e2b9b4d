/** What a pool is for as long as it is tracked, and which of its swaps count. */
import type { PoolCreated, Swap } from '../../../schemas/chain-a/facts.ts'
import { tickMax, tickMin } from '../../../schemas/chain-a/pool-price.ts'

/** The facts of a pool that never change; a processor keeps them with whatever it remembers of the pool. */
export type PoolIdentity = Pick<PoolCreated, 'pool' | 'dex' | 'ethIsCurrency0' | 'hooks'> &
  Readonly<{ createdBlock: number; createdAtMs: number }>

const known = new WeakMap<PoolCreated, PoolIdentity>()

/** The same for all processors that see the fact: a copy each would be a tenth of what a live pool weighs. */
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
 * False for swaps that tell nothing about the market, everywhere: those that moved no ETH, those that ran through an
 * empty pool to the limit of its price range, and those that the pool's own hook made (fee sweeps, buybacks).
 */
export const counts = (swap: Swap, pool: PoolIdentity): boolean =>
  swap.ethWei !== 0n &&
  swap.tick > tickMin &&
  swap.tick < tickMax - 1 &&
  (pool.hooks === null || swap.sender !== pool.hooks)
