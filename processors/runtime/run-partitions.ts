import { runAgain } from '../../infra/run-again.ts'
import { runTogether } from '../../infra/run-together.ts'
import type { DurationMs } from '../../schemas/units.ts'
import { runStage } from './run-stage.ts'
import type { StageDependencies } from './task.ts'

type Assigned = Readonly<{
  partitions: readonly number[]
  /**
   * Returns the wait before a partition is restarted after its `failureCount`-th failure in a row, in ms.
   * Returns null if the failure must end the worker.
   */
  restartPauseMs(error: unknown, failureCount: number): DurationMs | null
  signal: AbortSignal
}>

/**
 * Runs the partitions of a worker until the signal aborts. A temporary failure, such as an outage of the log,
 * restarts only the partition that failed. Any other failure (`determinism_broken`, `record_corrupt`) ends
 * the worker, because an operator must examine the cause.
 */
export async function runPartitions(
  dependencies: StageDependencies,
  { partitions, restartPauseMs, signal }: Assigned,
): Promise<void> {
  const { stage, nowMs, logger } = dependencies
  const stop = new AbortController()
  const either = AbortSignal.any([signal, stop.signal])
  const shared = { snapshotTurn: { isTaken: false }, ...dependencies }
  const runOne = (partition: number) =>
    runAgain(() => runStage(shared, either, [partition]), {
      name: `partition ${partition} of stage ${stage.name}`,
      signal: either,
      nowMs,
      logger,
      pauseMsOf: restartPauseMs,
    })
  await runTogether(partitions.map(runOne), stop)
}
