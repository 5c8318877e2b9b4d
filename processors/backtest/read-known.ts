/** Reads the records of a partition that the service recorded in a given range of time. */
import type { SchemaCodec } from '../../infra/codec/schema-codec.ts'
import type { LogReader } from '../../infra/log/log.ts'
import { offsetKnownAt } from '../../infra/log/ticks.ts'
import { unbrokenFrom } from '../../infra/log/unbroken.ts'
import { isTick, type StageRecord } from '../../schemas/stage.ts'
import { type TopicName, tickKey } from '../../schemas/topics.ts'
import type { EpochMs } from '../../schemas/units.ts'
import { createRecordReader } from '../runtime/decode-record.ts'

/** A half-open range `[fromMs, toMs)` of the time at which the service recorded something. */
export type KnownRange = Readonly<{ fromMs: EpochMs; toMs: EpochMs }>

export type Known = Readonly<{
  log: LogReader
  codec: SchemaCodec
  partition: number
  range: KnownRange
  /** Selects records by their key, before they are decoded. Ticks are always read. */
  isWanted: (key: string) => boolean
  signal?: AbortSignal
}>

export type KnownRecord = Readonly<{
  key: string
  offset: number
  record: StageRecord
  /** True for the last record of a batch of the log. The caller then reports progress. */
  isLast: boolean
}>

/**
 * Yields the records from the first complete append in the range up to the first tick after the range,
 * without this tick. A record of a fact is valid only until the caller requests the next record. Fails with
 * `record_corrupt` if a record cannot be decoded, and with `range_not_held` if retention deletes records before
 * they are read.
 */
export async function* readKnown(topic: TopicName, known: Known): AsyncGenerator<KnownRecord> {
  const { log, codec, partition, range, isWanted, signal } = known
  const reader = createRecordReader(codec, topic, partition)
  const { startOffset, endOffset: untilOffset } = await log.bounds(topic, partition)
  const offset = await offsetKnownAt({ log, topic, partition, codec }, range.fromMs)
  // An offset after the start of the log may be in the middle of an append (a group of records with a tick at
  // its end). Such an append is incomplete, so all records up to the next tick are skipped.
  let isWhole = offset === startOffset
  for await (const batch of unbrokenFrom(
    log,
    { topic, partition, offset },
    { untilOffset, ...(signal && { signal }) },
  )) {
    for (let index = 0; index < batch.count; index++) {
      const key = batch.keyAt(index)
      if (key !== tickKey && !(isWhole && isWanted(key))) continue
      const record = reader.knownAt(batch, index) ?? (await reader.wholeAt(batch, index))
      if (isTick(record) && record.data.knownAtMs >= range.toMs) return
      yield { key, offset: batch.offsetAt(index), record, isLast: index === batch.count - 1 }
      isWhole = true
    }
  }
}
