/** Writers: an append is a transaction, or, outside transactions, one batch for each partition. */
import { crashPoint } from '../../crash-points.ts'
import { isOperationError, OperationError } from '../../errors.ts'
import { roundsOf } from '../../kafka-client/batches/batch-rounds.ts'
import { answerOf } from '../../kafka-client/broker-errors.ts'
import { EndsCheck } from '../../kafka-client/commit-check.ts'
import { allPartitions, mark, type NamedWriter, takeName } from '../../kafka-client/open-producer.ts'
import type { AppendedEnd, Producer, RecordGroup, TopicPartitions } from '../../kafka-client/producer.ts'
import { checkRecords, groupByPartition, type PartitionGroup, writerFenced } from '../append.ts'
import type { LogWriter, NewRecord } from '../log.ts'
import { asWriterError, isOver } from './writer-errors.ts'

export type WriterParts = NamedWriter &
  Readonly<{
    nowMs: () => number
    /** How often a writer outside transactions shows that it is still the one of its name. Default half an hour. */
    proofEveryMs?: number
    /** How long after an append a writer in transactions looks whether it can be read. Default three seconds. */
    checkAfterMs?: number
  }>

/**
 * Coordinators forget a writer that they did not hear of for a week, and partitions after a day: a predecessor that stood
 * still for longer would no longer be refused. Outside transactions neither would hear of a quiet writer.
 */
const proofEveryMsDefault = 30 * 60_000
const checkAfterMsDefault = 3000

export async function openKafkaWriter(parts: WriterParts): Promise<LogWriter> {
  return new KafkaWriter(parts, await takeName(parts, { after: null, onBegun: () => {} }))
}

class KafkaWriter implements LogWriter {
  readonly #parts: WriterParts
  #producer: Producer
  #state: 'open' | 'closed' | 'fenced' = 'open'
  #last: Promise<unknown> = Promise.resolve()
  /** By the wall clock: it goes on while a machine sleeps. */
  #provenAtMs = Date.now()
  readonly #proofTimer: NodeJS.Timeout | null
  readonly #endsCheck: EndsCheck | null
  /** Of a step that nobody waited for: the next append says what ended the writer. */
  #failure: unknown = null

  constructor(parts: WriterParts, producer: Producer) {
    this.#parts = parts
    this.#producer = producer
    const { cluster, isTransactional, proofEveryMs = proofEveryMsDefault, checkAfterMs = checkAfterMsDefault } = parts
    const prove = () => this.#betweenAppends(() => this.#prove())
    const onOpen = (open: TopicPartitions) => this.#betweenAppends(() => mark(this.#producer, open, 'commit'))
    this.#endsCheck = isTransactional ? new EndsCheck({ cluster, afterMs: checkAfterMs, onOpen }) : null
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
    if (this.#state === 'fenced') throw writerFenced(this.#parts.writerId)
    this.#end('closed')
    const onBegun = (producer: Producer) => {
      this.#producer = producer
    }
    try {
      const successor = await takeName(this.#parts, { after: this.#producer, onBegun })
      this.#state = 'fenced'
      return new KafkaWriter(this.#parts, successor)
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
    const { topicTable, isTransactional, nowMs, cluster } = this.#parts
    this.#refuseEnded()
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

  #betweenAppends(step: () => Promise<void>): void {
    this.#last = this.#last
      .then(() => this.#guarded(step))
      .catch((error) => {
        this.#failure = error
      })
  }

  #refuseEnded(): void {
    const { writerId } = this.#parts
    if (this.#state === 'fenced') throw writerFenced(writerId)
    if (this.#state === 'closed')
      throw this.#failure ?? new OperationError('log_closed', `the writer ${writerId} is closed`)
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
    await mark(this.#producer, allPartitions(this.#parts), 'commit')
    this.#provenAtMs = Date.now()
  }

  /** To roll back where nothing is open: the coordinator looks at the epoch first, and then finds nothing to do. */
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
    this.#endsCheck?.stop()
    this.#producer.close()
  }

  async #commit(groups: readonly PartitionGroup[], timestampMs: number): Promise<readonly AppendedEnd[]> {
    const ends: AppendedEnd[] = []
    const topics = this.#topicsOf(groups)
    await this.#producer.addPartitions(topics)
    try {
      for (const round of roundsOf(groups)) ends.push(...(await this.#send(round, timestampMs)))
    } catch (error) {
      // So that readers need not wait until the broker notices. That the append failed is known in any case.
      if (!isOver(error)) await this.#producer.end(false).catch(() => {})
      throw error
    }
    crashPoint('log-before-commit')
    await this.#producer.end(true)
    this.#endsCheck?.note(topics)
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
