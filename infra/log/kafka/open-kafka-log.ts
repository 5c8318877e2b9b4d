/** Opens the log on Kafka, with its schema registry and consumer group. */
import type { TopicTable } from '../../../schemas/topics.ts'
import type { EpochMs } from '../../../schemas/units.ts'
import { prepareSchemas } from '../../codec/prepare-schemas.ts'
import { createConfluentRegistry } from '../../codec/registry/confluent-registry.ts'
import type { Logger } from '../../telemetry.ts'
import type { OpenLog } from '../open-log.ts'
import { createKafkaLog } from './kafka-log.ts'
import type { KafkaSettings } from './kafka-settings.ts'
import { restartPauseMsOf, sharePartitions } from './share-partitions.ts'

type Table = Readonly<{ nowMs: () => EpochMs; topicTable: TopicTable }>

export async function openKafkaLog(
  settings: KafkaSettings & Readonly<{ logger: Logger }>,
  table: Table,
): Promise<OpenLog> {
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
      restartPauseMs: restartPauseMsOf(sessionMs),
      close: () => log.close(),
    }
  } catch (error) {
    await log.close()
    throw error
  }
}
