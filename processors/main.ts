/** The stage of chain A: every partition is a task, and all of them run in this thread. */
import { topics } from '../schemas/topics.ts'
import { runTask } from './runtime/run-task.ts'
import { derivedTopic, type StageDependencies } from './runtime/task.ts'

/**
 * Runs until the signal aborts, or a task fails: then the others stop too and its error is thrown. To start again is
 * always safe: each task finds its place on its own output.
 */
export async function runStage(dependencies: StageDependencies, signal: AbortSignal): Promise<void> {
  const failing = new AbortController()
  const either = AbortSignal.any([signal, failing.signal])
  const { partitionCount } = topics[derivedTopic]
  const tasks = Array.from({ length: partitionCount }, async (_, partition) => {
    try {
      await runTask(dependencies, partition, either)
    } catch (error) {
      failing.abort()
      throw error
    }
  })
  const ended = await Promise.allSettled(tasks)
  for (const task of ended) if (task.status === 'rejected') throw task.reason
}
