/**
 * Runs a worker like `launch-data process`. In addition, this worker saves its state often. It can die at a
 * crash point, stop itself before an append, or run without one of its two protections.
 */

import assert from 'node:assert/strict'
import { readConfig } from '../../../../infra/config.ts'
import { armCrashPoint, type CrashPointName } from '../../../../infra/crash-points.ts'
import type { Log } from '../../../../infra/log/log.ts'
import { logSettings, openLog } from '../../../../infra/log/open-log.ts'
import { createLogger } from '../../../../infra/telemetry.ts'
import { runPartitions } from '../../../../processors/runtime/run-partitions.ts'
import { createStageCodecs } from '../../../../processors/runtime/stage-codecs.ts'
import { hiding, withoutFence } from '../../crash/sabotage.ts'
import { simulatedChains } from '../../crash/simulated-chains.ts'

export type WorkerJob = Readonly<{
  /** The name of its stage. */
  stage: string
  /** The crash point at which the worker dies. */
  crash?: Readonly<{ name: CrashPointName; hit: number }>
  /** The worker stops itself with SIGSTOP before the n-th append of the stage, counted from 1. */
  standsStillAt?: number
  /**
   * The protection that is switched off. `fence`: a replaced worker can still write. `suppression`: the
   * worker does not see which records are already derived.
   */
  without?: 'fence' | 'suppression'
}>

const snapshotEveryMs = 10

const { stage: stageName, crash, standsStillAt, without } = JSON.parse(process.argv[2] ?? '{}') as WorkerJob
const runnable = simulatedChains.map((chain) => chain.runnable).find(({ stage }) => stage.name === stageName)
assert.ok(runnable, `no stage is named ${stageName}`)
const { factTopic, derivedTopic } = runnable.stage
const stop = new AbortController()
process.once('SIGTERM', () => stop.abort())
if (crash) armCrashPoint(crash.name, crash.hit)
const config = readConfig(process.env)
const logger = createLogger('process', config.LOG_LEVEL ?? 'info')
const open = await openLog(logSettings(config, { nowMs: Date.now, logger }))
const codecs = await createStageCodecs(runnable, open.registry)
try {
  const dependencies = { ...runnable, ...codecs, log: sabotaged(open.log), nowMs: Date.now, logger, snapshotEveryMs }
  const { restartPauseMs } = open
  await open.sharePartitions({
    groupId: `stage-${stageName}`,
    topic: factTopic,
    share: { index: 0, count: 1 },
    signal: stop.signal,
    work: (partitions, signal) => runPartitions(dependencies, { partitions, restartPauseMs, signal }),
  })
} finally {
  await open.close()
}

function sabotaged(log: Log): Log {
  const fenced = without === 'fence' ? withoutFence(log) : log
  const seen = without === 'suppression' ? hiding(fenced, derivedTopic.name) : fenced
  return standsStillAt === undefined ? seen : standingStill(seen, standsStillAt)
}

/**
 * Stops the process like a machine that sleeps, at the worst moment. The append is already prepared, but it
 * is sent only after another worker has done the same work.
 */
function standingStill(log: Log, nth: number): Log {
  let count = 0
  return {
    ...log,
    openWriter: async (writerId, options) => {
      const writer = await log.openWriter(writerId, options)
      if (!writerId.startsWith('stage-')) return writer
      return {
        ...writer,
        append: (records) => {
          if (++count === nth) standStill()
          return writer.append(records)
        },
      }
    },
  }
}

function standStill(): void {
  process.stderr.write('stands still\n')
  process.kill(process.pid, 'SIGSTOP')
}
