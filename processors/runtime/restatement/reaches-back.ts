import { type StageDependencies, topicsOf } from '../task.ts'

/**
 * Returns whether the log still has every fact from this offset on. The ticks in the log do not show this,
 * because retention can remove only some facts between two ticks.
 */
export async function reachesBack(
  dependencies: Pick<StageDependencies, 'log' | 'stage'>,
  partition: number,
  { factsOffset }: Readonly<{ factsOffset: number }>,
): Promise<boolean> {
  const { startOffset } = await dependencies.log.bounds(topicsOf(dependencies).factTopic, partition)
  return startOffset <= factsOffset
}
