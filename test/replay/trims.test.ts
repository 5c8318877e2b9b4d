/**
 * Tests that `trim` only frees memory. The runtime trims quiet tokens at times that the log does not determine,
 * for example at other times after a restart. So the same facts must give the same records with any trims.
 */
import assert from 'node:assert/strict'
import { expect } from 'chai'
import { secondOf } from '../../processors/markets/points.ts'
import type { AnyProcessor, StageProcessor } from '../../processors/processor.ts'
import type { RunnableStage } from '../../processors/runtime/runnable-stage.ts'
import { stateBytesOf } from '../../processors/runtime/state-packer.ts'
import type { TokenOutput } from '../../processors/runtime/token-entry.ts'
import { createWalk } from '../../processors/runtime/walk.ts'
import { chainA, chainB } from '../../processors/stages.ts'
import type { Precall } from '../../schemas/calls/derived.ts'
import { isTick, type StageRecord, type StageTypes } from '../../schemas/stage.ts'
import type { Tick } from '../../schemas/tick.ts'
import { minuteMs } from '../../schemas/units.ts'
import { curveMarket } from '../support/chain-b/market.ts'
import { isFact, type KeyedRecord } from './keyed-record.ts'
import { marketFacts } from './market/market-facts.ts'

/** The number of trims per processor that made the state smaller. */
type Freed = Record<string, number>

/** A processor that remembers its states, and a function that trims all of them. */
function trimming<Types extends StageTypes>(processor: StageProcessor<Types>, freed: Freed) {
  const { name, trim, initialState } = processor
  const states: unknown[] = []
  const remembering: StageProcessor<Types> = {
    ...processor,
    initialState() {
      const state = initialState()
      states.push(state)
      return state
    },
  }
  const trimAll = (atMs: number) => {
    for (const state of trim ? states : []) {
      const before = stateBytesOf(state).length
      trim?.(state, atMs)
      if (stateBytesOf(state).length < before) freed[name] = (freed[name] ?? 0) + 1
    }
  }
  return { remembering, trimAll }
}

/**
 * Returns the records of the stage. `afterTick` is called after each tick, when the runtime may trim. The answers of
 * the tick have been given then, but timers at the time of the tick fire only later.
 */
function outputsOf<Types extends StageTypes>(
  { stage }: RunnableStage<Types>,
  {
    processors,
    afterTick,
  }: Readonly<{ processors: readonly StageProcessor<Types>[]; afterTick?: (atMs: number) => void }>,
  records: readonly KeyedRecord<NoInfer<Types>>[],
): readonly TokenOutput<Types['derived']>[] {
  const walk = createWalk({ stage, processors })
  return records.flatMap(({ key, record }) => {
    if (isTick(record)) {
      const outputs = walk.onTick(record.data)
      afterTick?.(record.data.blockAtMs)
      return outputs
    }
    if (isFact(stage, record)) walk.onFact(key, record)
    else walk.onAnswer(key, record)
    return []
  })
}

/**
 * Compares the records of the stage with and without trims. Returns the records, and how many trims freed memory.
 */
function expectSame<Types extends StageTypes>(
  runnable: RunnableStage<Types>,
  records: readonly KeyedRecord<NoInfer<Types>>[],
): Readonly<{ freed: Freed; records: readonly StageRecord[] }> {
  const freed: Freed = {}
  const without = runnable.processors.map(({ trim: _, ...others }) => others)
  const trimmed = runnable.processors.map((processor) => trimming(processor, freed))
  const expected = outputsOf(runnable, { processors: without }, records)
  expect(expected.length).to.be.above(100)
  const processors = trimmed.map(({ remembering }) => ({ ...remembering, trim: () => {} }))
  const afterTick = (atMs: number) => {
    for (const { trimAll } of trimmed) trimAll(atMs)
  }
  expect(outputsOf(runnable, { processors, afterTick }, records)).to.deep.equal(expected)
  return { freed, records: expected.map(({ record }) => record) }
}

/**
 * Returns the records until the last trade, and then one post per token, in ticks of their own. A token's post is made
 * a minute before its last trade, and comes at least `lateMinutes` later. So no later trade deletes old entries of the
 * states.
 */
function withLatePosts<Types extends StageTypes>(
  records: readonly KeyedRecord<Types>[],
  lateMinutes: number,
): readonly KeyedRecord<Types>[] {
  const isTrade = ({ record }: KeyedRecord<Types>) => tradeTypes.has(record.type)
  const lastTrade = records.findLastIndex(isTrade)
  const lastTick = records.find(({ record }, index) => index > lastTrade && isTick(record))
  assert(lastTick !== undefined)
  const traded = records.slice(0, records.indexOf(lastTick) + 1).filter(({ record }) => record.type !== 'Mentioned')
  let { seq, blockAtMs, blockNumber } = lastTick.record.data as Tick
  const tickAt = (atMs: number): KeyedRecord<Types> => {
    blockAtMs = Math.max(blockAtMs, atMs)
    const data = { ...lastTick.record.data, seq: ++seq, blockAtMs, blockNumber: ++blockNumber, knownAtMs: blockAtMs }
    return { ...lastTick, record: { ...lastTick.record, data } }
  }
  const postOf = new Map(records.filter(({ record }) => record.type === 'Mentioned').map((post) => [post.key, post]))
  const lastTrades = new Map(traded.filter(isTrade).map(({ key, record }) => [key, blockAtMsOf(record)]))
  const late = [...lastTrades].flatMap(([key, atMs]) => {
    const post = postOf.get(key)
    const postedAtMs = secondOf(atMs) - minuteMs
    if (post === undefined) return []
    const data = { ...post.record.data, kind: 'call', postedAtMs, seenAtMs: postedAtMs + 1000 }
    return [{ ...post, record: { ...post.record, data } }, tickAt(postedAtMs + lateMinutes * minuteMs)]
  })
  return [...traded, ...late, ...[1, 120, 2_000].map((later) => tickAt(blockAtMs + later * minuteMs))]
}

const tradeTypes: ReadonlySet<string> = new Set(['Swap', 'CurveTraded', 'PoolTraded'])

const blockAtMsOf = ({ data }: StageRecord): number => (data as Readonly<{ blockAtMs: number }>).blockAtMs

/** The processors whose trims delete data. The trim of `markets` only frees spare memory. */
const trimmers = (processors: readonly AnyProcessor[]): readonly string[] =>
  processors.flatMap(({ name, trim }) => (trim && name !== 'markets' ? [name] : []))

describe('the trims of a stage', () => {
  it('change no record of chain A, and each frees memory', () => {
    const { freed } = expectSame(chainA, marketFacts(5, 4, { hasPosts: true }))
    expect(Object.keys(freed).sort()).to.deep.equal([...trimmers(chainA.processors)].sort())
  })

  it('change no record of chain B, and each frees memory', () => {
    const { freed } = expectSame(chainB, curveMarket(5, 8, { hasPosts: true }))
    expect(Object.keys(freed).sort()).to.deep.equal([...trimmers(chainB.processors)].sort())
  })

  it('change no record about posts that come late', () => {
    const [ofChainA, ofChainB] = [marketFacts(5, 4, { hasPosts: true }), curveMarket(5, 8, { hasPosts: true })]
    for (const lateMinutes of [0, 14, 16, 40, 90, 300]) {
      const { records } = expectSame(chainA, withLatePosts(ofChainA, lateMinutes))
      // The posts must be about states that the precalls read: buys in time, and none later.
      const bought = records.filter(({ type, data }) => type === 'Precall' && (data as Precall).buys > 0)
      expect(bought.length > 0, `${lateMinutes} minutes late`).to.equal(lateMinutes <= 15)
      expectSame(chainB, withLatePosts(ofChainB, lateMinutes))
    }
  })
})
