/** Becoming the writer of a name: whoever had it is fenced, at the coordinator and in every partition. */
import type { TopicTable } from '../append.ts'
import { openEnds } from './open-ends.ts'
import type { Cluster } from './partition-reader.ts'
import { Producer, type TopicPartitions } from './producer.ts'
import { asWriterError } from './writer-errors.ts'

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
    fencing = await begin(after)
    const marked = isTransactional ? await openEnds(cluster, allPartitions(writer), patienceMs) : allPartitions(writer)
    if (marked.length === 0) return fencing
    await mark(fencing, marked)
    // The broker says yes before it has written the marks; a producer that begins after that waits for the last of them.
    const marking = await begin(fencing)
    fencing.close()
    return marking
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
 * In a transaction this ends what a broker forgot to: one that is restarted right after it has decided to commit can skip
 * a partition's mark, because it does not know the partition's leader yet (4.3.1: "likely deleted already and hence can be
 * skipped"). Those records would become readable with the next commit, after the new writer has looked for its place.
 * The mark of an abort that was forgotten so is taken for a commit's, as nothing in the partition tells them apart: it takes
 * an append that failed and a broker killed within the same moments, and is not guarded against.
 */
export async function mark(producer: Producer, partitions: TopicPartitions): Promise<void> {
  await producer.addPartitions(partitions)
  await producer.end(true)
}
