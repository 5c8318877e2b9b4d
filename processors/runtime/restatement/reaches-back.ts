import { readFirstTick } from '../../../infra/log/ticks.ts'
import { type StageDependencies, topicsOf } from '../task.ts'

/**
 * Whether the log still holds every fact after tick `seq`, where a state was taken. Offsets alone cannot tell: retention may
 * have removed only the tick and the offset gap after it, and then no unread fact is missing.
 */
export async function reachesBack(
  dependencies: Pick<StageDependencies, 'log' | 'factCodec' | 'stage'>,
  partition: number,
  { seq, factsOffset }: Readonly<{ seq: number; factsOffset: number }>,
): Promise<boolean> {
  const { log, factCodec } = dependencies
  const { factTopic } = topicsOf(dependencies)
  const { startOffset } = await log.bounds(factTopic, partition)
  if (startOffset <= factsOffset) return true
  const first = await readFirstTick({ log, topic: factTopic, partition, codec: factCodec })
  return first === null || first.seq <= seq + 1
}
