import type { Topic } from '../../schemas/topics.ts'
import { runTogether } from '../run-together.ts'
import type { Log } from './log.ts'
import type { RecordBatch } from './record-batch.ts'

type Following = Readonly<{
  /** Called with each batch, in order within a partition. */
  onBatch(batch: RecordBatch, partition: number): Promise<void>
  signal: AbortSignal
  /** The start offset in a partition with this end. Default: the end, so that only later records are handed out. */
  offsetOf?(partition: number, endOffset: number): number
}>

/**
 * Hands out the records appended to a topic, each partition separately. Ends when the signal aborts, or with the first
 * failure.
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
