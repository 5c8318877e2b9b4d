import type { ChainAFact, PoolFact } from '../../../schemas/chain-a/facts.ts'
import { counts, poolIdentityOf } from '../pools/pool.ts'
import type { ChainAContext, ChainAProcessor } from '../processor.ts'
import { addLiquidity, addSwap, type MinuteCell, minuteOf, openCell, setInitialPrice, slotEndOf } from './minute.ts'

type Cells = Map<string, MinuteCell>

/** Publishes the current minute of each pool at most once in 10 s of block time, and always after its last swap. */
export const minutes: ChainAProcessor<Cells> = {
  name: 'minutes',
  stateVersion: 2,
  initialState: () => new Map(),
  reads: ['PoolCreated', 'PoolInitialized', 'Swap', 'LiquidityChanged'],
  onFact(state, fact, context) {
    if (!isOfPool(fact)) return
    const cell = state.get(fact.data.pool)
    if (cell) countFact(cell, fact, context)
    else if (fact.type === 'PoolCreated')
      state.set(fact.data.pool, openCell(poolIdentityOf(fact.data), fact.data.sqrtPriceX96))
  },
  onDerived(state, record) {
    if (record.type === 'PoolClosed') state.delete(record.data.pool)
  },
  onWake(state, dueAtMs, context) {
    for (const cell of state.values())
      if (cell.dueAtMs === dueAtMs) context.emit({ type: 'PoolMinute', data: minuteOf(cell) })
  },
  isEmpty: (state) => state.size === 0,
}

const isOfPool = (fact: ChainAFact): fact is PoolFact => 'pool' in fact.data

function countFact(cell: MinuteCell, fact: PoolFact, context: ChainAContext): void {
  switch (fact.type) {
    case 'Swap':
      if (!counts(fact.data, cell.identity)) return
      addSwap(cell, fact.data)
      publishAt(cell, fact.data.blockAtMs, context)
      return
    case 'LiquidityChanged':
      if (addLiquidity(cell, fact.data)) publishAt(cell, fact.data.blockAtMs, context)
      return
    case 'PoolInitialized':
      setInitialPrice(cell, fact.data.sqrtPriceX96)
      return
    case 'PoolCreated':
    case 'PositionTransferred':
      return
    default:
      fact satisfies never
  }
}

function publishAt(cell: MinuteCell, atMs: number, context: ChainAContext): void {
  const dueAtMs = slotEndOf(atMs)
  if (cell.dueAtMs === dueAtMs) return
  cell.dueAtMs = dueAtMs
  context.wakeAt(dueAtMs)
}
