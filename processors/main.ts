/** The processing program. It runs all stages for the partitions that this thread is responsible for. */
import type { OpenLog } from '../infra/log/open-log.ts'
import { noMetrics } from '../infra/metrics/metrics.ts'
import { behindText, type ProgramContext } from '../infra/program.ts'
import { runSideBySide } from '../infra/run-side-by-side.ts'
import type { StageTypes } from '../schemas/stage.ts'
import { measureStages } from './runtime/measure-stages.ts'
import { runPartitions } from './runtime/run-partitions.ts'
import type { RunnableStage } from './runtime/runnable-stage.ts'
import { createSnapshotIndex } from './runtime/snapshots/snapshot-index.ts'
import { createStageCodecs } from './runtime/stage-codecs.ts'
import type { TaskProgress } from './runtime/task.ts'
import { configuredStages } from './stages.ts'

const nowMs = () => Date.now()
/**
 * A task (one partition of a stage) has caught up if its last tick was recorded less than this long ago, in
 * ms.
 */
const caughtUpMs = 10_000

/** Runs until the signal aborts. A failed stage does not stop the others (see `runSideBySide`). */
export async function runProcessProgram(
  context: ProgramContext,
  open: OpenLog,
  runnables = configuredStages(context.config),
): Promise<void> {
  const stop = new AbortController()
  const signal = AbortSignal.any([context.signal, stop.signal])
  const shared = { snapshotTurn: { isTaken: false }, snapshotIndex: createSnapshotIndex(open.log) }
  const measures = measureStages(context.metrics ?? noMetrics, nowMs)
  const runOne = async (runnable: RunnableStage<StageTypes>) => {
    const { logger, share, report } = context
    const { name, factTopic } = runnable.stage
    const dependencies = {
      ...runnable,
      ...(await createStageCodecs(runnable, open.registry)),
      ...{ log: open.log, nowMs, logger, ...shared },
      onProgress(progress: TaskProgress) {
        measures.onProgress(name, progress)
        report({ program: 'process', stage: name, ...progressOf(progress) })
      },
    }
    const { restartPauseMs } = open
    await open.sharePartitions({
      groupId: `stage-${name}`,
      topic: factTopic,
      share,
      signal,
      work: (partitions, assigned) =>
        runPartitions(dependencies, { partitions, restartPauseMs, signal: assigned }).finally(() =>
          measures.forget(name, partitions),
        ),
    })
  }
  const parts = runnables.map((runnable) => ({
    name: `stage ${runnable.stage.name}`,
    run: () => runOne(runnable),
  }))
  await runSideBySide(parts, { signal, stop, logger: context.logger })
}

function progressOf({ knownAtMs, blockAtMs, isFolding, factsPerSecond, tokens }: TaskProgress) {
  const { state, behind } = behindText(blockAtMs, nowMs())
  const text = `${behind}, ${Math.round(factsPerSecond)} facts/s, ${tokens} tokens in memory`
  return { state: isFolding ? ('folding' as const) : state, hasCaughtUp: nowMs() - knownAtMs < caughtUpMs, text }
}
