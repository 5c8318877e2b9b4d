import type { PoolCreated, PoolInitialized } from '../../../schemas/chain-a/facts.ts'
import { type ChainANumbers, chainANumbers } from '../../../schemas/chain-a/numbers.ts'
import { priceFromSqrt } from '../../../schemas/chain-a/pool-price.ts'
import type { DurationMs, SqrtPriceX96 } from '../../../schemas/units.ts'
import { keptOf, noItems, withItem } from '../../lean-list.ts'
import type { ChainAContext, ChainAProcessor } from '../processor.ts'
import { type PoolIdentity, poolIdentityOf } from './pool.ts'

/** The open pools of a token. */
type Pools = { pools: readonly PoolIdentity[] }

/**
 * Creates the processor that opens and closes the pools of a token. After a `PoolClosed` record, later
 * processors delete what they stored about that pool.
 */
export const createPools = ({ lifeMs }: ChainANumbers['pools']): ChainAProcessor<Pools> => ({
  name: 'pools',
  stateVersion: 2,
  initialState: () => ({ pools: noItems }),
  reads: ['PoolCreated', 'PoolInitialized'],
  onFact(state, fact, context) {
    if (fact.type === 'PoolCreated') openPool(state, fact.data, { lifeMs, context })
    if (fact.type === 'PoolInitialized') pricePool(state, fact.data, context)
  },
  onWake(state, dueAtMs, context) {
    for (const { pool, createdAtMs } of state.pools) {
      if (createdAtMs + lifeMs !== dueAtMs) continue
      state.pools = keptOf(state.pools, (known) => known.pool !== pool)
      context.emit({ type: 'PoolClosed', data: { pool, closedAtMs: dueAtMs } })
    }
  },
  isEmpty: ({ pools }) => pools.length === 0,
})

export const pools = createPools(chainANumbers.pools)

const poolOf = ({ pools }: Pools, address: string): PoolIdentity | undefined =>
  pools.find(({ pool }) => pool === address)

type Opening = Readonly<{ lifeMs: DurationMs; context: ChainAContext }>

function openPool(state: Pools, fact: PoolCreated, { lifeMs, context }: Opening): void {
  if (poolOf(state, fact.pool)) return
  const identity = poolIdentityOf(fact)
  state.pools = withItem(state.pools, identity)
  context.wakeAt(identity.createdAtMs + lifeMs)
  emitOpened(identity, fact.sqrtPriceX96, context)
}

/**
 * A v3 pool gets its price after its creation. A second version of the record `PoolOpened` then contains the
 * price.
 */
function pricePool(state: Pools, fact: PoolInitialized, context: ChainAContext): void {
  const identity = poolOf(state, fact.pool)
  if (identity) emitOpened(identity, fact.sqrtPriceX96, context)
}

function emitOpened(identity: PoolIdentity, sqrtPriceX96: SqrtPriceX96 | null, context: ChainAContext): void {
  const { pool, dex, createdBlock, createdAtMs, ethIsCurrency0 } = identity
  const px = sqrtPriceX96 === null ? null : priceFromSqrt(sqrtPriceX96, ethIsCurrency0)
  context.emit({ type: 'PoolOpened', data: { pool, dex, createdBlock, createdAtMs, px } })
}
