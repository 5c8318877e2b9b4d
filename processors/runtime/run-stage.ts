import { runTogether } from '../../infra/run-together.ts'
import type { Stage } from '../../schemas/stage.ts'
import { runTask } from './run-task.ts'
import type { StageDependencies } from './task.ts'

/**
 * Runs each of the given partitions of a stage as a task in this thread, until the signal aborts. If a task
 * fails, all other tasks stop and `runStage` throws the error of the failed task. A stage can always be
 * started again, because the output of each task shows where to continue.
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

/**
 * Returns the partitions that thread `index` of `count` threads runs: every `count`-th partition from
 * partition `index` on.
 */
export const partitionsOf = (
  { factTopic }: Stage,
  { index, count }: Readonly<{ index: number; count: number }> = { index: 0, count: 1 },
): readonly number[] =>
  Array.from({ length: factTopic.partitionCount }, (_, partition) => partition).filter(
    (partition) => partition % count === index,
  )
