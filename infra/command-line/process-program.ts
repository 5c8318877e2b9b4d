/** The stage as a program: which partitions it runs, and what happens to a partition that fails. */

import { partitionsOf, runStage } from '../../processors/main.ts'
import type { StageDependencies } from '../../processors/runtime/task.ts'
import { topics } from '../../schemas/topics.ts'
import { isOperationError } from '../errors.ts'
import type { OpenLog } from '../log/open-log.ts'
import type { ProgramContext } from '../program.ts'
import { pauseIfPassing, runAgain } from '../run-again.ts'
import { runTogether } from '../run-together.ts'

const groupId = 'stage-chain-a'

/**
 * On the embedded log this thread's share of the partitions, and the first failure ends it. On Kafka whatever the group
 * gives this worker, each partition on its own feet: one that is taken from it, or whose log is away, is taken up again
 * from its output while it is still this worker's. A failure that does not pass (`determinism_broken`, `record_corrupt`)
 * ends the worker, so that somebody looks.
 */
export async function runProcessProgram(
  { config, share, signal, logger }: ProgramContext,
  dependencies: StageDependencies,
  { sharePartitions }: Pick<OpenLog, 'sharePartitions'>,
): Promise<void> {
  if (sharePartitions === null) return runStage(dependencies, signal, partitionsOf(dependencies.stage, share))
  // So long does a worker that was held up take to hear that its partitions are another's.
  const fencedPauseMs = config.KAFKA_SESSION_MS / 3
  const pauseMsOf = (error: unknown, failureCount: number): number | null =>
    isOperationError(error, 'writer_fenced') ? fencedPauseMs : pauseIfPassing(error, failureCount)
  await sharePartitions({
    groupId,
    topic: topics['chain-a-facts'],
    signal,
    async work(partitions, assigned) {
      const stop = new AbortController()
      const either = AbortSignal.any([assigned, stop.signal])
      const runOne = (partition: number) =>
        runAgain(() => runStage(dependencies, either, [partition]), {
          name: `partition ${partition}`,
          signal: either,
          nowMs: dependencies.nowMs,
          logger,
          pauseMsOf,
        })
      await runTogether(partitions.map(runOne), stop)
    },
  })
}
