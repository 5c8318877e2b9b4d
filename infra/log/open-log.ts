/** The log that the configuration names, its schemas registered. */
import { type Topic, type TopicTable, topics } from '../../schemas/topics.ts'
import { prepareSchemas } from '../codec/prepare-schemas.ts'
import { createEmbeddedRegistry } from '../codec/registry/schema-table.ts'
import type { SchemaRegistry } from '../codec/schema-codec.ts'
import type { Config } from '../config.ts'
import type { KafkaSecurity } from '../kafka-client/security.ts'
import type { Logger } from '../telemetry.ts'
import { createEmbeddedLog } from './embedded/embedded-log.ts'
import { kafkaSecurity } from './kafka/configured-security.ts'
import type { Log } from './log.ts'

export type OpenLog = Readonly<{
  log: Log
  registry: SchemaRegistry
  /** Null: the log has no groups (embedded), its readers divide the partitions themselves. */
  sharePartitions: ((sharing: Sharing) => Promise<void>) | null
  close(): Promise<void>
}>

/** A group of workers, in any number of processes, that share the partitions of a topic. */
type Sharing = Readonly<{
  groupId: string
  topic: Topic
  signal: AbortSignal
  /** Runs until the signal aborts, which it does when the partitions are shared out anew. Its failure ends the sharing. */
  work(partitions: readonly number[], signal: AbortSignal): Promise<void>
}>

export type LogSettings = Readonly<{
  dataDir: string
  nowMs: () => number
  /** Default: the topics of this service. */
  topicTable?: TopicTable
  /** Absent: the embedded log in `dataDir`. */
  kafka?: KafkaSettings
}>

type KafkaSettings = Readonly<{
  brokers: readonly string[]
  registryUrl: string
  topicPrefix: string | undefined
  replicationFactor: number | undefined
  sessionMs: number
  security: KafkaSecurity
  logger: Logger
}>

/** What of the configuration says which log it is. */
export function logSettings(
  config: Config,
  { nowMs, logger }: Readonly<{ nowMs: () => number; logger: Logger }>,
): LogSettings {
  const { DATA_DIR: dataDir, KAFKA_BROKERS: brokers, SCHEMA_REGISTRY_URL: registryUrl } = config
  if (brokers === undefined || registryUrl === undefined) return { dataDir, nowMs }
  return {
    dataDir,
    nowMs,
    kafka: {
      brokers,
      registryUrl,
      topicPrefix: config.KAFKA_TOPIC_PREFIX,
      replicationFactor: config.KAFKA_REPLICATION_FACTOR,
      sessionMs: config.KAFKA_SESSION_MS,
      security: kafkaSecurity(config),
      logger,
    },
  }
}

/**
 * Fails with `dependency_missing` (embedded, without its package), `schema_incompatible` when what this code writes does
 * not go with what was written, `log_unavailable` or `registry_unreachable` when a cluster cannot be reached.
 */
export function openLog({ dataDir, nowMs, kafka, topicTable = topics }: LogSettings): Promise<OpenLog> {
  const table = { nowMs, topicTable }
  return kafka === undefined ? openEmbedded(dataDir, table) : openKafka(kafka, table)
}

type Table = Readonly<{ nowMs: () => number; topicTable: TopicTable }>

async function openEmbedded(dataDir: string, table: Table): Promise<OpenLog> {
  const log = await createEmbeddedLog({ dataDir, ...table })
  const registry = await createEmbeddedRegistry({ dataDir })
  await prepareSchemas(registry, table.topicTable)
  return {
    log,
    registry,
    sharePartitions: null,
    async close() {
      await log.close()
      await registry.close()
    },
  }
}

/** Loaded only where it is used. */
async function openKafka(settings: KafkaSettings, table: Table): Promise<OpenLog> {
  const { createKafkaLog } = await import('./kafka/kafka-log.ts')
  const { sharePartitions } = await import('./kafka/share-partitions.ts')
  const { createConfluentRegistry } = await import('../codec/registry/confluent-registry.ts')
  const { brokers, topicPrefix, replicationFactor, sessionMs, security, logger, registryUrl: url } = settings
  const connection = { brokers, security, ...(topicPrefix === undefined ? {} : { topicPrefix }) }
  const log = await createKafkaLog({
    ...connection,
    ...table,
    logger,
    ...(replicationFactor === undefined ? {} : { replicationFactor }),
  })
  try {
    const registry = await createConfluentRegistry({ url, topicPrefix, logger })
    await prepareSchemas(registry, table.topicTable)
    return {
      log,
      registry,
      sharePartitions: (sharing) => sharePartitions({ connection, ...sharing, sessionMs, logger }),
      close: () => log.close(),
    }
  } catch (error) {
    await log.close()
    throw error
  }
}
