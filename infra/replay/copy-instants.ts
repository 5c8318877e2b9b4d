/** Writes what is replayed to another log, as it stands: the same topics, partitions, keys and bytes, each instant in one append. */
import { OperationError } from '../errors.ts'
import type { Log, NewRecord } from '../log/log.ts'
import type { InstantOf } from './in-order.ts'
import type { StoredRecord } from './instants.ts'
import type { Lane } from './read-replay.ts'

/** `publishedAtMs`: what the clock of the log says while the instant is appended, so that records keep their time. */
export type CopyTarget = Readonly<{ log: Log; atPublished(publishedAtMs: number): void }>

/** Fails with `replay_target_used` where one of the partitions holds something: two replays would be one without order. */
export async function copyTo({ log, atPublished }: CopyTarget, lanes: readonly Lane[]) {
  for (const { source } of lanes) {
    const { endOffset } = await log.bounds(source.topic, source.partition)
    if (endOffset > 0)
      throw new OperationError(
        'replay_target_used',
        `${source.topic} under this prefix holds records already: name another --prefix, or delete its topics`,
        { context: { topic: source.topic } },
      )
  }
  const writer = await log.openWriter('replay')
  return async (due: readonly InstantOf<Lane>[]): Promise<void> => {
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

/** Ticks stand behind what they close. */
const storedIn = ({ records, ticks }: InstantOf<Lane>['instant']): readonly StoredRecord[] =>
  [...records, ...ticks.map(({ stored }) => stored)].sort(
    (left, right) => left.batch.offsetAt(left.index) - right.batch.offsetAt(right.index),
  )
