/** Reads records and fails if retention deletes some of them before they are read. */
import { OperationError } from '../errors.ts'
import type { LogOffset, LogReader } from './log.ts'
import { recordsFrom } from './read-back.ts'
import type { RecordBatch } from './record-batch.ts'

type Limits = Readonly<{ untilOffset?: number; signal?: AbortSignal }>

/**
 * Reads the batches of a partition like `recordsFrom`. Fails with `range_not_held` if retention has deleted
 * records that were not read yet. In this case, the log itself reports no error and continues at its first
 * remaining record. A replay must fail instead, because records would be missing. Offsets also have gaps for
 * other reasons, so the log is asked where it begins.
 */
export async function* unbrokenFrom(log: LogReader, from: LogOffset, limits: Limits): AsyncGenerator<RecordBatch> {
  const { untilOffset = Number.POSITIVE_INFINITY, signal } = limits
  let nextOffset = from.offset
  for await (const batch of recordsFrom(log, from, limits)) {
    if (batch.offsetAt(0) > nextOffset) await checkHeld(log, { ...from, offset: nextOffset })
    yield batch
    nextOffset = batch.nextOffset
  }
  // If retention deletes everything up to `untilOffset`, no batch follows that could show the gap.
  if (nextOffset < untilOffset && untilOffset !== Number.POSITIVE_INFINITY && !signal?.aborted)
    await checkHeld(log, { ...from, offset: nextOffset })
}

async function checkHeld(log: LogReader, { topic, partition, offset }: LogOffset): Promise<void> {
  const { startOffset } = await log.bounds(topic, partition)
  if (startOffset > offset)
    throw new OperationError(
      'range_not_held',
      `the replay was too slow. Retention removed records of ${topic} before they were read. Start the replay again from a later instant`,
      { context: { topic, partition, offset, startOffset } },
    )
}
