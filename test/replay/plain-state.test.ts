/**
 * Facts are read in place in their batch. A processor must copy what it keeps, because a reference would keep the whole batch in memory.
 */
import { expect } from 'chai'
import type { SchemaCodec } from '../../infra/codec/schema-codec.ts'
import { packRecords, RecordBatch } from '../../infra/log/record-batch.ts'
import type { RunnableStage } from '../../processors/runtime/runnable-stage.ts'
import type { FactRecord } from '../../processors/runtime/stage-codecs.ts'
import { createWalk } from '../../processors/runtime/walk.ts'
import { chainA, chainB } from '../../processors/stages.ts'
import { isTick, type StageTypes } from '../../schemas/stage.ts'
import { curveMarket } from '../support/chain-b/market.ts'
import { isFact, type KeyedRecord } from './keyed-record.ts'
import { marketFacts } from './market/market-facts.ts'
import { openStage } from './stage-log.ts'

const plainKinds: readonly unknown[] = [Object.prototype, Array.prototype, Map.prototype, Set.prototype]

/** The path of the first value that is not plain data, or null. */
function firstForeign(value: unknown, path: string): string | null {
  if (typeof value !== 'object' || value === null) return typeof value === 'function' ? path : null
  if (!plainKinds.includes(Object.getPrototypeOf(value))) return path
  const parts = value instanceof Map || value instanceof Set ? [...value] : Object.values(value)
  for (const [index, part] of parts.entries()) {
    const found = firstForeign(part, `${path}.${index}`)
    if (found !== null) return found
  }
  return null
}

/** Returns the largest number of tokens with state. */
async function expectPlainState<Types extends StageTypes>(
  runnable: RunnableStage<Types>,
  records: readonly KeyedRecord<NoInfer<Types>>[],
): Promise<number> {
  const { factCodec }: Readonly<{ factCodec: SchemaCodec }> = await openStage(runnable)
  const packed = records.map(({ key, record }) => ({ key, value: factCodec.encode(record.type, record.data) }))
  const bytes = packRecords(packed)
  const batch = new RecordBatch({ bytes, count: packed.length, firstOffset: 0, timestampMs: 0 })
  const walk = createWalk(runnable)
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
    for (const { token, states } of tokens) expect(firstForeign(states, token)).to.equal(null)
    largest = Math.max(largest, tokens.length)
  }
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
