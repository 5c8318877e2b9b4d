import type { TopicPartitions } from './kafkajs-parts.ts'
import type { TransactionOutcome } from './last-transaction.ts'
import type { Producer } from './producer.ts'

/**
 * Writes an empty transaction to the partitions, so that each partition gets a marker with the producer's epoch. The
 * transaction has no records. If it is interrupted, it blocks no reader. There are two uses.
 *
 * Fencing outside transactions: the coordinator does not see appends outside transactions. So it cannot refuse such appends
 * from a fenced producer. But a partition keeps the newest epoch that has written to it, and refuses batches of an earlier
 * epoch.
 *
 * Replacing a lost marker: a broker can skip a marker if it restarts right after it decided to commit or abort. The broker
 * then skips each partition whose leader it does not know yet (4.3.1 logs "likely deleted already and hence can be
 * skipped"). Without this function, the next transaction that ends in the partition would decide the outcome of the records.
 * But the new producer has already looked for its last record by then. Therefore the empty transaction ends with the outcome
 * of the id's last transaction.
 *
 * The following cases are not covered, because each case needs two faults within moments:
 * - The outcome is unknown, because the fencing producer died before it wrote its markers.
 * - The outcome is unknown, because the fenced producer ended a transaction after its outcome was requested.
 * - The outcome is that of another transaction. The marker of a commit was lost, and the producer's next append failed
 *   before `CommitCheck` ran.
 * - The new markers abort a commit, because the transaction that writes them is interrupted.
 */
export async function writeMarkers(
  producer: Producer,
  partitions: TopicPartitions,
  outcome: TransactionOutcome,
): Promise<void> {
  await producer.addPartitions(partitions)
  await producer.end(outcome === 'commit')
}
