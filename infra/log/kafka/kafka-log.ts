/** The log on a Kafka cluster. */
import type { TopicTable } from '../../../schemas/topics.ts'
import { type TopicName, topics } from '../../../schemas/topics.ts'
import { isPassing, isUnreachable, tryAgain } from '../../kafka-client/broker-errors.ts'
import { createConnections } from '../../kafka-client/connections.ts'
import { createDirectory, type Directory } from '../../kafka-client/directory.ts'
import type { Address } from '../../kafka-client/kafkajs-parts.ts'
import { type Cluster, createAppended, PartitionReader } from '../../kafka-client/partition-reader.ts'
import { PartitionTail } from '../../kafka-client/partition-tail.ts'
import type { KafkaSecurity } from '../../kafka-client/security.ts'
import type { Logger } from '../../telemetry.ts'
import { checkPartition, logClosed, partitionId } from '../append.ts'
import type { Log, LogWriter } from '../log.ts'
import { expiredBeforeMs } from '../retention.ts'
import { createTopics } from './create-topics.ts'
import { openKafkaWriter } from './kafka-writer.ts'

export type KafkaLogOptions = Readonly<{
  /** host:port each; the rest of the cluster is learned from any of them. */
  brokers: readonly string[]
  /** Stamps what is appended, and nothing else. */
  nowMs: () => number
  logger: Logger
  clientId?: string
  /** Before the name of each topic, and of each writer: several systems on one cluster. */
  topicPrefix?: string
  /** Of topics that are created. Default: the cluster's own. */
  replicationFactor?: number
  topicTable?: TopicTable
  security?: KafkaSecurity
}>

const openPatienceMs = 20_000
/** A broker may be away for a minute. */
const readPatienceMs = 90_000

/**
 * Creates the topics that are missing. Fails with `log_unavailable` when no broker answers, `partition_count_changed` when a
 * topic has another number of partitions than is declared.
 */
export async function createKafkaLog(options: KafkaLogOptions): Promise<Log> {
  const { nowMs, topicPrefix = '', topicTable = topics, clientId = 'launch-data', replicationFactor = -1 } = options
  const { brokers, logger, security } = options
  await tryAgain(() => createTopics({ brokers, clientId, topicPrefix, topicTable, replicationFactor, security }), {
    doing: `opening the log on ${brokers.join(', ')}`,
    patienceMs: openPatienceMs,
    // A topic just made takes a moment to be known everywhere; where no broker is, none will be in a moment.
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
  const cluster: Cluster = {
    connections,
    directory,
    topicPrefix,
    patienceMs: readPatienceMs,
    appended: createAppended(),
    lastEnds: new Map(),
  }
  const readers = new Map<string, PartitionReader>()
  const tails = new Map<string, PartitionTail>()
  const work = createWork()
  const outageOf = noteOutages(directory, logger)

  const readerOf = (topic: TopicName, partition: number): PartitionReader => {
    work.refuseClosed()
    checkPartition(topic, partition, topicTable)
    return madeOnce(readers, partitionId(topic, partition), () => new PartitionReader(cluster, { topic, partition }))
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
        duringWork(await openKafkaWriter({ cluster, writerId, isTransactional, nowMs, topicTable })),
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
      for (const tail of tails.values()) tail.close()
      connections.close()
    },
  }
}

/** The broker's own retention would also take what rests, so it is off (`configOf`); compaction is left to it. */
async function removeExpired(
  reader: PartitionReader,
  age: Readonly<{ nowMs: number; retentionMs: number }>,
): Promise<void> {
  const { startOffset, endOffset } = await reader.bounds()
  if (startOffset === endOffset) return
  const newest = (await reader.read(endOffset - 1, { bytesMax: 1 })).at(-1)
  const keptOffset = await reader.offsetAt(expiredBeforeMs({ ...age, newestAtMs: newest?.timestampMsAt(0) }))
  if (keptOffset > startOffset) await reader.deleteBefore(keptOffset)
}

/** Once for each time that something cannot be reached, however many wait. */
function noteOutages(directory: Directory, logger: Logger) {
  const away = new Set<string>()
  return (id: string) => ({
    onFailure(error: unknown) {
      directory.forget()
      if (!isUnreachable(error) || away.has(id)) return
      if (away.size === 0) logger.warn({ err: error }, 'the log cannot be reached; it is tried again until it can')
      away.add(id)
    },
    onAnswer() {
      if (away.delete(id) && away.size === 0) logger.info('the log can be reached again')
    },
  })
}

/** Connections keep no process alive, so what is under way must; and what the closing log breaks off says so. */
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

/** The last colon: an IPv6 address has others. */
export function addressOf(broker: string): Address {
  const at = broker.lastIndexOf(':')
  return { host: broker.slice(0, at), port: Number(broker.slice(at + 1)) }
}
