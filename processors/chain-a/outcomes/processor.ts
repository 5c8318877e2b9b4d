import assert from 'node:assert/strict'
import type { Swap } from '../../../schemas/chain-a/facts.ts'
import { type ChainANumbers, chainANumbers } from '../../../schemas/chain-a/numbers.ts'
import { keptOf, noItems, withItem } from '../../lean-list.ts'
import type { Move } from '../../markets/move.ts'
import type { ChainAProcessor } from '../processor.ts'
import { endOf, followPull, followSwap, openWatch, type Scoring, scoreWatch, scoringOf, type Watch } from './outcome.ts'

/** The bursts of the token whose price is followed. */
type OutcomesState = { watches: readonly Watch[] }

/**
 * Creates the processor that follows the pool of each burst, from the block after the signal on. It publishes
 * the outcome at the end of the window.
 */
export function createOutcomes(rules: ChainANumbers['outcomes']): ChainAProcessor<OutcomesState> {
  const scoring = scoringOf(rules)
  return {
    name: 'outcomes',
    stateVersion: 3,
    initialState: () => ({ watches: noItems }),
    reads: [],
    readsMoves: ['price', 'liquidity'],
    onMove({ watches }, move) {
      for (const watch of watches) if (watch.burst.pool === move.market) follow(watch, move, scoring)
    },
    readsDerived: ['PoolClosed', 'Burst'],
    /**
     * A `Burst` record comes after all market changes of its block. So every market change after it belongs
     * to a later block.
     */
    onDerived(state, record, context) {
      if (record.type === 'PoolClosed')
        state.watches = keptOf(state.watches, ({ burst }) => burst.pool !== record.data.pool)
      if (record.type !== 'Burst') return
      const watch = openWatch(record.data, scoring)
      state.watches = withItem(state.watches, watch)
      context.wakeAt(endOf(watch, scoring))
    },
    onWake(state, dueAtMs, context) {
      const due = state.watches.filter((watch) => endOf(watch, scoring) === dueAtMs)
      state.watches = keptOf(state.watches, (watch) => endOf(watch, scoring) !== dueAtMs)
      for (const watch of due) context.emit({ type: 'BurstOutcome', data: scoreWatch(watch, scoring) })
    },
    isEmpty: ({ watches }) => watches.length === 0,
  }
}

export const outcomes = createOutcomes(chainANumbers.outcomes)

function follow(watch: Watch, move: Move, scoring: Scoring): void {
  if (move.type === 'liquidity') {
    followPull(watch, move, scoring)
    return
  }
  assert(move.type === 'price')
  if (move.fact.type === 'Swap')
    followSwap(watch, { atMs: move.atMs, px: move.px, ethWei: (move.fact.data as Swap).ethWei }, scoring)
}
