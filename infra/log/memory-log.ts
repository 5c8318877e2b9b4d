/** The log in memory, for tests: the same promises but durability. */
import { type TopicName, topics } from '../../schemas/topics.ts'
import { OperationError } from '../errors.ts'
import { checkRecords, groupByPartition, partitionId } from './append.ts'
import type { Log, LogWriter, NewRecord, ReadPosition } from './log.ts'
import { type PackedBlock, packRecords, RecordBatch } from './record-batch.ts'

type Partition = {
  blocks: PackedBlock[]
  endOffset: number
  waiters: Set<() => void>
}

export function createMemoryLog(options: Readonly<{ nowMs: () => number }>): Log {
  const partitions = new Map<string, Partition>()
  for (const topic of Object.values(topics))
    for (let partition = 0; partition < topic.partitionCount; partition++)
      partitions.set(partitionId(topic.name, partition), {
        blocks: [],
        endOffset: 0,
        waiters: new Set(),
      })
  const epochs = new Map<string, number>()
  let isClosed = false

  const at = (topic: TopicName, partition: number): Partition => {
    if (isClosed) throw new OperationError('log_closed', 'the log is closed')
    const found = partitions.get(partitionId(topic, partition))
    if (!found) throw new OperationError('partition_out_of_range', `topic ${topic} has no partition ${partition}`)
    return found
  }

  const openWriter = async (writerId: string): Promise<LogWriter> => {
    const epoch = (epochs.get(writerId) ?? 0) + 1
    epochs.set(writerId, epoch)
    return {
      append: async (records) => {
        if (epochs.get(writerId) !== epoch)
          throw new OperationError('writer_fenced', `another writer took over as ${writerId}`, {
            context: { writerId },
          })
        checkRecords(records)
        for (const group of groupByPartition(records)) appendTo(at(group.topic, group.partition), group.records)
      },
      close: async () => {},
    }
  }

  const appendTo = (partition: Partition, records: readonly NewRecord[]) => {
    const block = {
      firstOffset: partition.endOffset,
      count: records.length,
      timestampMs: options.nowMs(),
      bytes: packRecords(records),
    }
    partition.blocks.push(block)
    partition.endOffset += records.length
    for (const wake of partition.waiters) wake()
  }

  return {
    openWriter,
    read: async (position, { bytesMax = 1 << 20 } = {}) =>
      readBlocks(at(position.topic, position.partition), position, bytesMax),
    bounds: async (topic, partition) => {
      const { blocks, endOffset } = at(topic, partition)
      return { startOffset: blocks[0]?.firstOffset ?? endOffset, endOffset }
    },
    waitForAppend: (position, signal) => waitFor(at(position.topic, position.partition), position.offset, signal),
    maintain: async () => {},
    close: async () => {
      isClosed = true
    },
  }
}

function readBlocks(partition: Partition, { offset, topic }: ReadPosition, bytesMax: number): RecordBatch[] {
  if (offset > partition.endOffset)
    throw new OperationError('offset_out_of_range', `${topic} ends at ${partition.endOffset}, before offset ${offset}`)
  const batches: RecordBatch[] = []
  let bytes = 0
  for (let index = firstBlockEndingAfter(partition.blocks, offset); index < partition.blocks.length; index++) {
    const block = partition.blocks[index] as PackedBlock
    if (bytes > 0 && bytes + block.bytes.length > bytesMax) break
    bytes += block.bytes.length
    batches.push(new RecordBatch(block, offset))
  }
  return batches
}

function firstBlockEndingAfter(blocks: readonly PackedBlock[], offset: number): number {
  let low = 0
  let high = blocks.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const { firstOffset, count } = blocks[middle] as PackedBlock
    if (firstOffset + count <= offset) low = middle + 1
    else high = middle
  }
  return low
}

function waitFor(partition: Partition, offset: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const check = () => {
      if (!signal.aborted && partition.endOffset <= offset) return
      partition.waiters.delete(check)
      signal.removeEventListener('abort', check)
      resolve()
    }
    partition.waiters.add(check)
    signal.addEventListener('abort', check)
    check()
  })
}
