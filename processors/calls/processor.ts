/**
 * Calls of a chain: follows the price of every token, and measures what is said of it. A post counts once block time has
 * passed it, so all trades up to the post are known, however early or late the post itself became known.
 */
import { type CallAnswer, isCallAnswer } from '../../schemas/calls/facts.ts'
import { callRules } from '../../schemas/calls/rules.ts'
import type { Processor, ProcessorContext } from '../processor.ts'
import type { CallsParts, CallsTypes } from './parts.ts'
import { hasPast, prunePath } from './path.ts'
import { secondOf } from './points.ts'
import { type CallsState, takeAnswer, takeBurst, wakeBook } from './posts.ts'
import type { Prices } from './prices.ts'
import { createTracker } from './track.ts'

const { priceMemoryMs } = callRules

type Waiting = Pick<CallsState<unknown, unknown, unknown>, 'pruneAtMs'>
type Waking = Pick<ProcessorContext<CallsTypes>, 'wakeAt'>

export function createCallsProcessor<PriceState, Watch, Precalls, Types extends CallsTypes>(
  prices: Prices<PriceState, Types>,
  parts: CallsParts<Watch, Precalls, Types>,
): Processor<CallsState<PriceState, Watch, Precalls>, Types> {
  const tracker = createTracker(prices)
  const { precalling, burstOf } = parts
  return {
    name: 'calls',
    stateVersion: 3,
    initialState: () => ({ track: tracker.initialState(), precalls: null, bursts: [], book: null, pruneAtMs: 0 }),
    reads: prices.reads,
    readsDerived: [...prices.readsDerived, ...parts.burstTypes],
    onFact(state, fact, context) {
      const market = tracker.onFact(state.track, fact)
      if (market === null) return
      if (precalling !== null) state.precalls = precalling.onFact(state.precalls, fact)
      if (state.pruneAtMs === 0 && (state.precalls !== null || hasPast(state.track.path)))
        waitToPrune(state, fact.data.blockAtMs, context)
    },
    onDerived(state, record, context) {
      const closedAtMs = tracker.onDerived(state.track, record)
      if (closedAtMs !== null && state.pruneAtMs === 0) waitToPrune(state, closedAtMs, context)
      const burst = burstOf(record)
      if (burst === null) return
      state.bursts = [...state.bursts, burst]
      if (state.pruneAtMs === 0) waitToPrune(state, burst.atMs, context)
      if (state.book?.watched) takeBurst({ state, context, tracker, parts }, state.book.watched, burst)
    },
    onWake(state, dueAtMs, context) {
      if (state.book !== null) wakeBook({ state, context, tracker, parts }, state.book, dueAtMs)
      if (state.pruneAtMs === dueAtMs && prune(state, parts, dueAtMs)) waitToPrune(state, dueAtMs, context)
    },
    onAnswer(state, answer, context) {
      if (isCallAnswer(answer)) takeAnswer({ state, context, tracker, parts }, answer as CallAnswer)
      if (precalling === null || state.precalls === null) return
      for (const record of precalling.onAnswer(state.precalls, answer)) context.emit(record)
    },
    isEmpty: ({ track, precalls, bursts, book }) =>
      tracker.isEmpty(track) && precalls === null && bursts.length === 0 && book === null,
  }
}

function waitToPrune(state: Waiting, atMs: number, context: Waking): void {
  state.pruneAtMs = secondOf(atMs) + priceMemoryMs
  context.wakeAt(state.pruneAtMs)
}

/** A token without trades would keep its last ones for ever. Returns whether there is more to forget later. */
function prune<PriceState, Watch, Precalls, Types extends CallsTypes>(
  state: CallsState<PriceState, Watch, Precalls>,
  { precalling }: CallsParts<Watch, Precalls, Types>,
  atMs: number,
): boolean {
  state.pruneAtMs = 0
  state.bursts = state.bursts.filter((burst) => burst.atMs > atMs - priceMemoryMs)
  if (precalling !== null && state.precalls !== null) {
    precalling.prune(state.precalls, atMs)
    if (precalling.isEmpty(state.precalls)) state.precalls = null
  }
  return prunePath(state.track.path, atMs) || state.precalls !== null || state.bursts.length > 0
}
