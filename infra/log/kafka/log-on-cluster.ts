/** The adapter that implements the log on the topics of a Kafka cluster. */
import type { TopicName, TopicTable } from '../../../schemas/topics.ts'
import type { DurationMs, EpochMs } from '../../../schemas/units.ts'
import { isUnreachable } from '../../kafka-client/broker-errors.ts'
import type { Cluster } from '../../kafka-client/cluster.ts'
import type { Directory } from '../../kafka-client/directory.ts'
import { PartitionReader } from '../../kafka-client/partition-reader.ts'
import { PartitionTail } from '../../kafka-client/partition-tail.ts'
import type { Logger } from '../../telemetry.ts'
import { checkPartition, logClosed, partitionId } from '../append.ts'
import type { Log, LogWriter } from '../log.ts'
import { expiredBeforeMs } from '../retention.ts'
import { openKafkaWriter } from './kafka-writer.ts'

type LogSettings = Readonly<{
  /** The prefix of the names of topics and writers. */
  topicPrefix: string
  topicTable: TopicTable
  nowMs: () => EpochMs
  logger: Logger
}>

/**
 * Creates the log. Its topics must already exist on the cluster. Closing the log closes the connections of
 * the cluster.
 */
export function createLogOnCluster(cluster: Cluster, { topicPrefix, topicTable, nowMs, logger }: LogSettings): Log {
  const readers = new Map<string, PartitionReader>()
  const tails = new Map<string, PartitionTail>()
  const work = createWork()
  const outageOf = noteOutages(cluster.directory, logger)

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
      cluster.connections.close()
    },
  }
}

/**
 * Removes expired records. The broker's own retention is off (`configOf`), because the broker would also
 * remove the last records of an idle partition. The broker's compaction is on.
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

/**
 * Logs one line when an outage of the log begins and one line when it ends, even if many partitions have
 * waiting readers.
 */
function noteOutages(directory: Directory, logger: Logger) {
  const away = new Set<string>()
  return (id: string) => ({
    onFailure(error: unknown) {
      directory.forget()
      if (!isUnreachable(error)) return
      if (away.size === 0)
        logger.warn({ err: error }, 'the log cannot be reached. The program tries again until it succeeds')
      away.add(id)
    },
    onAnswer() {
      if (away.delete(id) && away.size === 0) logger.info('the log can be reached again')
    },
  })
}

/**
 * Keeps the process alive during a call, because connections alone do not keep the process alive. If the log
 * is closed during a call, the call fails with `log_closed`.
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
