/** The stage as a program: which partitions it runs, and what happens to a partition that fails. */
import { runStage } from '../../processors/main.ts'
import type { StageDependencies } from '../../processors/runtime/task.ts'
import type { OpenLog } from '../log/open-log.ts'
import type { ProgramContext } from '../program.ts'
import { runAgain } from '../run-again.ts'
import { runTogether } from '../run-together.ts'

/**
 * Runs the partitions that the log gives this worker. Each one is started again alone if its failure may pass, such as an
 * outage of the log. Any other failure (`determinism_broken`, `record_corrupt`) ends the worker, so that somebody looks.
 */
export async function runProcessProgram(
  { share, signal, logger }: ProgramContext,
  dependencies: StageDependencies,
  { sharePartitions, restartPauseMs }: Pick<OpenLog, 'sharePartitions' | 'restartPauseMs'>,
): Promise<void> {
  const { name, factTopic } = dependencies.stage
  const shared = { snapshotTurn: { isTaken: false }, ...dependencies }
  await sharePartitions({
    groupId: `stage-${name}`,
    topic: factTopic,
    share,
    signal,
    async work(partitions, assigned) {
      const stop = new AbortController()
      const either = AbortSignal.any([assigned, stop.signal])
      const runOne = (partition: number) =>
        runAgain(() => runStage(shared, either, [partition]), {
          name: `partition ${partition}`,
          signal: either,
          nowMs: dependencies.nowMs,
          logger,
          pauseMsOf: restartPauseMs,
        })
      await runTogether(partitions.map(runOne), stop)
    },
  })
}
