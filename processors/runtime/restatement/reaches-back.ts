import { readFirstTick } from '../../../infra/log/ticks.ts'
import { type StageDependencies, topicsOf } from '../task.ts'

/**
 * Returns whether the log still has every fact after tick `seq`, at which a snapshot was taken. Offsets alone do not show
 * this: if retention removed only the tick and the unused offsets after it, no fact after the snapshot is missing.
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
