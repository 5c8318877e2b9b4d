/** Defines two small processors that use everything that a processor may do. */
import type { Processor } from '../../../processors/processor.ts'
import type { RunnableStage } from '../../../processors/runtime/runnable-stage.ts'
import { type ToyTypes, toyStage } from './toy-records.ts'

type Sums = { amount: bigint; payments: number; pending: number[] }

/**
 * Sums the payments and publishes the sum after each block. 7 s after a payment, it publishes the sum again.
 */
export const balances: Processor<Sums, ToyTypes> = {
  name: 'balances',
  initialState: () => ({ amount: 0n, payments: 0, pending: [] }),
  onFact(state, fact, context) {
    if (fact.type !== 'PaidIn') return
    state.amount += fact.data.amount
    state.payments += 1
    const dueAtMs = fact.data.blockAtMs + 7000
    if (!state.pending.includes(dueAtMs)) state.pending.push(dueAtMs)
    context.wakeAt(dueAtMs)
  },
  onBlockEnd(state, block, context) {
    context.emit(balanceOf(state, block.atMs))
  },
  onWake(state, dueAtMs, context) {
    state.pending = state.pending.filter((atMs) => atMs !== dueAtMs)
    context.emit(balanceOf(state, dueAtMs))
    if (state.pending.length === 0) Object.assign(state, balances.initialState())
  },
  isEmpty: (state) => state.payments === 0,
}

const balanceOf = ({ amount, payments }: Sums, asOfMs: number) =>
  ({ type: 'Balance', data: { asOfMs, amount, payments } }) as const

type Seen = { count: number; asOfMs: number }

/**
 * Counts the records of `balances`. Every third record sets a timer in the past, and every fourth sets a
 * timer in the future.
 */
const reminders: Processor<Seen, ToyTypes> = {
  name: 'reminders',
  initialState: () => ({ count: 0, asOfMs: 0 }),
  onDerived(state, record, context) {
    if (record.type !== 'Balance') return
    state.count += 1
    state.asOfMs = record.data.asOfMs
    if (state.count % 3 === 0) context.wakeAt(state.asOfMs - 2000)
    if (state.count % 4 === 0) context.wakeAt(state.asOfMs + 3000)
    if (state.count % 2 === 0) context.emit(reminderOf(state.count, state.asOfMs))
  },
  onWake(state, dueAtMs, context) {
    context.emit(reminderOf(state.count, dueAtMs))
    if (dueAtMs > state.asOfMs + 1000) state.count = 0
  },
  onAnswer(_state, answer, context) {
    context.emit(reminderOf(-1, answer.data.answeredAtMs))
  },
  isEmpty: (state) => state.count === 0,
}

const reminderOf = (number: number, dueAtMs: number) => ({ type: 'Reminder', data: { number, dueAtMs } }) as const

export const toy: RunnableStage<ToyTypes> = { stage: toyStage, processors: [balances, reminders], views: {} }
