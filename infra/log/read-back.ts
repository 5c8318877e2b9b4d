/**
 * Reads committed records through the interface of the log. Offsets have gaps (transaction markers, aborted
 * records, compaction), even right before the end. So a reader does not know from its offset that it is at
 * the end. It is at the end when it gets no more records.
 */
import type { TopicName } from '../../schemas/topics.ts'
import type { LogOffset, LogReader } from './log.ts'
import type { RecordBatch } from './record-batch.ts'

export type PartitionOfTopic = Readonly<{ topic: TopicName; partition: number }>

export type FoundRecord = Readonly<{ offset: number; batch: RecordBatch; index: number }>

/** Whether the record at this index of the batch is wanted. */
export type Matches = (batch: RecordBatch, index: number) => boolean

/** The number of offsets in the first step back, by default. Each further step is `stepGrowth` times as long. */
const firstStepCountDefault = 256
const stepGrowth = 4

/**
 * Returns the last committed record that matches, or null. It reads backwards in steps, so that it finds a record near
 * the end quickly. A small `firstStepCount` avoids reading large records before a record that is at the end.
 */
export async function readLast(
  log: LogReader,
  {
    topic,
    partition,
    firstStepCount = firstStepCountDefault,
  }: PartitionOfTopic & Readonly<{ firstStepCount?: number }>,
  matches: Matches,
): Promise<FoundRecord | null> {
  const { startOffset, endOffset } = await log.bounds(topic, partition)
  let untilOffset = endOffset
  let stepCount = firstStepCount
  while (untilOffset > startOffset) {
    const offset = Math.max(startOffset, untilOffset - stepCount)
    let found: FoundRecord | null = null
    for await (const batch of recordsFrom(log, { topic, partition, offset }, { untilOffset })) {
      const index = lastIndexIn(batch, matches)
      if (index >= 0) found = { offset: batch.offsetAt(index), batch, index }
    }
    if (found) return found
    untilOffset = offset
    stepCount *= stepGrowth
  }
  return null
}

function lastIndexIn(batch: RecordBatch, matches: Matches): number {
  for (let index = batch.count - 1; index >= 0; index--) if (matches(batch, index)) return index
  return -1
}

/** Returns the first matching committed record at or after the offset, or null. */
export async function readFirst(log: LogReader, from: LogOffset, matches: Matches): Promise<FoundRecord | null> {
  for await (const batch of recordsFrom(log, from))
    for (let index = 0; index < batch.count; index++)
      if (matches(batch, index)) return { offset: batch.offsetAt(index), batch, index }
  return null
}

type ReadLimits = Readonly<{
  /** The offset at which reading ends. The record at this offset is not read. */
  untilOffset?: number
  signal?: AbortSignal
  bytesMax?: number
}>

/**
 * Yields the committed records from an offset on, in batches that are never empty. Ends at `untilOffset`, at the end of
 * the partition or when the signal aborts. Never waits for new records.
 */
export async function* recordsFrom(
  log: LogReader,
  { topic, partition, offset }: LogOffset,
  { untilOffset = Number.POSITIVE_INFINITY, signal, bytesMax = 1 << 20 }: ReadLimits = {},
): AsyncGenerator<RecordBatch, void, undefined> {
  let nextOffset = offset
  while (nextOffset < untilOffset) {
    const batches = await log.read(
      { topic, partition, offset: nextOffset },
      { bytesMax, ...(signal ? { signal } : {}) },
    )
    if (batches.length === 0) return
    for (const batch of batches) {
      const wanted = batch.before(untilOffset)
      if (signal?.aborted || wanted.count === 0) return
      yield wanted
      nextOffset = batch.nextOffset
    }
  }
}

/** Yields all committed records, from the first record that is kept to the end at the time of the call. */
export async function* readAll(log: LogReader, { topic, partition }: PartitionOfTopic): AsyncGenerator<RecordBatch> {
  const { startOffset: offset, endOffset: untilOffset } = await log.bounds(topic, partition)
  yield* recordsFrom(log, { topic, partition, offset }, { untilOffset })
}
