/** The stage of chain A: every partition is a task, and all of them run in this thread. */
import { runTogether } from '../infra/run-together.ts'
import { topics } from '../schemas/topics.ts'
import { runTask } from './runtime/run-task.ts'
import { derivedTopic, type StageDependencies } from './runtime/task.ts'

/**
 * Runs until the signal aborts, or a task fails: then the others stop too and its error is thrown. To start again is
 * always safe: each task finds its place on its own output.
 */
export async function runStage(dependencies: StageDependencies, signal: AbortSignal): Promise<void> {
  const stop = new AbortController()
  const either = AbortSignal.any([signal, stop.signal])
  const partitions = Array.from({ length: topics[derivedTopic].partitionCount }, (_, partition) => partition)
  await runTogether(
    partitions.map((partition) => runTask(dependencies, partition, either)),
    stop,
  )
}
