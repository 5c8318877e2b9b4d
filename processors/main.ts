/** Runs stages: every partition is a task; any number of them run in one thread, and any number of threads share them. */
import { runTogether } from '../infra/run-together.ts'
import type { Stage } from '../schemas/stage.ts'
import { runTask } from './runtime/run-task.ts'
import type { StageDependencies } from './runtime/task.ts'

/**
 * Runs until the signal aborts, or a task fails: then the others stop too and its error is thrown. To start again is
 * always safe: each task finds its place on its own output.
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

/** The partitions of one thread of several: every `count`-th, from `index` on. */
export const partitionsOf = (
  { factTopic }: Stage,
  { index, count }: Readonly<{ index: number; count: number }> = { index: 0, count: 1 },
): readonly number[] =>
  Array.from({ length: factTopic.partitionCount }, (_, partition) => partition).filter(
    (partition) => partition % count === index,
  )
