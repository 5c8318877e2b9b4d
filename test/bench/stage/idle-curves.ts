/** The facts of curves that are launched, bought a few times, and then idle. */
import { createHash } from 'node:crypto'
import { createMemoryRegistry } from '../../../infra/codec/registry/schema-table.ts'
import { packRecords, RecordBatch } from '../../../infra/log/record-batch.ts'
import { createStageCodecs } from '../../../processors/runtime/stage-codecs.ts'
import type { Walk } from '../../../processors/runtime/walk.ts'
import { chainA } from '../../../processors/stages.ts'
import type { ChainAFact } from '../../../schemas/chain-a/facts.ts'
import type { ChainATypes } from '../../../schemas/chain-a/stage.ts'
import type { Hex } from '../../../schemas/units.ts'
import { buildCurveLaunched, buildCurveTraded } from '../../support/builders/build-curves.ts'
import { buildTick, second } from '../../support/builders/build-facts.ts'

const buysEach = 3
/** The number of curves between two ticks. At each tick, the walk packs the states of a limited number of quiet tokens. */
const ticksEvery = 60

const addressOf = (...parts: readonly unknown[]): Hex => `0x${createHash('sha1').update(parts.join()).digest('hex')}`

/**
 * Feeds the facts of `count` curves to the walk, with one launch per second of chain time. Then continues
 * until the curves cause no more records.
 */
export async function walkIdleCurves(walk: Walk<ChainATypes>, count: number): Promise<void> {
  const { factCodec } = await createStageCodecs(chainA, createMemoryRegistry())
  for (let index = 0; index < count; index++) {
    const key = addressOf('token', index)
    const packed = factsOfCurve(index).map(({ type, data }) => ({ key, value: factCodec.encode(type, data) }))
    const block = { bytes: packRecords(packed), count: packed.length, firstOffset: 0, timestampMs: 0 }
    const batch = new RecordBatch(block)
    for (let at = 0; at < batch.count; at++) {
      const record = factCodec.decodeAt(batch, batch.valueStartAt(at), batch.valueEndAt(at))
      walk.onFact(batch.keyAt(at), record as ChainAFact)
    }
    if (index % ticksEvery === 0) walk.onTick(buildTick({ seq: 1 + index / ticksEvery, blockAtMs: second(index) }))
  }
  walk.onTick(buildTick({ seq: 1 + Math.ceil(count / ticksEvery), blockAtMs: second(count + 60) }))
}

/** All facts of a curve are in one block. */
function factsOfCurve(index: number): readonly ChainAFact[] {
  const fields = { curve: addressOf('curve', index), blockAtMs: second(index) }
  const launched = { ...fields, creator: addressOf('creator', index), symbol: `CURVE ${index}` }
  const buys = Array.from({ length: buysEach }, () => buildCurveTraded({ ...fields, eth: 0.01 + index / 1e7 }))
  return [buildCurveLaunched(launched), ...buys]
}
