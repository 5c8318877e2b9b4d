/** Creates the topics of the topic table on the cluster. */
import type { Topic, TopicTable } from '../../../schemas/topics.ts'
import { OperationError } from '../../errors.ts'
import { openAdmin } from '../../kafka-client/open-admin.ts'
import type { KafkaSecurity } from '../../kafka-client/security.ts'
import { valueBytesMax } from '../log.ts'
import { keyBytesMax } from '../record-batch.ts'

export type TopicSettings = Readonly<{
  brokers: readonly string[]
  clientId: string
  topicPrefix: string
  topicTable: TopicTable
  /** The replication factor of new topics. -1 means the default of the cluster. */
  replicationFactor: number
  security?: KafkaSecurity | undefined
}>

/** The maximum size of a Kafka message in bytes: the largest record with the headers around it. */
const messageBytesMax = valueBytesMax + keyBytesMax + 1024

/**
 * Creates the missing topics. Existing topics keep their settings. Fails with `partition_count_changed` if an
 * existing topic has another number of partitions. With another number, the same key would belong to another
 * partition. `open` opens the connection of an administrator.
 */
export async function createTopics(settings: TopicSettings, open = openAdmin): Promise<void> {
  const { brokers, clientId, topicPrefix, topicTable, replicationFactor, security } = settings
  const times = { connectionTimeout: 2_000, requestTimeout: 10_000, retry: { retries: 3 } }
  const admin = open({ brokers, clientId, security, ...times })
  try {
    await admin.connect()
    const existing = new Set(await admin.listTopics())
    const missing = Object.values(topicTable).filter(({ name }) => !existing.has(topicPrefix + name))
    if (missing.length > 0)
      await admin.createTopics({
        waitForLeaders: true,
        topics: missing.map((topic) => ({
          topic: topicPrefix + topic.name,
          numPartitions: topic.partitionCount,
          replicationFactor,
          configEntries: configOf(topic),
        })),
      })
    const { topics } = await admin.fetchTopicMetadata({
      topics: Object.values(topicTable).map(({ name }) => topicPrefix + name),
    })
    const counts = new Map(topics.map(({ name, partitions }) => [name, partitions.length]))
    for (const { name, partitionCount } of Object.values(topicTable))
      refuseCount(topicPrefix + name, partitionCount, counts.get(topicPrefix + name) ?? 0)
  } finally {
    await admin.disconnect()
  }
}

function refuseCount(topic: string, declared: number, found: number): void {
  if (found === declared) return
  throw new OperationError(
    'partition_count_changed',
    `topic ${topic} has ${found} partitions, but this version declares ${declared}. Choose another KAFKA_TOPIC_PREFIX`,
    {
      context: { topic, declared, found },
    },
  )
}

/**
 * The settings of a new topic. The broker's own retention is off, because it would also remove the last tick
 * of an idle ingest. Ingest continues from this tick (the record that closes a time step). `Log.maintain`
 * does the retention instead. The writer sets the timestamps (`CreateTime`). The broker accepts any
 * timestamp, because the writer's clock may be ahead of the broker's clock.
 */
export const configOf = ({ isCompacted }: Topic) =>
  Object.entries({
    'cleanup.policy': isCompacted ? 'compact' : 'delete',
    'retention.ms': '-1',
    'retention.bytes': '-1',
    'max.message.bytes': String(messageBytesMax),
    'message.timestamp.type': 'CreateTime',
    'message.timestamp.after.max.ms': '9223372036854775807',
    'compression.type': 'producer',
    // By default, Kafka compacts a segment only after the segment has grown to a gigabyte. Snapshots are written often,
    // so these settings remove superseded records within the hour.
    ...(isCompacted ? { 'segment.bytes': String(64 << 20), 'min.cleanable.dirty.ratio': '0.2' } : {}),
  }).map(([name, value]) => ({ name, value }))
