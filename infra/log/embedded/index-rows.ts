/**
 * The rows of the main environment, which show what is committed and where it is stored. Readers ignore a block that no
 * row covers.
 *
 *   end/topic/partition             the committed end offset
 *   segment/topic/partition/offset  the day whose environment has the blocks from this offset on (bulk topics)
 *   gap/topic/partition/offset      the end of the gap that retention or compaction left at this offset
 *   checked/topic/partition         the offset from which every block has a checksum (no row: every block has one)
 *   count/topic                     the number of partitions with which the topic's data was written
 *   epoch/writer                    the epoch of the newest writer of this name
 *   compacted/topic/partition       the end offset at the last compaction
 */
import type { TopicName, TopicTable } from '../../../schemas/topics.ts'
import { type Environment, numberRow, rowNumber } from '../../data-dir/lmdb.ts'
import { OperationError } from '../../errors.ts'
import { writerFenced } from '../append.ts'
import type { Coverage } from './blocks.ts'
import { type CheckedRow, type CheckedRows, createCheckedRows } from './checked-rows.ts'
import { endMissing } from './damage.ts'

type Segment = Readonly<{ firstOffset: number; day: string }>

export type Gap = Readonly<{ fromOffset: number; endOffset: number }>

export type EmbeddedIndex = ReturnType<typeof createEmbeddedIndex>

/** A number above every offset, which a double holds exactly. */
export const offsetMax = Number.MAX_SAFE_INTEGER

export function createEmbeddedIndex(main: Environment) {
  const rows = createCheckedRows(main)
  const checkEpoch = (writerId: string, epoch: number) => {
    if (rowNumber(rows.get(['epoch', writerId])) !== epoch) throw writerFenced(writerId)
  }
  return {
    endOf: (topic: TopicName, partition: number): number => {
      const end = rowNumber(rows.get(['end', topic, partition]))
      if (end === undefined) checkEmpty(main, topic, partition)
      return end ?? 0
    },
    setEnd: (topic: TopicName, partition: number, endOffset: number) =>
      rows.put(['end', topic, partition], numberRow(endOffset)),

    compactedTo: (topic: TopicName, partition: number): number | undefined =>
      rowNumber(rows.get(['compacted', topic, partition])),
    setCompactedTo: (topic: TopicName, partition: number, endOffset: number) =>
      rows.put(['compacted', topic, partition], numberRow(endOffset)),

    /**
     * Describes which blocks must exist in an environment. The first block that was written into this
     * environment began at `startOffset`.
     */
    coverageOf: (topic: TopicName, partition: number, startOffset = 0): Coverage => ({
      startOffset,
      checkedFrom: rowNumber(rows.get(['checked', topic, partition])) ?? 0,
      gapEnd: (fromOffset) => rowNumber(rows.get(['gap', topic, partition, fromOffset])),
    }),
    setGaps: (topic: TopicName, partition: number, gaps: readonly Gap[]) => {
      const old = { start: ['gap', topic, partition, 0], end: ['gap', topic, partition, offsetMax] }
      for (const key of [...main.getKeys(old)]) main.removeSync(key)
      for (const { fromOffset, endOffset } of gaps)
        rows.put(['gap', topic, partition, fromOffset], numberRow(endOffset))
    },

    ...segmentsOf(main, rows),

    /**
     * Returns the next epoch of a writer. If `after` is given and is no longer the newest epoch, throws
     * `writer_fenced`.
     */
    nextEpoch: (writerId: string, after?: number): number =>
      main.transactionSync(() => {
        if (after !== undefined) checkEpoch(writerId, after)
        const epoch = (rowNumber(rows.get(['epoch', writerId])) ?? 0) + 1
        rows.put(['epoch', writerId], numberRow(epoch))
        return epoch
      }),
    checkEpoch,

    /** Stores the partition count of the topic at its first append. Later calls change nothing. */
    setPartitionCount: (topic: TopicName, partitionCount: number) => {
      if (!main.doesExist(['count', topic])) rows.put(['count', topic], numberRow(partitionCount))
    },
    checkPartitionCounts: (table: TopicTable) => {
      for (const { name, partitionCount } of Object.values(table)) {
        const written = rowNumber(rows.get(['count', name]))
        if (written !== undefined && written !== partitionCount)
          throw new OperationError(
            'partition_count_changed',
            `topic ${name} was written with ${written} partitions, but this version declares ${partitionCount}. The number cannot change. Run the version that wrote the log, or start with an empty DATA_DIR`,
            { context: { topic: name, written, declared: partitionCount } },
          )
      }
    },
  }
}

/** Reads and writes the rows that show which day's environment has the blocks of which offsets. */
function segmentsOf(main: Environment, rows: CheckedRows) {
  const segmentsFrom = (topic: TopicName, partition: number, offset: number): Segment | undefined => {
    const start = ['segment', topic, partition, offset] as const
    const end = ['segment', topic, partition, offsetMax] as const
    return firstSegment(rows.range({ start, end, limit: 1 }))
  }
  const segmentsBefore = (topic: TopicName, partition: number, offset: number): Segment | undefined => {
    const start = ['segment', topic, partition, offset] as const
    const end = ['segment', topic, partition, -1] as const
    return firstSegment(rows.range({ start, end, limit: 1, reverse: true }))
  }
  return {
    firstSegment: (topic: TopicName, partition: number) => segmentsFrom(topic, partition, 0),
    lastSegment: (topic: TopicName, partition: number) => segmentsBefore(topic, partition, offsetMax),
    /**
     * The segment (the blocks of one day) that contains the offset, or the first segment if none does.
     * `nextOffset` is the start of the next segment.
     */
    segmentAt: (topic: TopicName, partition: number, offset: number) => {
      const segment = segmentsBefore(topic, partition, offset) ?? segmentsFrom(topic, partition, offset)
      if (!segment) return undefined
      return { ...segment, nextOffset: segmentsFrom(topic, partition, segment.firstOffset + 1)?.firstOffset }
    },
    addSegment: (topic: TopicName, partition: number, { firstOffset, day }: Segment) =>
      rows.put(['segment', topic, partition, firstOffset], Buffer.from(day)),
    removeSegmentsBefore: (topic: TopicName, partition: number, day: string) => {
      const range = {
        start: ['segment', topic, partition, 0] as const,
        end: ['segment', topic, partition, offsetMax] as const,
      }
      for (const { key, body } of [...rows.range(range)]) if (body.toString() < day) main.removeSync([...key])
    },
  }
}

/**
 * Checks a partition without an end row (the row with its end offset). Fails if the partition has records,
 * because its end row must have been lost. An append would then overwrite the records.
 */
function checkEmpty(main: Environment, topic: TopicName, partition: number): void {
  for (const kind of ['block', 'segment']) {
    const range = { start: [kind, topic, partition, 0], end: [kind, topic, partition, offsetMax], limit: 1 }
    for (const _ of main.getKeys(range)) throw endMissing({ environment: main, topic, partition, offset: 0 })
  }
}

function firstSegment(found: Iterable<CheckedRow>): Segment | undefined {
  for (const { key, body } of found) return { firstOffset: Number(key[3]), day: body.toString() }
  return undefined
}
