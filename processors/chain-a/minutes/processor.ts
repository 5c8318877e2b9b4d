import assert from 'node:assert/strict'
import type { PoolFact } from '../../../schemas/chain-a/facts.ts'
import { keptOf, noItems, withItem } from '../../lean-list.ts'
import { isCounted, isOfPool, itemOf, poolIdentityOf } from '../pools/pool.ts'
import type { ChainAContext, ChainAProcessor } from '../processor.ts'
import { addLiquidity, addSwap, type MinuteCell, minuteOf, openCell, setInitialPrice, waitEndOfCell } from './minute.ts'

/** Lists are replaced and never extended with `push`, which would reserve memory for more pools. */
type MinutesState = {
  cells: readonly MinuteCell[]
  /** The cells (one per pool) that are published at the end of the current block. */
  ready: MinuteCell[]
}

/**
 * The processor that publishes the sums of the current minute of each pool when they change. Changes in quick
 * succession are published together. The last change is always published.
 */
export const minutes: ChainAProcessor<MinutesState> = {
  name: 'minutes',
  stateVersion: 4,
  initialState: () => ({ cells: noItems, ready: [] }),
  reads: ['PoolCreated', 'PoolInitialized', 'Swap', 'LiquidityChanged'],
  readsDerived: ['PoolClosed'],
  onFact(state, fact, context) {
    assert(isOfPool(fact))
    const cell = itemOf(state.cells, fact.data.pool)
    if (cell) {
      if (!changes(cell, fact)) return
      cell.changedAtMs = fact.data.blockAtMs
      schedule(state, cell, context)
    } else if (fact.type === 'PoolCreated')
      state.cells = withItem(state.cells, openCell(poolIdentityOf(fact.data), fact.data.sqrtPriceX96))
  },
  onDerived(state, record) {
    assert(record.type === 'PoolClosed')
    state.cells = keptOf(state.cells, ({ identity }) => identity.pool !== record.data.pool)
  },
  onBlockEnd(state, _, context) {
    for (const cell of state.ready) publish(cell, context)
    state.ready.length = 0
  },
  onWake(state, dueAtMs, context) {
    for (const cell of state.cells) if (cell.dueAtMs === dueAtMs) publish(cell, context)
  },
  isEmpty: (state) => state.cells.length === 0,
}

/** Applies the fact. Returns whether the record of the minute changes. */
function changes(cell: MinuteCell, fact: PoolFact): boolean {
  switch (fact.type) {
    case 'Swap':
      if (!isCounted(fact.data, cell.identity)) return false
      addSwap(cell, fact.data)
      return true
    case 'LiquidityChanged':
      return addLiquidity(cell, fact.data)
    case 'PoolInitialized':
      setInitialPrice(cell, fact.data.sqrtPriceX96)
      return false
    case 'PoolCreated':
    case 'PositionTransferred':
      return false
    default:
      return fact satisfies never
  }
}

function schedule(state: MinutesState, cell: MinuteCell, context: ChainAContext): void {
  if (cell.isReady) return
  const dueAtMs = waitEndOfCell(cell)
  if (dueAtMs === null) {
    cell.isReady = true
    state.ready.push(cell)
  } else if (cell.dueAtMs !== dueAtMs) {
    cell.dueAtMs = dueAtMs
    context.wakeAt(dueAtMs)
  }
}

function publish(cell: MinuteCell, context: ChainAContext): void {
  cell.publishedAtMs = cell.changedAtMs
  cell.isReady = false
  cell.dueAtMs = 0
  context.emit({ type: 'PoolMinute', data: minuteOf(cell) })
}
