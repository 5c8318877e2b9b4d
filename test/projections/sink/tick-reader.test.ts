import { expect } from 'chai'
import { createSchemaCodec } from '../../../infra/codec/schema-codec.ts'
import { partitionOf } from '../../../infra/log/partition-of.ts'
import { chainAProjection } from '../../../projections/chain-a/projection.ts'
import { createTickReader } from '../../../projections/sink/tick-reader.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import type { StageRecord } from '../../../schemas/stage.ts'
import { expectFailure } from '../../contracts/log-contract.ts'
import { address, buildBurst, buildOutcome, createDerivedLog, noonMs, type TokenRecord } from '../derived-log.ts'

const topic = chainAStage.derivedTopic

describe('a reader of whole ticks', () => {
  const rowsOf = async (record: TokenRecord[1]) => {
    const token = address(1)
    const derived = await createDerivedLog()
    await derived.tick(noonMs, [[token, record]])
    const codec = await createSchemaCodec<StageRecord>(topic, derived.registry)
    const source = { log: derived.log, codec, projection: chainAProjection }
    const closed = await createTickReader(source, partitionOf(token, topic.partitionCount), 0).next()
    return closed?.rows.map(({ table }) => table.name)
  }

  const columns: readonly [name: string, recordOf: (value: number) => TokenRecord[1]][] = [
    ['a number', (px) => buildBurst({ px })],
    ['a number that may be missing', (lpRemoved) => buildOutcome({ rug: { atSec: 1, lpRemoved } })],
  ]
  for (const [name, recordOf] of columns) {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])
      it(`refuses ${value} in a column of ${name}, which the tables would store as 0 or as missing`, async () => {
        await expectFailure(rowsOf(recordOf(value)), 'record_corrupt')
      })
    it(`takes the largest finite value in a column of ${name}`, async () => {
      expect(await rowsOf(recordOf(Number.MAX_VALUE))).to.include(
        recordOf(1).type === 'Burst' ? 'bursts' : 'burst_outcomes',
      )
    })
  }
})
