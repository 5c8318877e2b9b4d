/**
 * The rows of the main environment: what is committed, and where it is stored. A block without a row does not exist.
 *
 *   end/topic/partition             the committed end offset
 *   segment/topic/partition/offset  the day whose environment has the blocks from this offset on (bulk topics)
 *   count/topic                     the number of partitions that the topic's data was written with
 *   epoch/writer                    the epoch of the newest writer of this name
 *   compacted/topic/partition       the end offset at the last compaction
 */
import type { TopicName, TopicTable } from '../../../schemas/topics.ts'
import { type Environment, numberRow, rowNumber } from '../../data-dir/lmdb.ts'
import { OperationError } from '../../errors.ts'
import { writerFenced } from '../append.ts'

export type Segment = Readonly<{ firstOffset: number; day: string }>

export type EmbeddedIndex = ReturnType<typeof createEmbeddedIndex>

/** Above every offset, and an exact double. */
export const offsetMax = Number.MAX_SAFE_INTEGER

export function createEmbeddedIndex(main: Environment) {
  const segmentsFrom = (topic: TopicName, partition: number, offset: number): Segment | undefined => {
    const start = ['segment', topic, partition, offset]
    const end = ['segment', topic, partition, offsetMax]
    return firstSegment(main.getRange({ start, end, limit: 1 }))
  }
  const segmentsBefore = (topic: TopicName, partition: number, offset: number): Segment | undefined => {
    const start = ['segment', topic, partition, offset]
    const end = ['segment', topic, partition, -1]
    return firstSegment(main.getRange({ start, end, limit: 1, reverse: true }))
  }
  const checkEpoch = (writerId: string, epoch: number) => {
    if (rowNumber(main.get(['epoch', writerId])) !== epoch) throw writerFenced(writerId)
  }
  return {
    endOf: (topic: TopicName, partition: number): number => rowNumber(main.get(['end', topic, partition])) ?? 0,
    setEnd: (topic: TopicName, partition: number, endOffset: number) =>
      main.putSync(['end', topic, partition], numberRow(endOffset)),

    compactedTo: (topic: TopicName, partition: number): number | undefined =>
      rowNumber(main.get(['compacted', topic, partition])),
    setCompactedTo: (topic: TopicName, partition: number, endOffset: number) =>
      main.putSync(['compacted', topic, partition], numberRow(endOffset)),

    firstSegment: (topic: TopicName, partition: number) => segmentsFrom(topic, partition, 0),
    lastSegment: (topic: TopicName, partition: number) => segmentsBefore(topic, partition, offsetMax),
    /** The segment that has the offset, or the first segment, and the offset at which the next one begins. */
    segmentAt: (topic: TopicName, partition: number, offset: number) => {
      const segment = segmentsBefore(topic, partition, offset) ?? segmentsFrom(topic, partition, offset)
      if (!segment) return undefined
      return { ...segment, nextOffset: segmentsFrom(topic, partition, segment.firstOffset + 1)?.firstOffset }
    },
    addSegment: (topic: TopicName, partition: number, { firstOffset, day }: Segment) =>
      main.putSync(['segment', topic, partition, firstOffset], Buffer.from(day)),
    removeSegmentsBefore: (topic: TopicName, partition: number, day: string) => {
      const range = { start: ['segment', topic, partition, 0], end: ['segment', topic, partition, offsetMax] }
      for (const { key, value } of [...main.getRange(range)]) if (value.toString() < day) main.removeSync(key)
    },

    /** With `after`: throws `writer_fenced` unless that is still the newest epoch. */
    nextEpoch: (writerId: string, after?: number): number =>
      main.transactionSync(() => {
        if (after !== undefined) checkEpoch(writerId, after)
        const epoch = (rowNumber(main.get(['epoch', writerId])) ?? 0) + 1
        main.putSync(['epoch', writerId], numberRow(epoch))
        return epoch
      }),
    checkEpoch,

    /** Keeps the count that the topic's first record was written with. */
    setPartitionCount: (topic: TopicName, partitionCount: number) => {
      if (!main.doesExist(['count', topic])) main.putSync(['count', topic], numberRow(partitionCount))
    },
    checkPartitionCounts: (table: TopicTable) => {
      for (const { name, partitionCount } of Object.values(table)) {
        const written = rowNumber(main.get(['count', name]))
        if (written !== undefined && written !== partitionCount)
          throw new OperationError(
            'partition_count_changed',
            `topic ${name} was written with ${written} partitions and is declared with ${partitionCount}: the number of partitions of a topic cannot change`,
            { context: { topic: name, written, declared: partitionCount } },
          )
      }
    },
  }
}

function firstSegment(rows: Iterable<{ key: unknown; value: Buffer }>): Segment | undefined {
  for (const { key, value } of rows)
    return { firstOffset: (key as [string, string, number, number])[3], day: value.toString() }
  return undefined
}
