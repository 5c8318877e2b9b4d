/** What every adapter checks and does before it appends. */
import type { TopicName, TopicTable } from '../../schemas/topics.ts'
import { OperationError } from '../errors.ts'
import { type NewRecord, valueBytesMax } from './log.ts'
import { keyBytesMax } from './record-batch.ts'

export const partitionId = (topic: TopicName, partition: number): string => `${topic}/${partition}`

/** Refuses the whole append for its first bad record: nothing of it is written. */
export function checkRecords(records: readonly NewRecord[], table: TopicTable): void {
  for (const { topic, partition, key, value } of records) {
    checkPartition(topic, partition, table)
    if (value === null && !table[topic]?.isCompacted)
      throw new OperationError('record_corrupt', `a record without a value on ${topic}, which is not compacted`, {
        context: { key },
      })
    if (value !== null && value.length > valueBytesMax)
      throw new OperationError(
        'value_too_large',
        `a value of ${value.length} bytes on ${topic}; the most is ${valueBytesMax}`,
        { context: { topic, key } },
      )
    // The exact length costs more than it is worth on keys that cannot be too long: UTF-8 needs at most 3 bytes a unit.
    if (key.length * 3 > keyBytesMax && Buffer.byteLength(key) > keyBytesMax)
      throw new OperationError('value_too_large', `a key on ${topic} is longer than ${keyBytesMax} bytes`)
  }
}

/** Throws `topic_unknown` or `partition_out_of_range`. */
export function checkPartition(topic: TopicName, partition: number, table: TopicTable): void {
  const known = Object.hasOwn(table, topic) ? table[topic] : undefined
  if (!known) throw new OperationError('topic_unknown', `no topic is named ${topic}`)
  if (Number.isInteger(partition) && partition >= 0 && partition < known.partitionCount) return
  throw new OperationError(
    'partition_out_of_range',
    `topic ${topic} has partitions 0 to ${known.partitionCount - 1}, not ${partition}`,
  )
}

export type PartitionGroup = Readonly<{
  topic: TopicName
  partition: number
  records: NewRecord[]
}>

/** The records of an append by partition, their order kept. */
export function groupByPartition(records: readonly NewRecord[]): readonly PartitionGroup[] {
  const groups = new Map<string, PartitionGroup>()
  let last: PartitionGroup | undefined
  for (const record of records) {
    const { topic, partition } = record
    // Most appends are runs of one partition.
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
  new OperationError('offset_out_of_range', `${topic} ends at ${endOffset}, before offset ${offset}`)

export const writerFenced = (writerId: string): OperationError =>
  new OperationError('writer_fenced', `another writer took over as ${writerId}`, { context: { writerId } })

export const logClosed = (): OperationError => new OperationError('log_closed', 'the log is closed')
