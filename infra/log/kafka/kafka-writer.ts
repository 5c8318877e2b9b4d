/** Writers: an append is a transaction, or, outside transactions, one batch for each partition. */
import { crashPoint } from '../../crash-points.ts'
import { isOperationError, OperationError } from '../../errors.ts'
import { checkRecords, groupByPartition, type PartitionGroup, type TopicTable, writerFenced } from '../append.ts'
import type { LogWriter, NewRecord } from '../log.ts'
import { roundsOf } from './batch-rounds.ts'
import { answerOf } from './kafka-errors.ts'
import { openEnds } from './open-ends.ts'
import type { Cluster } from './partition-reader.ts'
import { type AppendedEnd, Producer, type RecordGroup, type TopicPartitions } from './producer.ts'

export type WriterParts = Readonly<{
  cluster: Cluster
  writerId: string
  isTransactional: boolean
  nowMs: () => number
  topicTable: TopicTable
  /** How often a writer outside transactions shows that it is still the one of its name. Default half an hour. */
  proofEveryMs?: number
}>

/** The broker ends the transaction of a writer that died after this: for so long readers may wait for it. */
const transactionTimeoutMs = 10_000
const openPatienceMs = 15_000
/**
 * Coordinators forget a writer that they did not hear of for a week, and partitions after a day: a predecessor that stood
 * still for longer would no longer be refused. Outside transactions neither would hear of a quiet writer.
 */
const proofEveryMsDefault = 30 * 60_000

export async function openKafkaWriter(parts: WriterParts): Promise<LogWriter> {
  const { cluster, writerId, isTransactional } = parts
  const transactionalId = cluster.topicPrefix + writerId
  const begin = () => Producer.begin({ cluster, transactionalId, transactionTimeoutMs }, openPatienceMs)
  const fencing = await begin()
  try {
    const marked = isTransactional
      ? await openEnds(cluster, allPartitions(parts), openPatienceMs)
      : allPartitions(parts)
    if (marked.length === 0) return new KafkaWriter(parts, fencing)
    await mark(fencing, marked)
  } catch (error) {
    fencing.close()
    throw asWriterError(error, writerId)
  }
  fencing.close()
  // The broker says yes before it has written the marks; a producer that begins after that waits for the last of them.
  return new KafkaWriter(parts, await begin())
}

const allPartitions = ({ cluster, topicTable }: WriterParts): TopicPartitions =>
  Object.values(topicTable).map(({ name, partitionCount }) => ({
    topic: cluster.topicPrefix + name,
    partitions: Array.from({ length: partitionCount }, (_, partition) => partition),
  }))

/**
 * An empty transaction over partitions: its marks carry the writer's epoch there. Without records it holds up no reader,
 * whenever it breaks off.
 *
 * Outside a transaction nobody asks the coordinator whether a writer is still the one of its name; a partition does know
 * the newest epoch that has written to it, and refuses a predecessor's next batch.
 *
 * In a transaction this ends what a broker forgot to: one that is restarted right after it has decided to commit can skip
 * a partition's mark, because it does not know the partition's leader yet (4.3.1: "likely deleted already and hence can be
 * skipped"). Those records would become readable with the next commit, after the new writer has looked for its place.
 */
async function mark(producer: Producer, partitions: TopicPartitions): Promise<void> {
  await producer.addPartitions(partitions)
  await producer.end(true)
}

class KafkaWriter implements LogWriter {
  readonly #parts: WriterParts
  readonly #producer: Producer
  #state: 'open' | 'closed' | 'fenced' = 'open'
  #last: Promise<unknown> = Promise.resolve()
  /** By the wall clock: it goes on while a machine sleeps. */
  #provenAtMs = Date.now()
  readonly #proofTimer: NodeJS.Timeout | null

  constructor(parts: WriterParts, producer: Producer) {
    this.#parts = parts
    this.#producer = producer
    const { isTransactional, proofEveryMs = proofEveryMsDefault } = parts
    const prove = () => {
      this.#last = this.#last.then(() => this.#guarded(() => this.#prove())).catch(() => {})
    }
    this.#proofTimer = isTransactional ? null : setInterval(prove, Math.max(1000, proofEveryMs)).unref()
  }

  append(records: readonly NewRecord[]): Promise<void> {
    const appended = this.#last.then(() => this.#appendNext(records))
    this.#last = appended.catch(() => {})
    return appended
  }

  async close(): Promise<void> {
    await this.#last
    if (this.#state === 'open') this.#end('closed')
  }

  async #appendNext(records: readonly NewRecord[]): Promise<void> {
    const { writerId, topicTable, isTransactional, nowMs, cluster } = this.#parts
    if (this.#state === 'fenced') throw writerFenced(writerId)
    if (this.#state === 'closed') throw new OperationError('log_closed', `the writer ${writerId} is closed`)
    checkRecords(records, topicTable)
    if (records.length === 0) return
    const groups = groupByPartition(records)
    const timestampMs = nowMs()
    await this.#guarded(async () => {
      if (!isTransactional) await this.#prove()
      const ends = isTransactional ? await this.#commit(groups, timestampMs) : await this.#send(groups, timestampMs)
      for (const { topic, partition, nextOffset } of ends) cluster.appended.note(topic, partition, nextOffset)
    })
  }

  /** After a failure nobody knows where the producer stands: it is not used again. */
  async #guarded(step: () => Promise<void>): Promise<void> {
    if (this.#state !== 'open') return
    try {
      await step()
    } catch (failure) {
      const error = asWriterError(failure, this.#parts.writerId)
      this.#end(isOperationError(error, 'writer_fenced') ? 'fenced' : 'closed')
      throw error
    }
  }

  async #prove(): Promise<void> {
    const { proofEveryMs = proofEveryMsDefault } = this.#parts
    if (Date.now() - this.#provenAtMs < proofEveryMs) return
    await mark(this.#producer, allPartitions(this.#parts))
    this.#provenAtMs = Date.now()
  }

  #end(state: 'closed' | 'fenced'): void {
    this.#state = state
    if (this.#proofTimer) clearInterval(this.#proofTimer)
    this.#producer.close()
  }

  async #commit(groups: readonly PartitionGroup[], timestampMs: number): Promise<readonly AppendedEnd[]> {
    const ends: AppendedEnd[] = []
    await this.#producer.addPartitions(this.#topicsOf(groups))
    try {
      for (const round of roundsOf(groups)) ends.push(...(await this.#send(round, timestampMs)))
    } catch (error) {
      // So that readers need not wait until the broker notices. That the append failed is known in any case.
      if (!isOver(error)) await this.#producer.end(false).catch(() => {})
      throw error
    }
    crashPoint('log-before-commit')
    await this.#producer.end(true)
    crashPoint('log-after-commit')
    return ends
  }

  async #send(groups: readonly PartitionGroup[], timestampMs: number): Promise<readonly AppendedEnd[]> {
    const { isTransactional, cluster } = this.#parts
    const named = groups.map((group): RecordGroup => ({ ...group, topic: cluster.topicPrefix + group.topic }))
    return this.#producer.send(named, { isTransactional, timestampMs })
  }

  #topicsOf(groups: readonly PartitionGroup[]): TopicPartitions {
    const partitions = new Map<string, number[]>()
    for (const { topic, partition } of groups) {
      const name = this.#parts.cluster.topicPrefix + topic
      partitions.set(name, [...(partitions.get(name) ?? []), partition])
    }
    return [...partitions].map(([topic, its]) => ({ topic, partitions: its }))
  }
}

/** The epoch is over: another one opened a writer of the name, or this one stood still for too long, in an append or at all. */
const fencedAnswers = new Set([
  'INVALID_PRODUCER_EPOCH',
  'INVALID_PRODUCER_ID_MAPPING',
  'TRANSACTION_COORDINATOR_FENCED',
])
const lostAnswers = new Set(['INVALID_TXN_STATE', 'OUT_OF_ORDER_SEQUENCE_NUMBER'])

const isOver = (error: unknown): boolean => {
  const answer = answerOf(error) ?? ''
  return fencedAnswers.has(answer) || lostAnswers.has(answer)
}

function asWriterError(error: unknown, writerId: string): unknown {
  const answer = answerOf(error)
  if (answer === null) return error
  if (fencedAnswers.has(answer)) return writerFenced(writerId)
  if (lostAnswers.has(answer))
    return new OperationError('log_unavailable', `the broker no longer knows the writer ${writerId}: ${answer}`, {
      cause: error,
    })
  return error
}
