/**
 * The paper desk of one token, on any chain. It simulates trades by the rules of `schemas/desk/rules.ts`.
 * Positions open at timers, and close at a change of their market or at a time limit. The chain provides the
 * bursts. Only the opening time of a position depends on when the service recorded the signal, which the tick
 * shows.
 */
import type { CallAnswer } from '../../schemas/calls/facts.ts'
import type { DeskRules } from '../../schemas/desk/rules.ts'
import type { StageTypes } from '../../schemas/stage.ts'
import type { Processor, ProcessorContext } from '../processor.ts'
import { type Books, emptyBooks, isQuiet, type RuleContext } from './books.ts'
import { takeMention, watchEndMs } from './calls.ts'
import { type BurstSignal, chatsMaxOf, lanesOfBurst, lanesOfCall } from './lanes.ts'
import { learnSignals, takeSignal } from './signals.ts'
import { takeMove, wake } from './walk-books.ts'

/** Returns the signal for the desk in a record. Returns null if the record is no burst. */
export type BurstOf<Types extends StageTypes> = (
  record: Types['derived'],
  context: Pick<ProcessorContext<Types>, 'markets'>,
) => BurstSignal | null

export function createDesk<Types extends StageTypes>(
  desk: DeskRules,
  burstOf: BurstOf<Types>,
): Processor<Books, Types> {
  const signalRules = { ...desk, chatsMax: chatsMaxOf(desk) }
  type Context = ProcessorContext<Types>
  const ruleContextOf = (context: Context): RuleContext => ({
    desk,
    context: context as unknown as RuleContext['context'],
  })
  return {
    name: 'desk',
    stateVersion: 4,
    initialState: emptyBooks,
    reads: [],
    readsDerived: ['Burst'],
    onMove: (books, move, context) => takeMove(books, move, ruleContextOf(context)),
    onDerived(books, record, context) {
      const burst = burstOf(record, context)
      if (burst === null) return
      const signal = { kind: 'burst', atMs: burst.atMs, market: burst.market, isShadowed: true } as const
      takeSignal(books, { ...signal, lanes: lanesOfBurst(desk, burst) }, ruleContextOf(context))
    },
    onWake: (books, dueAtMs, context) => wake(books, dueAtMs, ruleContextOf(context)),
    onAnswer(books, answer, context) {
      const { type, data } = answer as CallAnswer
      if (type !== 'Mentioned') return
      const taken = takeMention(books.call, data, signalRules)
      if (taken === null) return
      const { watch, signal } = taken
      books.call = watch
      if (signal.chats === 1) context.wakeAt(watchEndMs(watch, desk))
      const call = { kind: 'call', atMs: signal.atMs, market: null, isShadowed: signal.chats === 1 } as const
      takeSignal(books, { ...call, lanes: lanesOfCall(desk, signal.chats) }, ruleContextOf(context))
    },
    onTick: (books, tick, context) => learnSignals(books, tick, ruleContextOf(context)),
    isEmpty: isQuiet,
  }
}
