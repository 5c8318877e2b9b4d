/** Becoming the writer of a name: whoever had it is fenced, at the coordinator and in every partition. */
import type { TopicTable } from '../../schemas/topics.ts'
import { asWriterError } from '../log/kafka/writer-errors.ts'
import { type LastEnd, lastEnd } from './last-transaction.ts'
import { openEnds } from './open-transactions.ts'
import type { Cluster } from './partition-reader.ts'
import { Producer, type TopicPartitions } from './producer.ts'

export type NamedWriter = Readonly<{
  cluster: Cluster
  writerId: string
  isTransactional: boolean
  topicTable: TopicTable
}>

type Succession = Readonly<{
  /** Who had the name last; `writer_fenced` where somebody has taken it since. Null: it is taken from whoever has it. */
  after: Producer | null
  /** Told of each producer on the way: an attempt that is broken off is gone on with after the last of them. */
  onBegun: (producer: Producer) => void
}>

/** The broker ends the transaction of a writer that died after this: for so long readers may wait for it. */
const transactionTimeoutMs = 10_000
const openPatienceMs = 15_000
/** Whoever goes on tries again later, and may have a buyer who waits. */
const reopenPatienceMs = 5_000

export async function takeName(writer: NamedWriter, { after, onBegun }: Succession): Promise<Producer> {
  const { cluster, writerId, isTransactional } = writer
  const options = { cluster, transactionalId: cluster.topicPrefix + writerId, transactionTimeoutMs }
  const patienceMs = after === null ? openPatienceMs : reopenPatienceMs
  const begin = async (predecessor: Producer | null) => {
    const producer = await Producer.begin(options, patienceMs, predecessor)
    onBegun(producer)
    return producer
  }
  let fencing: Producer | null = null
  try {
    const due = await lastEnd(cluster, options.transactionalId, patienceMs)
    fencing = await begin(after)
    const marked = isTransactional ? await openEnds(cluster, allPartitions(writer), patienceMs) : allPartitions(writer)
    if (marked.length > 0) {
      await mark(fencing, marked, due)
      // The broker says yes before it has written the marks; a producer that begins after that waits for the last of them.
      const marking = await begin(fencing)
      fencing.close()
      fencing = marking
    }
    cluster.lastEnds.delete(options.transactionalId)
    return fencing
  } catch (error) {
    fencing?.close()
    throw asWriterError(error, writerId)
  }
}

export const allPartitions = ({ cluster, topicTable }: NamedWriter): TopicPartitions =>
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
 * In a transaction this ends what a broker forgot to: one that is restarted right after it has decided to commit or to roll
 * back can skip a partition's mark, because it does not know the partition's leader yet (4.3.1: "likely deleted already and
 * hence can be skipped"). Those records would get the fate of whatever ends there next, after the new writer has looked for
 * its place; they are due that of the writer's last transaction.
 *
 * Not guarded against, as it takes two faults within moments. Its fate is not known: whoever took the name before died
 * before its marks, or the writer it was taken from ended a transaction after it was asked for. It is not the last one's:
 * the mark of a commit was forgotten, and the writer's next append failed before the ends were looked at. And the marks that
 * make up for a commit roll it back where their own transaction is broken off.
 */
export async function mark(producer: Producer, partitions: TopicPartitions, as: LastEnd): Promise<void> {
  await producer.addPartitions(partitions)
  await producer.end(as === 'commit')
}
