import type { Topic } from '../../schemas/topics.ts'
import type { Log } from './log.ts'
import type { RecordBatch } from './record-batch.ts'

type Following = Readonly<{
  /** Called with each batch, in order within a partition. */
  onBatch(batch: RecordBatch): Promise<void>
  signal: AbortSignal
}>

/** Hands out what is appended to a topic from now on, each partition by itself. Ends when the signal aborts. */
export async function followTopic(
  log: Pick<Log, 'bounds' | 'read' | 'waitForAppend'>,
  { name: topic, partitionCount }: Topic,
  { onBatch, signal }: Following,
): Promise<void> {
  const follow = async (partition: number) => {
    let { endOffset: offset } = await log.bounds(topic, partition)
    while (!signal.aborted) {
      await log.waitForAppend({ topic, partition, offset }, signal)
      for (const batch of await log.read({ topic, partition, offset }, { signal })) {
        await onBatch(batch)
        offset = batch.nextOffset
      }
    }
  }
  await Promise.all(Array.from({ length: partitionCount }, (_, partition) => follow(partition)))
}
