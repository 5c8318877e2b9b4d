/**
 * The processor of calls (posts that recommend a token). It observes how the price of a token develops after
 * a call. A post is handled only when a block later than the post is processed, because all trades up to the
 * post are then known.
 */
import assert from 'node:assert/strict'
import { type CallAnswer, isCallAnswer } from '../../schemas/calls/facts.ts'
import { priceMemoryMs } from '../../schemas/calls/retention.ts'
import type { CallRules } from '../../schemas/calls/rules.ts'
import type { EpochMs } from '../../schemas/units.ts'
import { keptOf, noItems, withItem } from '../lean-list.ts'
import type { Move } from '../markets/move.ts'
import type { Processor } from '../processor.ts'
import type { CallsDependencies, CallsTypes } from './dependencies.ts'
import { type CallsState, takeAnswer, takeBurst, takeMove, waitToPrune, wakePosts } from './posts.ts'
import { watchRulesOf } from './samples.ts'

export function createCallsProcessor<Precalls, Types extends CallsTypes>(
  dependencies: CallsDependencies<Precalls, Types>,
  callRules: CallRules,
): Processor<CallsState<Precalls>, Types> {
  const { precalling, burstOf, canBePulled } = dependencies
  const rules = watchRulesOf(callRules)
  const movesOfPulls: readonly Move['type'][] = canBePulled ? ['liquidity', 'closed'] : []
  return {
    name: 'calls',
    stateVersion: 7,
    initialState: () => ({ precalls: null, bursts: noItems, book: null, pruneAtMs: 0 }),
    reads: [],
    readsDerived: dependencies.burstTypes,
    readsMoves: precalling === null ? movesOfPulls : ['price', ...movesOfPulls],
    onMove(state, move, context) {
      if (move.type === 'price') {
        assert(precalling !== null, 'prices are read, but the chain has no precalls')
        state.precalls = precalling.onTrade(state.precalls, move.fact)
        if (state.pruneAtMs === 0 && state.precalls !== null) waitToPrune(state, move.atMs, context)
      } else if (state.book?.watched) takeMove({ state, context, dependencies, rules }, state.book.watched, move)
    },
    onDerived(state, record, context) {
      const burst = burstOf(record)
      state.bursts = withItem(state.bursts, burst)
      if (state.pruneAtMs === 0) waitToPrune(state, burst.atMs, context)
      if (state.book?.watched) takeBurst({ state, context, dependencies, rules }, state.book.watched, burst)
    },
    onWake(state, dueAtMs, context) {
      if (state.book !== null) wakePosts({ state, context, dependencies, rules }, state.book, dueAtMs)
      if (state.pruneAtMs === dueAtMs && prune(state, dependencies, dueAtMs)) waitToPrune(state, dueAtMs, context)
    },
    onAnswer(state, answer, context) {
      if (isCallAnswer(answer)) takeAnswer({ state, context, dependencies, rules }, answer as CallAnswer)
      if (precalling === null || state.precalls === null) return
      for (const record of precalling.onAnswer(state.precalls, answer)) context.emit(record)
    },
    ...(precalling && {
      trim({ precalls }: CallsState<Precalls>, atMs: EpochMs) {
        if (precalls !== null) precalling.trim(precalls, atMs)
      },
    }),
    isEmpty: ({ precalls, bursts, book }) => precalls === null && bursts.length === 0 && book === null,
  }
}

/** Deletes old state. Returns whether some state remains to be deleted later. */
function prune<Precalls, Types extends CallsTypes>(
  state: CallsState<Precalls>,
  { precalling }: CallsDependencies<Precalls, Types>,
  atMs: EpochMs,
): boolean {
  state.pruneAtMs = 0
  state.bursts = keptOf(state.bursts, (burst) => burst.atMs > atMs - priceMemoryMs)
  if (precalling !== null && state.precalls !== null) {
    precalling.prune(state.precalls, atMs)
    if (precalling.isEmpty(state.precalls)) state.precalls = null
  }
  return state.precalls !== null || state.bursts.length > 0
}
