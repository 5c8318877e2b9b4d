/** Opens a producer and fences the previous producer of its id, at the coordinator and in every partition. */
import type { Cluster } from './cluster.ts'
import type { TopicPartitions } from './kafkajs-parts.ts'
import { lastTransactionOf } from './last-transaction.ts'
import { openTransactions } from './open-transactions.ts'
import { Producer } from './producer.ts'
import { writeMarkers } from './transaction-markers.ts'

export type ProducerId = Readonly<{
  cluster: Cluster
  transactionalId: string
  isTransactional: boolean
  /** All partitions that a producer of this id may write to. */
  partitions: TopicPartitions
}>

export type Succession = Readonly<{
  /**
   * The producer to fence. The broker refuses the opening if the id has a later producer. If null, the broker
   * fences the newest producer of the id in every case.
   */
  after: Producer | null
  /**
   * Called with each producer that the opening creates. A retry after a failure continues from the last of
   * these producers.
   */
  onBegun: (producer: Producer) => void
}>

/**
 * The time after which the broker aborts an open transaction, in milliseconds. This time limits how long
 * readers wait for the transaction of a crashed producer.
 */
const transactionTimeoutMs = 10_000
const openPatienceMs = 15_000
/**
 * The maximum time for retries when a producer is opened again after a failure, in milliseconds. This time is
 * shorter than for the first opening, because the caller retries later anyway and a buyer may be waiting.
 */
const reopenPatienceMs = 5_000

/**
 * Opens a producer. Fails with the error of the broker. The error is `INVALID_PRODUCER_EPOCH` if the producer
 * `after` was fenced.
 */
export async function openProducer(id: ProducerId, { after, onBegun }: Succession): Promise<Producer> {
  const { cluster, transactionalId, isTransactional, partitions } = id
  const patienceMs = after === null ? openPatienceMs : reopenPatienceMs
  const begin = async (predecessor: Producer | null) => {
    const producer = await Producer.begin({ cluster, transactionalId, transactionTimeoutMs }, patienceMs, predecessor)
    onBegun(producer)
    return producer
  }
  let fencing: Producer | null = null
  try {
    const outcome = await lastTransactionOf(cluster, transactionalId, patienceMs)
    fencing = await begin(after)
    const unmarked = isTransactional ? await openTransactions(cluster, partitions, patienceMs) : partitions
    if (unmarked.length > 0) {
      await writeMarkers(fencing, unmarked, outcome)
      // The broker answers EndTxn before it has written the markers. But it accepts the next InitProducerId
      // only after all markers are written. So opening another producer waits for the markers.
      const marked = await begin(fencing)
      fencing.close()
      fencing = marked
    }
    cluster.lastTransactions.delete(transactionalId)
    return fencing
  } catch (error) {
    fencing?.close()
    throw error
  }
}
