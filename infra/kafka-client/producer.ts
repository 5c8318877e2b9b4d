/**
 * A producer with a transactional id. Opening a producer fences the previous producer of the id. Batches have
 * numbers, so the broker stores a batch only one time even if it receives the batch again.
 */
import type { PackedRecord } from '../log/record-batch.ts'
import { encodeBatch } from './batches/encode-batch.ts'
import { isPassing, isUnreachable, tryAgain } from './broker-errors.ts'
import { initProducerCall } from './calls/init-producer-call.ts'
import { type EncodedBatch, type PlacedBatch, produceCall } from './calls/produce-call.ts'
import type { Cluster } from './cluster.ts'
import {
  type Address,
  createErrorFromCode,
  type KafkajsBroker,
  type ProducerIdentity,
  type TopicPartitions,
} from './kafkajs-parts.ts'

/** Records for one partition. `topic` is the full name of the topic on the cluster. */
export type RecordGroup = Readonly<{ topic: string; partition: number; records: readonly PackedRecord[] }>

export type ProducerOptions = Readonly<{
  cluster: Cluster
  transactionalId: string
  /** The time after which the broker aborts an open transaction, in milliseconds. */
  transactionTimeoutMs: number
}>

export type AppendedEnd = Readonly<{ topic: string; partition: number; nextOffset: number }>

const duplicateSequence = 46
const producerFenced = 90
const invalidProducerEpoch = 47
const sequenceEnd = 2 ** 31

let openedCount = 0

export class Producer {
  readonly #options: ProducerOptions
  readonly #purpose: string
  readonly #identity: ProducerIdentity
  readonly #sequences = new Map<string, number>()

  private constructor(options: ProducerOptions, purpose: string, identity: ProducerIdentity) {
    this.#options = options
    this.#purpose = purpose
    this.#identity = identity
  }

  /**
   * Opens a producer. Before the promise resolves, the broker fences the previous producer of the id and
   * aborts its open transaction. If a predecessor is given, the broker refuses the opening when the id has a
   * later producer. A retry after a lost answer is safe, because the broker returns the same epoch for the
   * same predecessor.
   */
  static async begin(
    options: ProducerOptions,
    patienceMs: number,
    predecessor: Producer | null = null,
  ): Promise<Producer> {
    const { cluster, transactionalId, transactionTimeoutMs } = options
    // The producer has its own connections, so that its requests never wait for requests of another producer.
    const purpose = `writer ${++openedCount} ${transactionalId}`
    const after = predecessor === null ? null : predecessor.#identity
    const ask = async () => {
      const node = await cluster.directory.coordinatorOf('transaction', transactionalId)
      const call = initProducerCall({ transactionalId, transactionTimeoutMs, after })
      const { errorCode, identity } = await cluster.connections.to(purpose, node).send(call)
      if (errorCode !== 0) throw producerError(errorCode)
      return identity
    }
    try {
      const doing = `opening the writer ${transactionalId}`
      const beforeRetry = (error: unknown) => forgetIfMoved(cluster, error)
      return new Producer(options, purpose, await tryAgain(ask, { doing, patienceMs, beforeRetry }))
    } catch (error) {
      cluster.connections.drop(purpose)
      throw error
    }
  }

  /** Adds the partitions to the open transaction, or begins a transaction with them. */
  async addPartitions(topics: TopicPartitions): Promise<void> {
    await this.#retrying(isPassing, async () => {
      await this.#atCoordinator((broker) =>
        broker.addPartitionsToTxn({ ...this.#identity, transactionalId: this.#options.transactionalId, topics }),
      )
    })
  }

  /**
   * Commits or aborts the transaction. If the broker does not answer, the request is not sent again.
   * Otherwise, the first request could arrive late, during the next transaction, and end that transaction too
   * early.
   */
  async end(isCommit: boolean): Promise<void> {
    const mayRetry = (error: unknown) => isPassing(error) && !isUnreachable(error)
    const { transactionalId } = this.#options
    await this.#retrying(mayRetry, async () => {
      await this.#atCoordinator((broker) =>
        broker.endTxn({ ...this.#identity, transactionalId, transactionResult: isCommit }),
      )
    })
  }

  /**
   * Sends one batch for each group. Two groups must not have the same partition. Resolves when all in-sync replicas
   * have the batches.
   */
  async send(
    groups: readonly RecordGroup[],
    origin: Readonly<{ isTransactional: boolean; timestampMs: number }>,
  ): Promise<readonly AppendedEnd[]> {
    let missing: readonly EncodedBatch[] = groups.map(({ topic, partition, records }) => {
      const id = `${topic}/${partition}`
      const firstSequence = this.#sequences.get(id) ?? 0
      this.#sequences.set(id, (firstSequence + records.length) % sequenceEnd)
      const { producerId, producerEpoch } = this.#identity
      const bytes = encodeBatch(records, { ...origin, producerId: BigInt(producerId), producerEpoch, firstSequence })
      return { topic, partition, bytes }
    })
    const ends: AppendedEnd[] = []
    await this.#retrying(isPassing, async () => {
      const { placed, failure } = await this.#sendOnce(missing, origin.isTransactional)
      for (const { topic, partition, baseOffset } of placed)
        ends.push({ topic, partition, nextOffset: baseOffset + countOf(groups, { topic, partition }) })
      missing = missing.filter((batch) => !placed.some((its) => isSame(its, batch)))
      if (failure) throw failure
    })
    return ends
  }

  close(): void {
    this.#options.cluster.connections.drop(this.#purpose)
  }

  async #sendOnce(batches: readonly EncodedBatch[], isTransactional: boolean) {
    const { cluster, transactionTimeoutMs } = this.#options
    const transactionalId = isTransactional ? this.#options.transactionalId : null
    const byLeader = new Map<string, { address: Address; batches: EncodedBatch[] }>()
    for (const batch of batches) {
      const address = await cluster.directory.leaderOf(batch.topic, batch.partition)
      const id = `${address.host}:${address.port}`
      const share = byLeader.get(id) ?? { address, batches: [] as EncodedBatch[] }
      byLeader.set(id, share)
      share.batches.push(batch)
    }
    const answers = await Promise.all(
      [...byLeader.values()].map((share) =>
        cluster.connections
          .to(this.#purpose, share.address)
          .send(produceCall({ transactionalId, timeoutMs: transactionTimeoutMs / 2, batches: share.batches })),
      ),
    )
    const placed = answers.flat().filter(isPlaced)
    const failed = answers.flat().find((answer) => !isPlaced(answer))
    return { placed, failure: failed ? producerError(failed.errorCode) : null }
  }

  #atCoordinator<Answer>(call: (broker: KafkajsBroker) => Promise<Answer>): Promise<Answer> {
    const { cluster, transactionalId } = this.#options
    return cluster.directory
      .coordinatorOf('transaction', transactionalId)
      .then((node) => cluster.connections.to(this.#purpose, node).use(call))
  }

  /** Retries an attempt for half of the transaction timeout. The other half is left for ending the transaction. */
  #retrying(mayRetry: (error: unknown) => boolean, attempt: () => Promise<void>): Promise<void> {
    const { cluster, transactionalId, transactionTimeoutMs } = this.#options
    return tryAgain(attempt, {
      doing: `an append of ${transactionalId}`,
      patienceMs: transactionTimeoutMs / 2,
      beforeRetry: (error) => forgetIfMoved(cluster, error),
      mayRetry,
    })
  }
}

type PartitionName = Readonly<{ topic: string; partition: number }>

const isSame = (one: PartitionName, other: PartitionName): boolean =>
  one.topic === other.topic && one.partition === other.partition

const countOf = (groups: readonly RecordGroup[], partition: PartitionName): number =>
  groups.find((group) => isSame(group, partition))?.records.length ?? 0

/** Whether the broker has stored the batch. A duplicate is already stored, but the broker may not give its offset. */
const isPlaced = ({ errorCode }: PlacedBatch): boolean => errorCode === 0 || errorCode === duplicateSequence

/** kafkajs does not know `PRODUCER_FENCED`, the newer name of `INVALID_PRODUCER_EPOCH`. */
const producerError = (code: number) => createErrorFromCode(code === producerFenced ? invalidProducerEpoch : code)

/**
 * Drops the cached leaders and coordinators, except after `CONCURRENT_TRANSACTIONS`. This error only means that markers of the last
 * transaction are still being written.
 */
function forgetIfMoved({ directory }: Cluster, error: unknown): void {
  if (!isConcurrent(error)) directory.forget()
}

const isConcurrent = (error: unknown): boolean =>
  error instanceof Error && 'type' in error && error.type === 'CONCURRENT_TRANSACTIONS'
