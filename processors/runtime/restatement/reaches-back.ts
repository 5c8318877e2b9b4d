import { type StageDependencies, topicsOf } from '../task.ts'

/**
 * Returns whether the log still has every fact from this offset on. This cannot be seen from the ticks in the
 * log, because old records may be deleted up to a point between two ticks.
 */
export async function reachesBack(
  dependencies: Pick<StageDependencies, 'log' | 'stage'>,
  partition: number,
  { factsOffset }: Readonly<{ factsOffset: number }>,
): Promise<boolean> {
  const { startOffset } = await dependencies.log.bounds(topicsOf(dependencies).factTopic, partition)
  return startOffset <= factsOffset
}
