/** Writes a workload to a topic as fast as possible. */
import { createKafkaLog } from '../../../infra/log/kafka/kafka-log.ts'
import type { NewRecord } from '../../../infra/log/log.ts'
import { createLogger } from '../../../infra/telemetry.ts'
import { type Topic, type TopicName, topics } from '../../../schemas/topics.ts'
import { partitionCount, recordsOf, type Workload } from './workload.ts'

const appendCount = 10_000

/** Returns the number of records. */
export async function publish(brokers: string, topicName: string, workload: Workload): Promise<number> {
  const topic = topicName as TopicName
  const topicTable = { [topic]: { ...topics['chain-a-derived'], name: topic, partitionCount } } as Record<
    TopicName,
    Topic
  >
  const logger = createLogger('bench', 'warn')
  const log = await createKafkaLog({ brokers: brokers.split(','), nowMs: Date.now, logger, topicTable })
  const writer = await log.openWriter(`${topicName}-publisher`, { isTransactional: false })
  let count = 0
  let records: NewRecord[] = []
  for (const { partition, key, value } of recordsOf(workload)) {
    records.push({ topic, partition, key, value })
    if (++count % appendCount > 0) continue
    await writer.append(records)
    records = []
  }
  await writer.append(records)
  await writer.close()
  await log.close()
  return count
}
