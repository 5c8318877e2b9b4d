/** The log that the configuration names, its schemas registered. */
import type { TopicName } from '../schemas/topics.ts'
import type { Config } from './config.ts'
import { kafkaSecurity } from './kafka-security.ts'
import { createEmbeddedLog } from './log/embedded-log.ts'
import type { KafkaSecurity } from './log/kafka/security.ts'
import type { Log } from './log/log.ts'
import { createEmbeddedRegistry } from './log/schema-table.ts'
import { prepareSchemas } from './prepare-schemas.ts'
import type { SchemaRegistry } from './schema-codec.ts'
import type { Logger } from './telemetry.ts'

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
  topic: TopicName
  signal: AbortSignal
  /** Runs until the signal aborts, which it does when the partitions are shared out anew. Its failure ends the sharing. */
  work(partitions: readonly number[], signal: AbortSignal): Promise<void>
}>

export type LogSettings = Readonly<{
  dataDir: string
  nowMs: () => number
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
export function openLog({ dataDir, nowMs, kafka }: LogSettings): Promise<OpenLog> {
  return kafka === undefined ? openEmbedded(dataDir, nowMs) : openKafka(kafka, nowMs)
}

async function openEmbedded(dataDir: string, nowMs: () => number): Promise<OpenLog> {
  const log = await createEmbeddedLog({ dataDir, nowMs })
  const registry = await createEmbeddedRegistry({ dataDir })
  await prepareSchemas(registry)
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
async function openKafka(settings: KafkaSettings, nowMs: () => number): Promise<OpenLog> {
  const { createKafkaLog } = await import('./log/kafka/kafka-log.ts')
  const { sharePartitions } = await import('./log/kafka/partition-share.ts')
  const { createConfluentRegistry } = await import('./registry/confluent-registry.ts')
  const { brokers, topicPrefix, replicationFactor, sessionMs, security, logger, registryUrl: url } = settings
  const connection = { brokers, security, ...(topicPrefix === undefined ? {} : { topicPrefix }) }
  const log = await createKafkaLog({
    ...connection,
    nowMs,
    logger,
    ...(replicationFactor === undefined ? {} : { replicationFactor }),
  })
  try {
    const registry = await createConfluentRegistry({ url, topicPrefix, logger })
    await prepareSchemas(registry)
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
