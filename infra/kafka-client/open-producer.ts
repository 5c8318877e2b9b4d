/** Opens a producer and fences the previous one of its id, at the coordinator and in every partition. */
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
   * Fences only this producer. The broker refuses if a later one was opened. If null, any producer of the id is fenced.
   */
  after: Producer | null
  /** Called with each producer opened on the way. A retry after a failure continues from the last of them. */
  onBegun: (producer: Producer) => void
}>

/** The broker aborts the transaction of a dead producer after this time; readers wait for that long at most. */
const transactionTimeoutMs = 10_000
const openPatienceMs = 15_000
/** Shorter than the first opening, because the caller retries later and a buyer may be waiting. */
const reopenPatienceMs = 5_000

/** Fails as the broker does. A fenced producer gets the error `INVALID_PRODUCER_EPOCH`. */
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
      // The broker answers before the markers are written. A producer that begins now waits until all of them are
      // written.
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
