/**
 * The writers of the log on Kafka. A transactional writer makes each append one transaction. A writer without
 * transactions sends each append as one batch per partition.
 */
import type { TopicTable } from '../../../schemas/topics.ts'
import type { DurationMs, EpochMs } from '../../../schemas/units.ts'
import { crashPoint } from '../../crash-points.ts'
import { isOperationError, OperationError } from '../../errors.ts'
import { roundsOf } from '../../kafka-client/batches/batch-rounds.ts'
import { answerOf } from '../../kafka-client/broker-errors.ts'
import type { Cluster } from '../../kafka-client/cluster.ts'
import { CommitCheck } from '../../kafka-client/commit-check.ts'
import type { TopicPartitions } from '../../kafka-client/kafkajs-parts.ts'
import { openProducer, type Succession } from '../../kafka-client/open-producer.ts'
import { openTransactions } from '../../kafka-client/open-transactions.ts'
import type { AppendedEnd, Producer, RecordGroup } from '../../kafka-client/producer.ts'
import { writeMarkers } from '../../kafka-client/transaction-markers.ts'
import { checkRecords, groupByPartition, type PartitionGroup, writerFenced } from '../append.ts'
import type { LogWriter, NewRecord } from '../log.ts'
import { asWriterError, isOver } from './writer-errors.ts'

export type WriterDependencies = Readonly<{
  cluster: Cluster
  /** The prefix of the names of topics and writers on the cluster. */
  topicPrefix: string
  writerId: string
  isTransactional: boolean
  topicTable: TopicTable
  nowMs: () => EpochMs
  /**
   * The interval at which a writer outside transactions proves that it is not fenced, in milliseconds. Default:
   * 1,800,000.
   */
  proofEveryMs?: DurationMs
  /**
   * The time between a commit and the check that the commit is readable, in milliseconds. Only a
   * transactional writer has this check. Default: 3,000.
   */
  checkAfterMs?: DurationMs
}>

/**
 * The default interval at which a writer outside transactions proves that it is not fenced, in milliseconds.
 * A coordinator forgets a producer after a week without a request, and a partition forgets a producer after a
 * day without a record. After that, a fenced producer is no longer refused. So even an idle writer sends a
 * proof at this interval.
 */
const proofEveryMsDefault = 30 * 60_000
const checkAfterMsDefault = 3000

export async function openKafkaWriter(dependencies: WriterDependencies): Promise<LogWriter> {
  return new KafkaWriter(dependencies, await openNamed(dependencies, { after: null, onBegun: () => {} }))
}

async function openNamed(dependencies: WriterDependencies, succession: Succession): Promise<Producer> {
  const { cluster, topicPrefix, writerId, isTransactional } = dependencies
  const id = {
    cluster,
    transactionalId: topicPrefix + writerId,
    isTransactional,
    partitions: allPartitions(dependencies),
  }
  try {
    return await openProducer(id, succession)
  } catch (error) {
    throw asWriterError(error, writerId)
  }
}

const allPartitions = ({ topicPrefix, topicTable }: WriterDependencies): TopicPartitions =>
  Object.values(topicTable).map(({ name, partitionCount }) => ({
    topic: topicPrefix + name,
    partitions: Array.from({ length: partitionCount }, (_, partition) => partition),
  }))

class KafkaWriter implements LogWriter {
  readonly #dependencies: WriterDependencies
  #producer: Producer
  #state: 'open' | 'closed' | 'fenced' = 'open'
  #last: Promise<unknown> = Promise.resolve()
  /**
   * The time of the last proof that this writer is not fenced, by the wall clock. The wall clock also counts
   * the time in which the machine sleeps.
   */
  #provenAtMs = Date.now()
  readonly #proofTimer: NodeJS.Timeout | null
  readonly #commitCheck: CommitCheck | null
  /** The failure of a step between two appends that closed the writer. The next append throws this failure. */
  #failure: unknown = null

  constructor(dependencies: WriterDependencies, producer: Producer) {
    this.#dependencies = dependencies
    this.#producer = producer
    const {
      cluster,
      isTransactional,
      proofEveryMs = proofEveryMsDefault,
      checkAfterMs = checkAfterMsDefault,
    } = dependencies
    const prove = () => this.#betweenAppends(() => this.#prove())
    const onOpen = (open: TopicPartitions) => this.#betweenAppends(() => writeMarkers(this.#producer, open, 'commit'))
    const findOpen = (topics: TopicPartitions, patienceMs: number) => openTransactions(cluster, topics, patienceMs)
    this.#commitCheck = isTransactional ? new CommitCheck({ findOpen, afterMs: checkAfterMs, onOpen }) : null
    this.#proofTimer = isTransactional ? null : setInterval(prove, Math.max(1000, proofEveryMs)).unref()
  }

  append(records: readonly NewRecord[]): Promise<void> {
    const appended = this.#last.then(() => this.#appendNext(records))
    this.#last = appended.catch(() => {})
    return appended
  }

  confirm(): Promise<void> {
    const confirmed = this.#last.then(() => {
      this.#refuseEnded()
      return this.#guarded(() => this.#askCoordinator())
    })
    this.#last = confirmed.catch(() => {})
    return confirmed
  }

  async reopen(): Promise<LogWriter> {
    await this.#last
    if (this.#state === 'fenced') throw writerFenced(this.#dependencies.writerId)
    this.#end('closed')
    const onBegun = (producer: Producer) => {
      this.#producer = producer
    }
    try {
      const successor = await openNamed(this.#dependencies, { after: this.#producer, onBegun })
      this.#state = 'fenced'
      return new KafkaWriter(this.#dependencies, successor)
    } catch (error) {
      if (isOperationError(error, 'writer_fenced')) this.#state = 'fenced'
      throw error
    }
  }

  async close(): Promise<void> {
    await this.#last
    if (this.#state === 'open') this.#end('closed')
  }

  async #appendNext(records: readonly NewRecord[]): Promise<void> {
    const { topicTable, isTransactional, nowMs, cluster } = this.#dependencies
    this.#refuseEnded()
    checkRecords(records, topicTable)
    if (records.length === 0) return
    const groups = groupByPartition(records).map((group) => this.#named(group))
    const timestampMs = nowMs()
    await this.#guarded(async () => {
      if (!isTransactional) await this.#prove()
      const ends = isTransactional ? await this.#commit(groups, timestampMs) : await this.#send(groups, timestampMs)
      for (const { topic, partition, nextOffset } of ends) cluster.appended.note(topic, partition, nextOffset)
    })
  }

  #named(group: PartitionGroup): RecordGroup {
    return { ...group, topic: this.#dependencies.topicPrefix + group.topic }
  }

  #betweenAppends(step: () => Promise<void>): void {
    this.#last = this.#last
      .then(() => this.#guarded(step))
      .catch((error) => {
        this.#failure = error
      })
  }

  #refuseEnded(): void {
    const { writerId } = this.#dependencies
    if (this.#state === 'fenced') throw writerFenced(writerId)
    if (this.#state === 'closed')
      throw this.#failure ?? new OperationError('log_closed', `the writer ${writerId} is closed`)
  }

  /** Runs a step, and closes the writer if the step fails, because the state of its producer is then unknown. */
  async #guarded(step: () => Promise<void>): Promise<void> {
    if (this.#state !== 'open') return
    try {
      await step()
    } catch (failure) {
      const error = asWriterError(failure, this.#dependencies.writerId)
      this.#end(isOperationError(error, 'writer_fenced') ? 'fenced' : 'closed')
      throw error
    }
  }

  async #prove(): Promise<void> {
    const { proofEveryMs = proofEveryMsDefault } = this.#dependencies
    if (Date.now() - this.#provenAtMs < proofEveryMs) return
    await writeMarkers(this.#producer, allPartitions(this.#dependencies), 'commit')
    this.#provenAtMs = Date.now()
  }

  /**
   * Fails if the coordinator says that this writer is fenced. For this, requests an abort although no
   * transaction is open. The coordinator checks the epoch first, and only then finds that there is nothing to
   * abort.
   */
  async #askCoordinator(): Promise<void> {
    try {
      await this.#producer.end(false)
    } catch (error) {
      if (answerOf(error) !== 'INVALID_TXN_STATE') throw error
    }
  }

  #end(state: 'closed' | 'fenced'): void {
    this.#state = state
    if (this.#proofTimer) clearInterval(this.#proofTimer)
    this.#commitCheck?.stop()
    this.#producer.close()
  }

  async #commit(groups: readonly RecordGroup[], timestampMs: EpochMs): Promise<readonly AppendedEnd[]> {
    const ends: AppendedEnd[] = []
    const partitions = partitionsOf(groups)
    await this.#producer.addPartitions(partitions)
    try {
      for (const round of roundsOf(groups)) ends.push(...(await this.#send(round, timestampMs)))
    } catch (error) {
      // Aborts the transaction now, so that readers do not wait for its timeout. The append has failed, even
      // if the abort succeeds.
      if (!isOver(error)) await this.#producer.end(false).catch(() => {})
      throw error
    }
    crashPoint('log-before-commit')
    await this.#producer.end(true)
    this.#commitCheck?.note(partitions)
    crashPoint('log-after-commit')
    return ends
  }

  #send(groups: readonly RecordGroup[], timestampMs: EpochMs): Promise<readonly AppendedEnd[]> {
    return this.#producer.send(groups, { isTransactional: this.#dependencies.isTransactional, timestampMs })
  }
}

function partitionsOf(groups: readonly RecordGroup[]): TopicPartitions {
  const byTopic = new Map<string, number[]>()
  for (const { topic, partition } of groups) byTopic.set(topic, [...(byTopic.get(topic) ?? []), partition])
  return [...byTopic].map(([topic, partitions]) => ({ topic, partitions }))
}
