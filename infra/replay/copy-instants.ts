/**
 * Copies the records of a replay to another log unchanged. Topics, partitions, keys, bytes and times of publication
 * stay the same. Records that became known at the same instant and were published at the same time are copied in one
 * append. So one append of the source, such as the facts of a reorg with their tick, is also one append of the copy.
 */

import type { EpochMs } from '../../schemas/units.ts'
import { OperationError } from '../errors.ts'
import type { Log, NewRecord } from '../log/log.ts'
import type { TypedPartition } from '../log/scan.ts'
import type { InstantOf } from './in-order.ts'
import type { StoredRecord } from './instants.ts'
import type { ReplayPartition } from './read-replay.ts'

/**
 * The log that gets the copy. Before each append, `atPublished` sets the clock of that log to the time at
 * which its records were first published. So the records keep this time.
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
    // Facts come first, even if the clock of the program that wrote the derived records was behind. Readers of the
    // copy then never see a derived record before its facts.
    for (const areFacts of [true, false])
      for (const { publishedAtMs, records } of publishedIn(due.filter(({ source }) => source.isFacts === areFacts))) {
        atPublished(publishedAtMs)
        await writer.append(records)
      }
  }
}

type Published = Readonly<{ publishedAtMs: EpochMs; records: readonly NewRecord[] }>

/** Groups the records of all partitions by their time of publication, oldest first. Each partition keeps its order. */
function* publishedIn(due: readonly InstantOf<ReplayPartition>[]): Generator<Published> {
  // An index instead of `shift`, which moves all elements of a long list. An instant of a first start is long.
  const heads = due.map(({ source, instant }) => ({ place: source.source, stored: storedIn(instant), next: 0 }))
  for (;;) {
    const publishedAtMs = Math.min(...heads.map(({ stored, next }) => publishedAt(stored[next])))
    if (publishedAtMs === Infinity) return
    const records: NewRecord[] = []
    for (const head of heads)
      for (; publishedAt(head.stored[head.next]) === publishedAtMs; head.next++)
        records.push(copyOf(head.place, head.stored[head.next] as StoredRecord))
    yield { publishedAtMs, records }
  }
}

/** Infinity after the last record. */
const publishedAt = (stored: StoredRecord | undefined): EpochMs =>
  stored === undefined ? Infinity : stored.batch.timestampMsAt(stored.index)

const copyOf = ({ topic, partition }: TypedPartition, { batch, index }: StoredRecord): NewRecord => ({
  ...{ topic, partition },
  key: batch.keyAt(index),
  value: batch.valueAt(index),
})

/** The records of an instant in the order of the log. A tick comes after its records. */
const storedIn = ({ records, ticks }: InstantOf<ReplayPartition>['instant']): StoredRecord[] =>
  [...records, ...ticks.map(({ stored }) => stored)].sort(
    (left, right) => left.batch.offsetAt(left.index) - right.batch.offsetAt(right.index),
  )
