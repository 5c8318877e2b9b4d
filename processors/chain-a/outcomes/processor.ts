import type { Swap } from '../../../schemas/chain-a/facts.ts'
import type { Move } from '../../markets/move.ts'
import type { ChainAProcessor } from '../processor.ts'
import { endOf, followPull, followSwap, openWatch, scoreWatch, type Watch } from './outcome.ts'

/** The bursts of the token that are followed. */
type OutcomesState = { watches: readonly Watch[] }

/** Follows the pool of each burst from the block after the signal, and scores the burst 30 minutes after it. */
export const outcomes: ChainAProcessor<OutcomesState> = {
  name: 'outcomes',
  stateVersion: 3,
  initialState: () => ({ watches: [] }),
  reads: [],
  readsMoves: ['price', 'liquidity'],
  onMove({ watches }, move) {
    for (const watch of watches) if (watch.burst.pool === move.market) follow(watch, move)
  },
  readsDerived: ['PoolClosed', 'Burst'],
  /** Bursts come at the end of their block, and pulls of that block before them. So all later moves are of later blocks. */
  onDerived(state, record, context) {
    if (record.type === 'PoolClosed')
      state.watches = state.watches.filter(({ burst }) => burst.pool !== record.data.pool)
    if (record.type !== 'Burst') return
    const watch = openWatch(record.data)
    state.watches = [...state.watches, watch]
    context.wakeAt(endOf(watch))
  },
  onWake(state, dueAtMs, context) {
    const due = state.watches.filter((watch) => endOf(watch) === dueAtMs)
    state.watches = state.watches.filter((watch) => endOf(watch) !== dueAtMs)
    for (const watch of due) context.emit({ type: 'BurstOutcome', data: scoreWatch(watch) })
  },
  isEmpty: ({ watches }) => watches.length === 0,
}

function follow(watch: Watch, move: Move): void {
  if (move.type === 'liquidity') followPull(watch, move)
  else if (move.type === 'price' && move.fact.type === 'Swap')
    followSwap(watch, { atMs: move.atMs, px: move.px, ethWei: (move.fact.data as Swap).ethWei })
}
