/**
 * The paper desk of a token, on any chain. The chain says what happens on its markets and which of its records are bursts; the
 * rules of `schemas/desk/rules.ts` do the rest. Positions open at timers and close at moves, so how coarse ticks are makes no difference.
 */
import type { CallAnswer } from '../../schemas/calls/facts.ts'
import type { Desk } from '../../schemas/desk/rules.ts'
import type { StageTypes } from '../../schemas/stage.ts'
import type { Quote } from '../calls/prices.ts'
import type { Processor } from '../processor.ts'
import { type Books, emptyBooks, isQuiet, type Shell } from './books.ts'
import { takeMention, watchEndMs } from './calls.ts'
import { type BurstSignal, chatsMaxOf, lanesOfBurst, lanesOfCall } from './lanes.ts'
import type { Move } from './moves.ts'
import { takeSignal } from './signals.ts'
import { takeMove, wake } from './walk-books.ts'

/** What the desk needs of a chain. `State` is plain data; moves come in chain order. */
export type DeskMarkets<State, Types extends StageTypes> = Readonly<{
  reads: readonly Types['fact']['type'][]
  readsDerived: readonly Types['derived']['type'][]
  initialState(): State
  onFact(state: State, fact: Types['fact']): readonly Move[]
  /** Moves that only the end of the block shows. Left out where there are none. */
  onBlockEnd?(state: State): readonly Move[]
  onDerived(state: State, record: Types['derived']): readonly Move[]
  isEmpty(state: State): boolean
  /** The market that prices the token now. Null: none is known. */
  deepest(state: State): Quote | null
  burstOf(state: State, record: Types['derived']): BurstSignal | null
}>

type DeskState<Markets> = Readonly<{ markets: Markets; books: Books }>

export function createDesk<Markets, Types extends StageTypes>(
  desk: Desk,
  chain: DeskMarkets<Markets, Types>,
): Processor<DeskState<Markets>, Types> {
  const chatsMax = chatsMaxOf(desk)
  type Context = Parameters<NonNullable<Processor<DeskState<Markets>, Types>['onWake']>>[2]
  const deepest = chain.deepest as Shell['deepest']
  const { onBlockEnd } = chain
  const shellOf = ({ markets }: DeskState<Markets>, context: Context): Shell => ({
    desk,
    markets,
    deepest,
    context: context as unknown as Shell['context'],
  })
  const take = (state: DeskState<Markets>, moves: readonly Move[], context: Context) => {
    if (moves.length === 0) return
    const shell = shellOf(state, context)
    for (const move of moves) takeMove(state.books, move, shell)
  }
  return {
    name: 'desk',
    stateVersion: 3,
    initialState: () => ({ markets: chain.initialState(), books: emptyBooks() }),
    reads: chain.reads,
    readsDerived: chain.readsDerived,
    onFact: (state, fact, context) => take(state, chain.onFact(state.markets, fact), context),
    ...(onBlockEnd && { onBlockEnd: (state, _, context) => take(state, onBlockEnd(state.markets), context) }),
    onDerived(state, record, context) {
      take(state, chain.onDerived(state.markets, record), context)
      const burst = chain.burstOf(state.markets, record)
      if (burst === null) return
      const signal = { kind: 'burst', atMs: burst.atMs, market: burst.market, isShadowed: true } as const
      takeSignal(state.books, { ...signal, lanes: lanesOfBurst(desk, burst) }, shellOf(state, context))
    },
    onWake: (state, dueAtMs, context) => wake(state.books, dueAtMs, shellOf(state, context)),
    onAnswer(state, answer, context) {
      const { type, data } = answer as CallAnswer
      if (type !== 'Mentioned') return
      const taken = takeMention(state.books.call, data, chatsMax)
      if (taken === null) return
      const { watch, signal } = taken
      state.books.call = watch
      if (signal.chats === 1) context.wakeAt(watchEndMs(watch))
      const call = { kind: 'call', atMs: signal.atMs, market: null, isShadowed: signal.chats === 1 } as const
      takeSignal(state.books, { ...call, lanes: lanesOfCall(desk, signal.chats) }, shellOf(state, context))
    },
    isEmpty: (state) => chain.isEmpty(state.markets) && isQuiet(state.books),
  }
}
