import { readFirstTick } from '../../infra/log/ticks.ts'
import { type StageDependencies, topicsOf } from './task.ts'

/**
 * Whether the facts still kept go on where a state was taken, after tick `seq`. Not judged by offsets alone: a hole behind
 * the tick may have gone with it, and a log that rested for longer than its retention has lost nothing that was not seen.
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
