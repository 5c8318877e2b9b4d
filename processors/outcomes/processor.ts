import type { Swap } from '../../schemas/chain-a/facts.ts'
import { priceFromSqrt } from '../../schemas/chain-a/pool-price.ts'
import { counts, type PoolIdentity, poolIdentityOf } from '../pools/pool.ts'
import type { Processor } from '../processor.ts'
import { endOf, followSwap, openWatch, scoreWatch, type Watch } from './outcome.ts'

type Watched = { identity: PoolIdentity; watches: Watch[] }

/** Follows each burst's pool from the block after the signal, and scores it 30 minutes after. */
export const outcomes: Processor<Map<string, Watched>> = {
  name: 'outcomes',
  initialState: () => new Map(),
  onFact(state, fact) {
    if (fact.type === 'Swap') follow(state.get(fact.data.pool), fact.data)
    if (fact.type === 'PoolCreated' && !state.has(fact.data.pool))
      state.set(fact.data.pool, { identity: poolIdentityOf(fact.data), watches: [] })
  },
  /** Bursts come at the end of their block, so the swaps still to come are those of later blocks. */
  onDerived(state, record, context) {
    if (record.type === 'PoolClosed') state.delete(record.data.pool)
    if (record.type !== 'Burst') return
    const watch = openWatch(record.data)
    state.get(record.data.pool)?.watches.push(watch)
    context.wakeAt(endOf(watch))
  },
  onWake(state, dueAtMs, context) {
    for (const watched of state.values()) {
      const due = watched.watches.filter((watch) => endOf(watch) === dueAtMs)
      if (due.length === 0) continue
      watched.watches = watched.watches.filter((watch) => endOf(watch) !== dueAtMs)
      for (const watch of due) context.emit({ type: 'BurstOutcome', data: scoreWatch(watch) })
    }
  },
  isEmpty: (state) => state.size === 0,
}

function follow(watched: Watched | undefined, swap: Swap): void {
  if (!watched || watched.watches.length === 0 || !counts(swap, watched.identity)) return
  const px = priceFromSqrt(swap.sqrtPriceX96, watched.identity.ethIsCurrency0)
  for (const watch of watched.watches) followSwap(watch, { atMs: swap.blockAtMs, px, ethWei: swap.ethWei })
}
