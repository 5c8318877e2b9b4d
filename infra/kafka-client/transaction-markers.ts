import type { TopicPartitions } from './kafkajs-parts.ts'
import type { TransactionOutcome } from './last-transaction.ts'
import type { Producer } from './producer.ts'

/**
 * Writes an empty transaction to the partitions, so that its markers carry the producer's epoch there. It has no
 * records, so it blocks no reader, wherever it is interrupted. It has two uses.
 *
 * Fencing outside transactions: there the coordinator is never asked whether a producer is still the newest of its id.
 * But a partition knows the newest epoch that has written to it, and refuses batches of an earlier one.
 *
 * Replacing a lost marker: a broker that restarts right after it decided to commit or abort can skip the marker of a
 * partition whose leader it does not know yet (4.3.1 logs "likely deleted already and hence can be skipped"). The
 * records there would then get the outcome of the next transaction that ends in the partition, after the new producer
 * has already looked for its last record. They must get the outcome of the last transaction of their own id.
 *
 * Not covered, because each case takes two faults within moments:
 * - The outcome is unknown: the producer that fenced the previous one died before it wrote its markers, or the
 *   fenced producer ended a transaction after its outcome was requested.
 * - The outcome is not that of the last transaction: the marker of a commit was lost, and the producer's next append
 *   failed before `CommitCheck` ran.
 * - The markers that replace those of a commit abort it, because their own transaction is interrupted.
 */
export async function writeMarkers(
  producer: Producer,
  partitions: TopicPartitions,
  outcome: TransactionOutcome,
): Promise<void> {
  await producer.addPartitions(partitions)
  await producer.end(outcome === 'commit')
}
