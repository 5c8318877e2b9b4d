/** What every adapter checks and does before it appends. */
import { type TopicName, topics } from '../../schemas/topics.ts'
import { OperationError } from '../errors.ts'
import { type NewRecord, valueBytesMax } from './log.ts'

export const partitionId = (topic: TopicName, partition: number): string => `${topic}/${partition}`

/** Refuses the whole append for its first bad record: nothing of it is written. */
export function checkRecords(records: readonly NewRecord[]): void {
  for (const { topic, partition, key, value } of records) {
    const { partitionCount, isCompacted } = topics[topic] ?? unknownTopic(topic)
    if (!Number.isInteger(partition) || partition < 0 || partition >= partitionCount)
      throw new OperationError(
        'partition_out_of_range',
        `topic ${topic} has partitions 0 to ${partitionCount - 1}, not ${partition}`,
      )
    if (value === null && !isCompacted)
      throw new OperationError('record_corrupt', `a record without a value on ${topic}, which is not compacted`, {
        context: { key },
      })
    if (value !== null && value.length > valueBytesMax)
      throw new OperationError(
        'value_too_large',
        `a value of ${value.length} bytes on ${topic}; the most is ${valueBytesMax}`,
        {
          context: { topic, key },
        },
      )
  }
}

function unknownTopic(topic: string): never {
  throw new OperationError('topic_unknown', `no topic is named ${topic}`)
}

type PartitionGroup = Readonly<{
  topic: TopicName
  partition: number
  records: NewRecord[]
}>

/** The records of an append by partition, their order kept. */
export function groupByPartition(records: readonly NewRecord[]): readonly PartitionGroup[] {
  const groups = new Map<string, PartitionGroup>()
  for (const record of records) {
    const id = partitionId(record.topic, record.partition)
    const group = groups.get(id)
    if (group) group.records.push(record)
    else
      groups.set(id, {
        topic: record.topic,
        partition: record.partition,
        records: [record],
      })
  }
  return [...groups.values()]
}
