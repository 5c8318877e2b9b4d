import type { ChainAFact } from '../../../schemas/chain-a/facts.ts'
import type { ChainAContext, ChainAProcessor } from '../processor.ts'
import type { WatchedPool } from './continuity.ts'
import { changeLiquidity, followSwap, setInitialPrice, watchPool } from './gap.ts'

/** The pools are a list without spare capacity, because most tokens have one pool. */
type GapsState = { pools: readonly WatchedPool[] }

/** Publishes a gap where the prices of a pool show that swaps are missing. */
export const gaps: ChainAProcessor<GapsState> = {
  name: 'gaps',
  initialState: () => ({ pools: [] }),
  reads: ['PoolCreated', 'PoolInitialized', 'Swap', 'LiquidityChanged'],
  readsDerived: ['PoolClosed'],
  onFact(state, fact, context) {
    if (fact.type === 'PoolCreated') {
      if (poolOf(state, fact.data.pool) === undefined) state.pools = [...state.pools, watchPool(fact.data)]
      return
    }
    const pool = 'pool' in fact.data ? poolOf(state, fact.data.pool) : undefined
    if (pool !== undefined) follow(pool, fact, context)
  },
  onDerived(state, record) {
    if (record.type === 'PoolClosed') state.pools = state.pools.filter(({ pool }) => pool !== record.data.pool)
  },
  isEmpty: ({ pools }) => pools.length === 0,
}

function poolOf({ pools }: GapsState, address: string): WatchedPool | undefined {
  for (const pool of pools) if (pool.pool === address) return pool
  return undefined
}

function follow(pool: WatchedPool, fact: ChainAFact, { emit }: ChainAContext): void {
  if (fact.type === 'Swap') {
    const gap = followSwap(pool, fact.data)
    if (gap !== null) emit({ type: 'TradeGap', data: gap })
  } else if (fact.type === 'LiquidityChanged') changeLiquidity(pool, fact.data)
  else if (fact.type === 'PoolInitialized') setInitialPrice(pool, fact.data)
}
