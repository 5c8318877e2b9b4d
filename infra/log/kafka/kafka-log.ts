/** The log on a Kafka cluster: the adapter of the log port on the Kafka client. */
import { type TopicName, type TopicTable, topics } from '../../../schemas/topics.ts'
import type { DurationMs, EpochMs } from '../../../schemas/units.ts'
import { addressOf } from '../../kafka-client/broker-address.ts'
import { isPassing, isUnreachable, tryAgain } from '../../kafka-client/broker-errors.ts'
import { createCluster } from '../../kafka-client/cluster.ts'
import { createConnections } from '../../kafka-client/connections.ts'
import { createDirectory, type Directory } from '../../kafka-client/directory.ts'
import { PartitionReader } from '../../kafka-client/partition-reader.ts'
import { PartitionTail } from '../../kafka-client/partition-tail.ts'
import type { KafkaSecurity } from '../../kafka-client/security.ts'
import type { Logger } from '../../telemetry.ts'
import { checkPartition, logClosed, partitionId } from '../append.ts'
import type { Log, LogWriter } from '../log.ts'
import { expiredBeforeMs } from '../retention.ts'
import { createTopics } from './create-topics.ts'
import { openKafkaWriter } from './kafka-writer.ts'

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
 * How long a read is retried while no broker answers, in milliseconds. A broker that restarts may not answer for a
 * minute.
 */
const readPatienceMs = 90_000

/**
 * Opens the log and creates its missing topics. Fails with `log_unavailable` if no broker answers, and with
 * `partition_count_changed` if a topic does not have the declared number of partitions.
 */
export async function createKafkaLog(options: KafkaLogOptions): Promise<Log> {
  const { nowMs, topicPrefix = '', topicTable = topics, clientId = 'launch-data', replicationFactor = -1 } = options
  const { brokers, logger, security } = options
  await tryAgain(() => createTopics({ brokers, clientId, topicPrefix, topicTable, replicationFactor, security }), {
    doing: `opening the log on ${brokers.join(', ')}`,
    patienceMs: openPatienceMs,
    // A new topic is not known to all brokers at once, so this failure is retried. If no broker answers, the opening
    // fails at once.
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
  const readers = new Map<string, PartitionReader>()
  const tails = new Map<string, PartitionTail>()
  const work = createWork()
  const outageOf = noteOutages(directory, logger)

  const readerOf = (topic: TopicName, partition: number): PartitionReader => {
    work.refuseClosed()
    checkPartition(topic, partition, topicTable)
    const id = { topic: topicPrefix + topic, partition }
    return madeOnce(readers, partitionId(topic, partition), () => new PartitionReader(cluster, id))
  }
  const tailOf = (topic: TopicName, partition: number): PartitionTail => {
    const reader = readerOf(topic, partition)
    const id = partitionId(topic, partition)
    return madeOnce(tails, id, () => new PartitionTail({ reader, purpose: `tail ${id}`, ...outageOf(id) }))
  }

  const duringWork = (writer: LogWriter): LogWriter => ({
    append: (records) => work.during(() => writer.append(records)),
    confirm: () => work.during(() => writer.confirm()),
    reopen: () => work.during(async () => duringWork(await writer.reopen())),
    close: () => writer.close(),
  })

  return {
    openWriter: (writerId, { isTransactional = true } = {}) =>
      work.during(async () =>
        duringWork(await openKafkaWriter({ cluster, topicPrefix, writerId, isTransactional, nowMs, topicTable })),
      ),
    read: ({ topic, partition, offset }, { bytesMax = 1 << 20, signal } = {}) =>
      work.during(() => readerOf(topic, partition).read(offset, { bytesMax, ...(signal ? { signal } : {}) })),
    bounds: (topic, partition) => work.during(() => readerOf(topic, partition).bounds()),
    waitForAppend: async ({ topic, partition, offset }, signal) => tailOf(topic, partition).wait(offset, signal),
    maintain: (atMs) =>
      work.during(async () => {
        for (const { name, partitionCount, retentionMs, isCompacted } of Object.values(topicTable))
          for (let partition = 0; partition < partitionCount && retentionMs !== null && !isCompacted; partition++)
            await removeExpired(readerOf(name, partition), { nowMs: atMs, retentionMs })
      }),
    close: async () => {
      work.close()
      for (const tail of tails.values()) tail.close(logClosed())
      connections.close()
    },
  }
}

/**
 * Removes expired records. The broker's retention is off (`configOf`), because it would also remove the last records of
 * an idle partition. The broker's compaction is on.
 */
async function removeExpired(
  reader: PartitionReader,
  age: Readonly<{ nowMs: EpochMs; retentionMs: DurationMs }>,
): Promise<void> {
  const { startOffset, endOffset } = await reader.bounds()
  if (startOffset === endOffset) return
  const newest = (await reader.read(endOffset - 1, { bytesMax: 1 })).at(-1)
  const keptOffset = await reader.offsetAt(expiredBeforeMs({ ...age, newestAtMs: newest?.timestampMsAt(0) }))
  const removedEnd = await reader.recordEndBetween(startOffset, keptOffset)
  if (removedEnd !== null) await reader.deleteBefore(removedEnd)
}

/** Logs one line when an outage begins and one line when it ends, even if many partitions have waiting readers. */
function noteOutages(directory: Directory, logger: Logger) {
  const away = new Set<string>()
  return (id: string) => ({
    onFailure(error: unknown) {
      directory.forget()
      if (!isUnreachable(error) || away.has(id)) return
      if (away.size === 0) logger.warn({ err: error }, 'the log cannot be reached; retrying')
      away.add(id)
    },
    onAnswer() {
      if (away.delete(id) && away.size === 0) logger.info('the log can be reached again')
    },
  })
}

/**
 * Keeps the process alive during a call, because connections do not keep it alive. If the log is closed during a call,
 * the call fails with `log_closed`.
 */
function createWork() {
  let isClosed = false
  let count = 0
  const alive = setInterval(() => {}, 2 ** 30).unref()
  const refuseClosed = () => {
    if (isClosed) throw logClosed()
  }
  return {
    refuseClosed,
    async during<Result>(doing: () => Promise<Result>): Promise<Result> {
      refuseClosed()
      if (++count === 1) alive.ref()
      try {
        return await doing()
      } catch (error) {
        refuseClosed()
        throw error
      } finally {
        if (--count === 0) alive.unref()
      }
    },
    close() {
      isClosed = true
      clearInterval(alive)
    },
  }
}

function madeOnce<Made>(made: Map<string, Made>, id: string, make: () => Made): Made {
  const its = made.get(id) ?? make()
  made.set(id, its)
  return its
}
