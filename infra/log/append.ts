/**
 * Checks and groups the records of an append, in the same way for every adapter of the log. Also creates the
 * errors that all adapters throw.
 */
import type { TopicName, TopicTable } from '../../schemas/topics.ts'
import { OperationError } from '../errors.ts'
import { type NewRecord, valueBytesMax } from './log.ts'
import { keyBytesMax } from './record-batch.ts'

export const partitionId = (topic: TopicName, partition: number): string => `${topic}/${partition}`

/** Fails at the first record that the log must not accept. No record of the append is then written. */
export function checkRecords(records: readonly NewRecord[], table: TopicTable): void {
  for (const { topic, partition, key, value } of records) {
    checkPartition(topic, partition, table)
    if (value === null && !table[topic]?.isCompacted)
      throw new OperationError(
        'record_corrupt',
        `a record of topic ${topic} has no value. Only compacted topics allow this`,
        {
          context: { key },
        },
      )
    if (value !== null && value.length > valueBytesMax)
      throw new OperationError(
        'value_too_large',
        `a value of ${value.length} bytes on topic ${topic} is over the limit of ${valueBytesMax} bytes`,
        { context: { topic, key } },
      )
    // UTF-8 takes at most 3 bytes for each UTF-16 unit. So the exact count, which is slower, is needed only for long
    // keys.
    if (key.length * 3 > keyBytesMax && Buffer.byteLength(key) > keyBytesMax)
      throw new OperationError('value_too_large', `a key on topic ${topic} is longer than ${keyBytesMax} bytes`)
  }
}

/** Fails with `topic_unknown` or `partition_out_of_range`. */
export function checkPartition(topic: TopicName, partition: number, table: TopicTable): void {
  const known = Object.hasOwn(table, topic) ? table[topic] : undefined
  if (!known) throw new OperationError('topic_unknown', `there is no topic ${topic}`)
  if (Number.isInteger(partition) && partition >= 0 && partition < known.partitionCount) return
  throw new OperationError(
    'partition_out_of_range',
    `topic ${topic} has no partition ${partition}. Its partitions are 0 to ${known.partitionCount - 1}`,
  )
}

export type PartitionGroup = Readonly<{
  topic: TopicName
  partition: number
  records: NewRecord[]
}>

/** Groups the records of an append by partition. The records of each partition keep their order. */
export function groupByPartition(records: readonly NewRecord[]): readonly PartitionGroup[] {
  const groups = new Map<string, PartitionGroup>()
  let last: PartitionGroup | undefined
  for (const record of records) {
    const { topic, partition } = record
    // Most appends contain long runs of one partition, so the last group is checked first.
    if (last?.topic !== topic || last.partition !== partition) {
      const id = partitionId(topic, partition)
      last = groups.get(id) ?? { topic, partition, records: [] }
      groups.set(id, last)
    }
    last.records.push(record)
  }
  return [...groups.values()]
}

export const offsetOutOfRange = (topic: TopicName, offset: number, endOffset: number): OperationError =>
  new OperationError(
    'offset_out_of_range',
    `offset ${offset} is past the end of ${topic}. The end is at offset ${endOffset}`,
  )

export const writerFenced = (writerId: string): OperationError =>
  new OperationError(
    'writer_fenced',
    `the writer ${writerId} is fenced, because a later writer with this name was opened`,
    {
      context: { writerId },
    },
  )

export const logClosed = (): OperationError => new OperationError('log_closed', 'the log is closed')
