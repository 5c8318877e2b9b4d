/**
 * Reading what is committed over the log port. Offsets are places, not numbers of records: markers of transactions, records
 * that were aborted and compaction leave holes, also right before an end. So a reader is at an end when no record comes.
 */
import type { TopicName } from '../../schemas/topics.ts'
import type { Log, ReadPosition } from './log.ts'
import type { RecordBatch } from './record-batch.ts'

export type PartitionOfTopic = Readonly<{ topic: TopicName; partition: number }>

export type FoundRecord = Readonly<{ offset: number; batch: RecordBatch; index: number }>

/** True of the record that is looked for. */
export type Matches = (batch: RecordBatch, index: number) => boolean

/** The first step back; each next one is four times as long. */
const firstStepCount = 256
const stepGrowth = 4

/** The last committed record that matches, or null. Reads backwards, so a record near the end is found at once. */
export async function readLast(
  log: Log,
  { topic, partition }: PartitionOfTopic,
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

/** The first committed record from a position on that matches, or null. */
export async function readFirst(log: Log, position: ReadPosition, matches: Matches): Promise<FoundRecord | null> {
  for await (const batch of recordsFrom(log, position))
    for (let index = 0; index < batch.count; index++)
      if (matches(batch, index)) return { offset: batch.offsetAt(index), batch, index }
  return null
}

type ReadLimits = Readonly<{
  /** Exclusive. */
  untilOffset?: number
  signal?: AbortSignal
  bytesMax?: number
}>

/**
 * The committed records from a position on, in batches that are never empty. Ends before `untilOffset`, where no more
 * records come, or when the signal aborts; never waits.
 */
export async function* recordsFrom(
  log: Log,
  { topic, partition, offset }: ReadPosition,
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

/** All records committed so far, from the first one kept. */
export async function* readAll(log: Log, { topic, partition }: PartitionOfTopic): AsyncGenerator<RecordBatch> {
  const { startOffset: offset, endOffset: untilOffset } = await log.bounds(topic, partition)
  yield* recordsFrom(log, { topic, partition, offset }, { untilOffset })
}
