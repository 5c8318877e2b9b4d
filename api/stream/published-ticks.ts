/** Groups the records of a partition by the tick that closes them. A tick is the record that closes a time step. */
import type { SchemaCodec } from '../../infra/codec/schema-codec.ts'
import type { RecordBatch } from '../../infra/log/record-batch.ts'
import { isTick, type Stage, type StageRecord } from '../../schemas/stage.ts'
import type { Tick } from '../../schemas/tick.ts'
import type { EpochMs } from '../../schemas/units.ts'

/**
 * A record that the rules computed, or a record about a correction (`Restated`, `Withdrawn`), as it is on the
 * log.
 */
export type PublishedRecord = Readonly<{ key: string; record: StageRecord; offset: number; publishedAtMs: EpochMs }>

/** A tick of one partition, and the records before it that belong to its time step, in the order of the log. */
export type PublishedTick = Readonly<{
  stage: Stage
  partition: number
  tick: Tick
  records: readonly PublishedRecord[]
  /** The offset of the record after the tick. */
  nextOffset: number
}>

export type TickGrouping = Readonly<{
  /** Yields the ticks of the next batch of the partition. The schemas of the batch must be loaded. */
  ticksOf(batch: RecordBatch): Generator<PublishedTick>
  /** Whether records wait for their tick. */
  isOpen(): boolean
}>

type Grouped = Readonly<{
  stage: Stage
  partition: number
  codec: SchemaCodec<StageRecord>
  /**
   * The types of records that are passed on. Other types are not decoded. Records about corrections are always passed
   * on.
   */
  types: readonly string[]
}>

export function createTickGrouping({ stage, partition, codec, types }: Grouped): TickGrouping {
  const wanted: ReadonlySet<string> = new Set([...types, 'Restated', 'Withdrawn', 'Tick'])
  let records: PublishedRecord[] = []
  return {
    *ticksOf(batch) {
      for (let index = 0; index < batch.count; index++) {
        const value = batch.valueAt(index)
        if (value === null || !wanted.has(codec.typeOf(value))) continue
        const record = codec.decode(value)
        const offset = batch.offsetAt(index)
        if (!isTick(record)) {
          records.push({ key: batch.keyAt(index), record, offset, publishedAtMs: batch.timestampMsAt(index) })
          continue
        }
        const closed = records
        records = []
        yield { stage, partition, tick: record.data, records: closed, nextOffset: offset + 1 }
      }
    },
    isOpen: () => records.length > 0,
  }
}
