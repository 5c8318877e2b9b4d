import assert from 'node:assert/strict'
import type { PoolFact } from '../../../schemas/chain-a/facts.ts'
import { keptOf, noItems, withItem } from '../../lean-list.ts'
import { isOfPool } from '../pools/pool.ts'
import type { ChainAContext, ChainAProcessor } from '../processor.ts'
import type { WatchedPool } from './continuity.ts'
import { changeLiquidity, followSwap, setInitialPrice, watchPool } from './gap.ts'

/**
 * `pools` is replaced and never extended with `push`. `push` reserves memory for more pools, but most tokens
 * have only one.
 */
type GapsState = { pools: readonly WatchedPool[] }

/**
 * The processor that publishes a `TradeGap` where the prices of a pool show that swaps are missing from the
 * log.
 */
export const gaps: ChainAProcessor<GapsState> = {
  name: 'gaps',
  initialState: () => ({ pools: noItems }),
  reads: ['PoolCreated', 'PoolInitialized', 'Swap', 'LiquidityChanged'],
  readsDerived: ['PoolClosed'],
  onFact(state, fact, context) {
    assert(isOfPool(fact))
    const pool = poolOf(state, fact.data.pool)
    if (pool !== undefined) follow(pool, fact, context)
    else if (fact.type === 'PoolCreated') state.pools = withItem(state.pools, watchPool(fact.data))
  },
  onDerived(state, record) {
    assert(record.type === 'PoolClosed')
    state.pools = keptOf(state.pools, ({ pool }) => pool !== record.data.pool)
  },
  isEmpty: ({ pools }) => pools.length === 0,
}

function poolOf({ pools }: GapsState, address: string): WatchedPool | undefined {
  for (const pool of pools) if (pool.pool === address) return pool
  return undefined
}

function follow(pool: WatchedPool, fact: PoolFact, { emit }: ChainAContext): void {
  if (fact.type === 'Swap') {
    const gap = followSwap(pool, fact.data)
    if (gap !== null) emit({ type: 'TradeGap', data: gap })
  } else if (fact.type === 'LiquidityChanged') changeLiquidity(pool, fact.data)
  else if (fact.type === 'PoolInitialized') setInitialPrice(pool, fact.data)
}
