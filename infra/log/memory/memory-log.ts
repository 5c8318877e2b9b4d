/** The log in memory, for tests. It keeps the contract of the log, but nothing is durable. */
import { type TopicName, type TopicTable, topics } from '../../../schemas/topics.ts'
import type { DurationMs, EpochMs } from '../../../schemas/units.ts'
import { OperationError } from '../../errors.ts'
import {
  checkPartition,
  checkRecords,
  groupByPartition,
  logClosed,
  offsetOutOfRange,
  partitionId,
  writerFenced,
} from '../append.ts'
import { createAppendWaiters } from '../append-waiters.ts'
import { planCompaction } from '../compaction.ts'
import type { Log, LogOffset, LogWriter, NewRecord } from '../log.ts'
import { countOf, packBlocks } from '../pack-blocks.ts'
import { offsetAfter, type PackedBlock, RecordBatch } from '../record-batch.ts'
import { expiredBeforeMs } from '../retention.ts'

type Partition = {
  blocks: PackedBlock[]
  /** The offset after the last record that retention removed. Null if retention removed no record. */
  removedEnd: number | null
  /** The offset after the last record. */
  recordsEnd: number
  /** The offset after the gap that follows the last record. */
  endOffset: number
}

type MemoryLogOptions = Readonly<{
  nowMs: () => EpochMs
  topicTable?: TopicTable
  /** The number of offsets to leave unused after an append, as a transaction marker would. Default: none. */
  gapAfter?: () => number
}>

export function createMemoryLog(options: MemoryLogOptions): Log {
  const { nowMs, topicTable = topics, gapAfter = () => 0 } = options
  const partitions = new Map<string, Partition>()
  const epochs = new Map<string, number>()
  let isClosed = false

  const at = (topic: TopicName, partition: number): Partition => {
    if (isClosed) throw logClosed()
    checkPartition(topic, partition, topicTable)
    const id = partitionId(topic, partition)
    const found = partitions.get(id) ?? { blocks: [], removedEnd: null, recordsEnd: 0, endOffset: 0 }
    partitions.set(id, found)
    return found
  }
  const waiters = createAppendWaiters((topic, partition) => at(topic, partition).recordsEnd)

  const append = (records: readonly NewRecord[]) => {
    if (isClosed) throw logClosed()
    checkRecords(records, topicTable)
    const groups = groupByPartition(records)
    for (const group of groups) place(at(group.topic, group.partition), group.records)
    waiters.wake(groups.map((group) => partitionId(group.topic, group.partition)))
  }

  const place = (partition: Partition, records: readonly NewRecord[]) => {
    for (const block of packBlocks(records, nowMs())) {
      partition.blocks.push({ ...block, firstOffset: partition.endOffset })
      partition.endOffset += countOf([block])
    }
    partition.recordsEnd = partition.endOffset
    partition.endOffset += gapAfter()
  }

  const openWriter = async (writerId: string): Promise<LogWriter> => {
    if (isClosed) throw logClosed()
    const epoch = (epochs.get(writerId) ?? 0) + 1
    epochs.set(writerId, epoch)
    let isWriterClosed = false
    const isNewest = () => epochs.get(writerId) === epoch
    const check = () => {
      if (isWriterClosed) throw new OperationError('log_closed', `the writer ${writerId} is closed`)
      if (!isNewest()) throw writerFenced(writerId)
    }
    return {
      append: async (records) => {
        check()
        append(records)
      },
      confirm: async () => check(),
      reopen: async () => {
        if (!isNewest()) throw writerFenced(writerId)
        return openWriter(writerId)
      },
      close: async () => {
        isWriterClosed = true
      },
    }
  }

  return {
    openWriter,
    read: async (from, { bytesMax = 1 << 20 } = {}) => readBlocks(at(from.topic, from.partition), from, bytesMax),
    bounds: async (topic, partition) => {
      const { endOffset, ...kept } = at(topic, partition)
      return { startOffset: startOf(kept) ?? endOffset, endOffset }
    },
    waitForAppend: async (from, signal) => waiters.wait(from, signal),
    maintain: async (atMs) => {
      if (isClosed) throw logClosed()
      for (const { name, partitionCount, retentionMs, isCompacted } of Object.values(topicTable))
        for (let partition = 0; partition < partitionCount; partition++) {
          const kept = at(name, partition)
          if (isCompacted) kept.blocks = compacted(kept.blocks)
          else if (retentionMs !== null) removeExpired(kept, { nowMs: atMs, retentionMs })
        }
    },
    close: async () => {
      isClosed = true
      waiters.close()
    },
  }
}

function startOf({ blocks, removedEnd }: Pick<Partition, 'blocks' | 'removedEnd'>): number | undefined {
  const [first] = blocks
  return first && (removedEnd ?? new RecordBatch(first).offsetAt(0))
}

function removeExpired(kept: Partition, age: Readonly<{ nowMs: EpochMs; retentionMs: DurationMs }>): void {
  const beforeMs = expiredBeforeMs({ ...age, newestAtMs: kept.blocks.at(-1)?.timestampMs })
  const lastExpired = kept.blocks.findLast(({ timestampMs }) => timestampMs < beforeMs)
  if (lastExpired === undefined) return
  kept.removedEnd = offsetAfter(lastExpired)
  kept.blocks = kept.blocks.filter(({ timestampMs }) => timestampMs >= beforeMs)
}

function compacted(blocks: readonly PackedBlock[]): PackedBlock[] {
  const plan = planCompaction(blocks)
  return blocks.map(plan.compact).filter((block) => block !== null)
}

function readBlocks(partition: Partition, { offset, topic }: LogOffset, bytesMax: number): RecordBatch[] {
  if (offset > partition.endOffset) throw offsetOutOfRange(topic, offset, partition.endOffset)
  const batches: RecordBatch[] = []
  let bytes = 0
  // Searches from the end, because most readers are near the end.
  const before = partition.blocks.findLastIndex((block) => offsetAfter(block) <= offset)
  for (let index = before + 1; index < partition.blocks.length; index++) {
    const block = partition.blocks[index] as PackedBlock
    if (bytes > 0 && bytes + block.bytes.length > bytesMax) break
    bytes += block.bytes.length
    batches.push(new RecordBatch(block, offset))
  }
  return batches
}
