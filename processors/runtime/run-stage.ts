import { runTogether } from '../../infra/run-together.ts'
import type { Stage } from '../../schemas/stage.ts'
import { runTask } from './run-task.ts'
import type { StageDependencies } from './task.ts'

/**
 * Runs partitions of a stage in this thread, each as a task, until the signal aborts. If a task fails, the others stop too and its error is
 * thrown. A restart is always safe, because the output of a task shows where to continue.
 */
export async function runStage(
  dependencies: StageDependencies,
  signal: AbortSignal,
  partitions: readonly number[] = partitionsOf(dependencies.stage),
): Promise<void> {
  const stop = new AbortController()
  const either = AbortSignal.any([signal, stop.signal])
  const shared = { snapshotTurn: { isTaken: false }, ...dependencies }
  await runTogether(
    partitions.map((partition) => runTask(shared, partition, either)),
    stop,
  )
}

/** Returns the partitions of thread `index` of `count` threads: every `count`-th partition from partition `index` on. */
export const partitionsOf = (
  { factTopic }: Stage,
  { index, count }: Readonly<{ index: number; count: number }> = { index: 0, count: 1 },
): readonly number[] =>
  Array.from({ length: factTopic.partitionCount }, (_, partition) => partition).filter(
    (partition) => partition % count === index,
  )
