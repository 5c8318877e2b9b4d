import { type StageDependencies, topicsOf } from '../task.ts'

/**
 * Returns whether the log still has every fact from this offset on. The ticks in the log do not show this. Retention can remove the answers
 * after a tick, or the first facts of the next one.
 */
export async function reachesBack(
  dependencies: Pick<StageDependencies, 'log' | 'stage'>,
  partition: number,
  { factsOffset }: Readonly<{ factsOffset: number }>,
): Promise<boolean> {
  const { startOffset } = await dependencies.log.bounds(topicsOf(dependencies).factTopic, partition)
  return startOffset <= factsOffset
}
