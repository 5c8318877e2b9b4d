/** Opens the log on a Kafka cluster. */
import { type TopicTable, topics } from '../../../schemas/topics.ts'
import type { EpochMs } from '../../../schemas/units.ts'
import { addressOf } from '../../kafka-client/broker-address.ts'
import { isPassing, isUnreachable, tryAgain } from '../../kafka-client/broker-errors.ts'
import { createCluster } from '../../kafka-client/cluster.ts'
import { createConnections } from '../../kafka-client/connections.ts'
import { createDirectory } from '../../kafka-client/directory.ts'
import type { KafkaSecurity } from '../../kafka-client/security.ts'
import type { Logger } from '../../telemetry.ts'
import type { Log } from '../log.ts'
import { createTopics } from './create-topics.ts'
import { createLogOnCluster } from './log-on-cluster.ts'

export type KafkaLogOptions = Readonly<{
  /** The brokers for the first connection, each as `host:port`. Each broker gives the addresses of all brokers of the cluster. */
  brokers: readonly string[]
  /** The clock that gives the records their timestamp. */
  nowMs: () => EpochMs
  logger: Logger
  clientId?: string
  /** The prefix of the names of topics and writers, so that several systems can share a cluster. */
  topicPrefix?: string
  /** The replication factor of the topics that this function creates. Default: the default of the cluster. */
  replicationFactor?: number
  topicTable?: TopicTable
  security?: KafkaSecurity
}>

const openPatienceMs = 20_000
/**
 * The maximum time for retries of a read while no broker answers, in milliseconds. A broker that restarts may
 * not answer for a minute.
 */
const readPatienceMs = 90_000

/**
 * Opens the log and creates its missing topics. Fails with `log_unavailable` if no broker answers. Fails with
 * `partition_count_changed` if a topic does not have the declared number of partitions.
 */
export async function createKafkaLog(options: KafkaLogOptions): Promise<Log> {
  const { nowMs, topicPrefix = '', topicTable = topics, clientId = 'launch-data', replicationFactor = -1 } = options
  const { brokers, logger, security } = options
  await tryAgain(() => createTopics({ brokers, clientId, topicPrefix, topicTable, replicationFactor, security }), {
    doing: `opening the log on ${brokers.join(', ')}`,
    patienceMs: openPatienceMs,
    // Some brokers learn of a new topic later than others, so this failure is retried. If no broker answers,
    // the opening fails without a retry.
    mayRetry: (error) => isPassing(error) && !isUnreachable(error),
  })
  const connections = createConnections({
    clientId,
    logger,
    security,
    connectionTimeoutMs: 2000,
    requestTimeoutMs: 10_000,
  })
  const topicNames = Object.values(topicTable).map(({ name }) => topicPrefix + name)
  const directory = createDirectory(connections, { seeds: brokers.map(addressOf), topicNames })
  const cluster = createCluster({ connections, directory, patienceMs: readPatienceMs })
  return createLogOnCluster(cluster, { topicPrefix, topicTable, nowMs, logger })
}
