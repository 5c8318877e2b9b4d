/** Two small processors that use all a processor may do, and random logs for them. */
import fc from 'fast-check'
import type { Processor } from '../../processors/processor.ts'
import { buildAddress, buildSendersAnswered, buildSwap, buildTick, second } from '../support/build-facts.ts'
import type { KeyedRecord } from './recut.ts'

type Totals = { ethWei: bigint; swaps: number; pending: number[] }

/** Sums swaps block by block, and says so again 7 s later. */
const totals: Processor<Totals> = {
  name: 'totals',
  initialState: () => ({ ethWei: 0n, swaps: 0, pending: [] }),
  onFact(state, fact, context) {
    if (fact.type !== 'Swap') return
    state.ethWei += fact.data.ethWei
    state.swaps += 1
    const dueAtMs = fact.data.blockAtMs + 7000
    if (!state.pending.includes(dueAtMs)) state.pending.push(dueAtMs)
    context.wakeAt(dueAtMs)
  },
  onBlockEnd(state, block, context) {
    context.emit({ type: 'PoolMinute', data: minuteOf(state, block.atMs) })
  },
  onWake(state, dueAtMs, context) {
    state.pending = state.pending.filter((atMs) => atMs !== dueAtMs)
    context.emit({ type: 'PoolMinute', data: minuteOf(state, dueAtMs) })
    if (state.pending.length === 0) Object.assign(state, totals.initialState())
  },
  isEmpty: (state) => state.swaps === 0,
}

const minuteOf = (state: Totals, minuteAtMs: number) => ({
  pool: '0xaa' as const,
  minuteAtMs,
  buyWei: state.ethWei,
  sellWei: 0n,
  buys: state.swaps,
  sells: 0,
  lastPx: null,
  lastSwapAtMs: null,
  liqEth: 0,
})

type Echoes = { seen: number; minuteAtMs: number }

/** Counts what comes from before it; asks for a wake in the past at every third, and a later one at every fourth. */
const echoes: Processor<Echoes> = {
  name: 'echoes',
  initialState: () => ({ seen: 0, minuteAtMs: 0 }),
  onDerived(state, record, context) {
    if (record.type !== 'PoolMinute') return
    state.seen += 1
    state.minuteAtMs = record.data.minuteAtMs
    if (state.seen % 3 === 0) context.wakeAt(state.minuteAtMs - 2000)
    if (state.seen % 4 === 0) context.wakeAt(state.minuteAtMs + 3000)
    if (state.seen % 2 === 0) context.emit(closed(state.seen, state.minuteAtMs))
  },
  onWake(state, dueAtMs, context) {
    context.emit(closed(state.seen, dueAtMs))
    if (dueAtMs > state.minuteAtMs + 1000) state.seen = 0
  },
  onAnswer(_state, answer, context) {
    context.emit(closed(-1, answer.data.answeredAtMs))
  },
  isEmpty: (state) => state.seen === 0,
}

const closed = (seen: number, closedAtMs: number) =>
  ({ type: 'PoolClosed', data: { pool: `0x${(seen + 1).toString(16).padStart(4, '0')}`, closedAtMs } }) as const

export const toyStage: readonly Processor[] = [totals, echoes]

const blockShape = fc.record({
  gapSeconds: fc.nat(6),
  tokens: fc.array(fc.nat(3), { maxLength: 4 }),
  hasTick: fc.boolean(),
  answersToken: fc.option(fc.nat(3), { freq: 4 }),
})

/** A partition's facts: blocks of swaps of four tokens, some sharing a second, ticks after some of the blocks and at the end. */
export const randomFacts = (options: Readonly<{ hasAnswers: boolean }>): fc.Arbitrary<readonly KeyedRecord[]> =>
  fc.array(blockShape, { minLength: 1, maxLength: 25 }).map((blocks) => {
    const records: KeyedRecord[] = []
    let atSecond = 0
    let seq = 0
    for (const [index, { gapSeconds, tokens, hasTick, answersToken }] of blocks.entries()) {
      atSecond += gapSeconds
      const position = { blockAtMs: second(atSecond), blockNumber: 100 + index }
      for (const token of tokens)
        records.push({ key: buildAddress(token), record: buildSwap({ ...position, eth: token + 1 }) })
      if (options.hasAnswers && answersToken !== null)
        records.push({
          key: buildAddress(answersToken),
          record: buildSendersAnswered({ answeredAtMs: second(atSecond) }),
        })
      if (hasTick || index === blocks.length - 1)
        records.push({ key: 'tick', record: { type: 'Tick', data: buildTick({ ...position, seq: ++seq }) } })
    }
    return records
  })
