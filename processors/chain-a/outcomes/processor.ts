import type { LiquidityChanged, PoolCreated, Swap } from '../../../schemas/chain-a/facts.ts'
import { priceFromSqrt } from '../../../schemas/chain-a/pool-price.ts'
import { counts, type PoolIdentity, poolIdentityOf } from '../pools/pool.ts'
import type { ChainAProcessor } from '../processor.ts'
import { endOf, followPull, followSwap, openWatch, scoreWatch, type Watch } from './outcome.ts'
import { closeTransaction, isBehind, type Pullable, takeLiquidity } from './rug.ts'

type Watched = { identity: PoolIdentity; pullable: Pullable; watches: Watch[] }

/** Follows the pool of each burst from the block after the signal, and scores the burst 30 minutes after it. */
export const outcomes: ChainAProcessor<Map<string, Watched>> = {
  name: 'outcomes',
  stateVersion: 2,
  initialState: () => new Map(),
  reads: ['PoolCreated', 'Swap', 'LiquidityChanged'],
  readsDerived: ['PoolClosed', 'Burst'],
  onFact(state, fact) {
    if (fact.type === 'Swap') return follow(state.get(fact.data.pool), fact.data)
    if (fact.type === 'LiquidityChanged') return changeLiquidity(state.get(fact.data.pool), fact.data)
    if (fact.type === 'PoolCreated' && !state.has(fact.data.pool)) state.set(fact.data.pool, newlyWatched(fact.data))
  },
  /** Bursts come at the end of their block, so all later swaps and pulls are in later blocks. */
  onDerived(state, record, context) {
    if (record.type === 'PoolClosed') state.delete(record.data.pool)
    if (record.type !== 'Burst') return
    const watched = state.get(record.data.pool)
    if (!watched) return
    settle(watched)
    const watch = openWatch(record.data)
    watched.watches.push(watch)
    context.wakeAt(endOf(watch))
  },
  onWake(state, dueAtMs, context) {
    for (const watched of state.values()) {
      const due = watched.watches.filter((watch) => endOf(watch) === dueAtMs)
      settle(watched)
      watched.watches = watched.watches.filter((watch) => endOf(watch) !== dueAtMs)
      for (const watch of due) context.emit({ type: 'BurstOutcome', data: scoreWatch(watch) })
    }
  },
  isEmpty: (state) => state.size === 0,
}

const newlyWatched = (fact: PoolCreated): Watched => ({
  identity: poolIdentityOf(fact),
  pullable: {
    ethIsCurrency0: fact.ethIsCurrency0,
    positions: [],
    sqrtPriceX96: 0n,
    open: null,
  },
  watches: [],
})

function follow(watched: Watched | undefined, swap: Swap): void {
  if (!watched || !counts(swap, watched.identity)) return
  const { pullable, watches } = watched
  if (isBehind(pullable, swap)) settle(watched)
  pullable.sqrtPriceX96 = swap.sqrtPriceX96
  if (watches.length === 0) return
  const px = priceFromSqrt(swap.sqrtPriceX96, watched.identity.ethIsCurrency0)
  for (const watch of watches) followSwap(watch, { atMs: swap.blockAtMs, px, ethWei: swap.ethWei })
}

function changeLiquidity(watched: Watched | undefined, change: LiquidityChanged): void {
  if (!watched) return
  const { pullable, watches } = watched
  if (isBehind(pullable, change)) settle(watched)
  takeLiquidity(pullable, change, watches.length > 0)
}

/** Ends the transaction that last changed the liquidity. Called before the first fact after it, because its own facts come one by one. */
function settle({ pullable, watches }: Watched): void {
  const pull = closeTransaction(pullable)
  if (pull) for (const watch of watches) followPull(watch, pull)
}
