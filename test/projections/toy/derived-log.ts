import { createSchemaCodec } from '../../../infra/codec/schema-codec.ts'
import { partitionOf } from '../../../infra/log/partition-of.ts'
import type { MarkRecord, StageRecord } from '../../../schemas/stage.ts'
import { buildTick, type DerivedLog } from '../derived-log.ts'
import { type ToyDerived, toyStage } from './visits.ts'

type PlaceRecord = readonly [place: string, record: ToyDerived | MarkRecord]

export type ToyLog = Readonly<{
  /**
   * Appends the records of one tick, keyed by place, and then the tick. The block number of the tick is 100
   * times its `seq`.
   */
  tick(atMs: number, records?: readonly PlaceRecord[]): Promise<void>
  /** Appends records without a tick. */
  append(records: readonly PlaceRecord[]): Promise<void>
}>

/** Creates a writer for the derived topic of the toy stage. It writes to a log that also has another stage. */
export async function createToyLog({ log, registry }: Pick<DerivedLog, 'log' | 'registry'>): Promise<ToyLog> {
  const { name: topic, partitionCount } = toyStage.derivedTopic
  const codec = await createSchemaCodec<StageRecord>(toyStage.derivedTopic, registry)
  const writer = await log.openWriter('toy')
  let seq = 0
  const encoded = (records: readonly PlaceRecord[]) =>
    records.map(([key, { type, data }]) => {
      const partition = partitionOf(key, partitionCount)
      return { topic, partition, key, value: codec.encode(type, data) }
    })
  return {
    append: (records) => writer.append(encoded(records)),
    async tick(atMs, records = []) {
      seq += 1
      const times = { knownAtMs: atMs, blockAtMs: atMs - 500 }
      const price = { ethUsd: null, ethUsdAtMs: null }
      const tick = buildTick({ seq, blockNumber: seq * 100, ...times, ...price, rulesVersion: toyStage.rulesVersion })
      const value = codec.encode('Tick', tick)
      await writer.append([
        ...encoded(records),
        ...Array.from({ length: partitionCount }, (_, partition) => ({ topic, partition, key: 'tick', value })),
      ])
    },
  }
}
