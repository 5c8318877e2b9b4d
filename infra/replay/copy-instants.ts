/**
 * Copies the records of a replay to another log unchanged. Topics, partitions, keys and bytes stay the same.
 * All records that became known at the same instant are copied in one append.
 */

import type { EpochMs } from '../../schemas/units.ts'
import { OperationError } from '../errors.ts'
import type { Log, NewRecord } from '../log/log.ts'
import type { InstantOf } from './in-order.ts'
import type { StoredRecord } from './instants.ts'
import type { ReplayPartition } from './read-replay.ts'

/**
 * The log that gets the copy. Before each append, `atPublished` sets the clock of that log to the time at
 * which the records were first published. So the records keep this time.
 */
export type CopyTarget = Readonly<{ log: Log; atPublished(publishedAtMs: EpochMs): void }>

/**
 * Returns a function that appends the records of one instant. Fails with `replay_target_used` if a partition
 * of the target is not empty. Otherwise, the records of two replays would be mixed.
 */
export async function copyTo({ log, atPublished }: CopyTarget, partitions: readonly ReplayPartition[]) {
  for (const { source } of partitions) {
    const { endOffset } = await log.bounds(source.topic, source.partition)
    if (endOffset > 0)
      throw new OperationError(
        'replay_target_used',
        `the topic ${source.topic} already has records under this prefix. Choose another --prefix, or delete the topics with this prefix`,
        { context: { topic: source.topic } },
      )
  }
  const writer = await log.openWriter('replay')
  return async (due: readonly InstantOf<ReplayPartition>[]): Promise<void> => {
    const records: NewRecord[] = []
    let publishedAtMs = 0
    for (const { source, instant } of due)
      for (const { batch, index } of storedIn(instant)) {
        publishedAtMs = Math.max(publishedAtMs, batch.timestampMsAt(index))
        const { topic, partition } = source.source
        records.push({ topic, partition, key: batch.keyAt(index), value: batch.valueAt(index) })
      }
    atPublished(publishedAtMs)
    if (records.length > 0) await writer.append(records)
  }
}

/** The records of an instant in the order of the log. A tick comes after its records. */
const storedIn = ({ records, ticks }: InstantOf<ReplayPartition>['instant']): readonly StoredRecord[] =>
  [...records, ...ticks.map(({ stored }) => stored)].sort(
    (left, right) => left.batch.offsetAt(left.index) - right.batch.offsetAt(right.index),
  )
