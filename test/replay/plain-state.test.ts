/**
 * Tests that the states of processors are plain data. A fact is read in place in its batch of log records. If
 * a processor kept a reference to the fact, the whole batch would stay in memory. So a processor must copy
 * what it keeps.
 */
import { expect } from 'chai'
import type { SchemaCodec } from '../../infra/codec/schema-codec.ts'
import { packRecords, RecordBatch } from '../../infra/log/record-batch.ts'
import { noItems } from '../../processors/lean-list.ts'
import type { AnyProcessor } from '../../processors/processor.ts'
import type { RunnableStage } from '../../processors/runtime/runnable-stage.ts'
import type { FactRecord } from '../../processors/runtime/stage-codecs.ts'
import type { TokenSnapshot } from '../../processors/runtime/token-entry.ts'
import { createWalk } from '../../processors/runtime/walk.ts'
import { chainA, chainB } from '../../processors/stages.ts'
import { isTick, type StageTypes } from '../../schemas/stage.ts'
import { curveMarket } from '../support/chain-b/market.ts'
import { isFact, type KeyedRecord } from './keyed-record.ts'
import { marketFacts } from './market/market-facts.ts'
import { openStage } from './stage-log.ts'

const plainKinds: readonly unknown[] = [
  ...[Object.prototype, Array.prototype, Map.prototype, Set.prototype],
  ...[Float64Array.prototype, Uint8Array.prototype],
]

const partsOf = (value: object): readonly unknown[] =>
  value instanceof Map || value instanceof Set ? [...value] : Object.values(value)

/** All tokens have the same empty list. */
const isEmptyList = (value: object): boolean => Array.isArray(value) && value.length === 0

/**
 * Searches for an object that is part of two states, where one state is packed before the other.
 * Packing would make two objects of it. Returns the path of the first such object, or null.
 */
function firstShared(states: readonly unknown[], processors: readonly AnyProcessor[]): string | null {
  const ownerOf = new Map<object, boolean>()
  const visit = (value: unknown, owner: boolean, path: string): string | null => {
    if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || isEmptyList(value)) return null
    const known = ownerOf.get(value)
    if (known !== undefined) return known === owner ? null : path
    ownerOf.set(value, owner)
    for (const [index, part] of partsOf(value).entries()) {
      const found = visit(part, owner, `${path}.${index}`)
      if (found !== null) return found
    }
    return null
  }
  for (const [index, state] of states.entries()) {
    const found = visit(state, processors[index]?.isOftenWoken ?? false, `${index}`)
    if (found !== null) return found
  }
  return null
}

/** Returns the path of the first value that is not plain data, or null. */
function firstForeign(value: unknown, path: string): string | null {
  if (typeof value !== 'object' || value === null) return typeof value === 'function' ? path : null
  if (!plainKinds.includes(Object.getPrototypeOf(value))) return path
  // A typed array must own its memory. An array that is only a part of a batch would keep the whole batch in
  // memory.
  if (ArrayBuffer.isView(value)) return value.byteLength === value.buffer.byteLength ? null : path
  for (const [index, part] of partsOf(value).entries()) {
    const found = firstForeign(part, `${path}.${index}`)
    if (found !== null) return found
  }
  return null
}

/** Returns the states that the runtime may delete: the empty ones without a timer. Each must be equal to a new one. */
const forgettable = (
  processors: readonly AnyProcessor[],
  { states, timers }: Pick<TokenSnapshot, 'states' | 'timers'>,
): readonly (readonly [AnyProcessor, unknown])[] =>
  processors.flatMap((processor, index) => {
    const state = states[index]
    const hasTimer = timers.some((value, at) => at % 2 === 1 && value === index)
    return state !== undefined && processor.isEmpty(state) && !hasTimer ? [[processor, state]] : []
  })

/** Checks the states at every tick. Returns the largest number of tokens that had a state at the same time. */
async function expectPlainState<Types extends StageTypes>(
  runnable: RunnableStage<Types>,
  records: readonly KeyedRecord<NoInfer<Types>>[],
): Promise<number> {
  const { factCodec }: Readonly<{ factCodec: SchemaCodec }> = await openStage(runnable)
  const packed = records.map(({ key, record }) => ({ key, value: factCodec.encode(record.type, record.data) }))
  const bytes = packRecords(packed)
  const batch = new RecordBatch({ bytes, count: packed.length, firstOffset: 0, timestampMs: 0 })
  const walk = createWalk(runnable)
  const emptied = new Set<string>()
  let largest = 0
  for (let index = 0; index < batch.count; index++) {
    const record: FactRecord<Types> = factCodec.decodeAt(batch, batch.valueStartAt(index), batch.valueEndAt(index))
    if (!isTick(record)) {
      if (isFact(runnable.stage, record)) walk.onFact(batch.keyAt(index), record)
      else walk.onAnswer(batch.keyAt(index), record)
      continue
    }
    walk.onTick(record.data)
    const tokens = [...(walk.snapshot()?.tokens ?? [])]
    for (const { token, states, timers } of tokens) {
      expect(firstForeign(states, token)).to.equal(null)
      expect(firstShared(states, runnable.processors)).to.equal(null)
      for (const [processor, state] of forgettable(runnable.processors, { states, timers })) {
        expect(state, `the empty state of ${processor.name}`).to.deep.equal(processor.initialState())
        emptied.add(processor.name)
      }
    }
    largest = Math.max(largest, tokens.length)
  }
  expect(noItems).to.deep.equal([])
  expect(emptied.size, 'few processors had an empty state').to.be.above(7)
  return largest
}

describe('the state of a stage', () => {
  it('is plain data at every tick of a market that was read in place: chain A', async () => {
    expect(
      await expectPlainState(chainA, marketFacts(6, 3, { hasPosts: true })),
      'the market left nothing to look at',
    ).to.be.above(2)
  })

  it('is plain data at every tick of a market that was read in place: chain B', async () => {
    expect(await expectPlainState(chainB, curveMarket(6, 4)), 'the market left nothing to look at').to.be.above(2)
  })
})
