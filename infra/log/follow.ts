import type { Topic } from '../../schemas/topics.ts'
import { runTogether } from '../run-together.ts'
import type { Log } from './log.ts'
import type { RecordBatch } from './record-batch.ts'

type Following = Readonly<{
  /** Called with each batch. The batches of a partition come in order. */
  onBatch(batch: RecordBatch, partition: number): Promise<void>
  signal: AbortSignal
  /**
   * Returns the offset at which reading begins. `endOffset` is the current end of the partition. Default: `endOffset`,
   * so that only later records are passed on.
   */
  offsetOf?(partition: number, endOffset: number): number
}>

/**
 * Calls `onBatch` with the records that are appended to a topic, separately for each partition. Ends when the signal
 * aborts, or with the first failure.
 */
export async function followTopic(
  log: Pick<Log, 'bounds' | 'read' | 'waitForAppend'>,
  { name: topic, partitionCount }: Topic,
  { onBatch, signal: stopped, offsetOf = (_, end) => end }: Following,
): Promise<void> {
  const failed = new AbortController()
  const signal = AbortSignal.any([stopped, failed.signal])
  const follow = async (partition: number) => {
    let offset = offsetOf(partition, (await log.bounds(topic, partition)).endOffset)
    while (!signal.aborted) {
      await log.waitForAppend({ topic, partition, offset }, signal)
      for (const batch of await log.read({ topic, partition, offset }, { signal })) {
        await onBatch(batch, partition)
        offset = batch.nextOffset
      }
    }
  }
  await runTogether(
    Array.from({ length: partitionCount }, (_, partition) => follow(partition)),
    failed,
  )
}
