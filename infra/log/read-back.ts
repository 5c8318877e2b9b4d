/** Reading over the log port in the ways that programs need: the last record of a kind, and all records from a point on. */
import type { TopicName } from '../../schemas/topics.ts'
import type { Log, ReadPosition } from './log.ts'
import type { RecordBatch } from './record-batch.ts'

export type PartitionOfTopic = Readonly<{ topic: TopicName; partition: number }>

export type FoundRecord = Readonly<{ offset: number; batch: RecordBatch; index: number }>

/** The first step back; each next one is four times as long. */
const firstStepCount = 256
const stepGrowth = 4

/** The last committed record that matches, or null. Reads backwards, so a record near the end is found at once. */
export async function readLast(
  log: Log,
  { topic, partition }: PartitionOfTopic,
  matches: (batch: RecordBatch, index: number) => boolean,
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

function lastIndexIn(batch: RecordBatch, matches: (batch: RecordBatch, index: number) => boolean): number {
  for (let index = batch.count - 1; index >= 0; index--) if (matches(batch, index)) return index
  return -1
}

export type RecordsUntil =
  /** Ends at the offset (exclusive); waits for what is not yet appended. */
  | Readonly<{ untilOffset: number; signal?: AbortSignal; bytesMax?: number }>
  /** Follows the partition until the signal aborts, then ends without an error. */
  | Readonly<{ untilOffset?: never; signal: AbortSignal; bytesMax?: number }>

/** The committed records from a position on, in batches that are never empty. */
export async function* recordsFrom(
  log: Log,
  { topic, partition, offset }: ReadPosition,
  { untilOffset = Number.POSITIVE_INFINITY, signal = neverAborted, bytesMax = 1 << 20 }: RecordsUntil,
): AsyncGenerator<RecordBatch, void, undefined> {
  let position = { topic, partition, offset }
  while (!signal.aborted && position.offset < untilOffset) {
    const batches = await log.read(position, { bytesMax })
    for (const batch of batches) {
      const wanted = batch.before(untilOffset)
      if (signal.aborted || wanted.count === 0) return
      yield wanted
      position = { topic, partition, offset: batch.nextOffset }
    }
    if (batches.length === 0) await log.waitForAppend(position, signal)
  }
}

const neverAborted = new AbortController().signal

/** All records committed so far, from the first one kept. */
export async function* readAll(log: Log, { topic, partition }: PartitionOfTopic): AsyncGenerator<RecordBatch> {
  const { startOffset: offset, endOffset: untilOffset } = await log.bounds(topic, partition)
  yield* recordsFrom(log, { topic, partition, offset }, { untilOffset })
}
