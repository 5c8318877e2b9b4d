/**
 * A thread of the soak: the stage or the projections, as `up` runs them, except for the clock and the retention.
 */
import { getHeapStatistics } from 'node:v8'
import { parentPort, workerData } from 'node:worker_threads'
import { createLogger } from '../../../infra/telemetry.ts'
import { runStage } from '../../../processors/runtime/run-stage.ts'
import { createStageCodecs } from '../../../processors/runtime/stage-codecs.ts'
import { chainA } from '../../../processors/stages.ts'
import { projections } from '../../../projections/projections.ts'
import { runSink } from '../../../projections/sink/run-sink.ts'
import { collectGarbage } from '../../support/collect-garbage.ts'
import { openSharedClock, type SharedClock } from './shared-clock.ts'
import { openSoakLog, type SoakLog } from './soak-log.ts'

export type SoakWorkerData = Readonly<{
  role: 'stage' | 'project'
  dataDir: string
  clock: SharedArrayBuffer
  snapshotEveryMs: number
  tableRetentionMs: number
}>

export type SoakWorkerMessage = 'stop' | 'collect-garbage'

export async function runSoakWorker(): Promise<void> {
  const data = workerData as SoakWorkerData
  const clock = openSharedClock(data.clock)
  const stopping = new AbortController()
  parentPort?.on('message', (message: SoakWorkerMessage) => {
    if (message === 'stop') stopping.abort()
    else answerCollected(clock, data.role)
  })
  const open = await openSoakLog(data.dataDir, () => clock.get('nowMs'))
  try {
    if (data.role === 'stage') await stage(data, { clock, open, signal: stopping.signal })
    else await project(data, { clock, open, signal: stopping.signal })
  } finally {
    await open.close()
  }
  parentPort?.close()
}

function answerCollected(clock: SharedClock, role: SoakWorkerData['role']): void {
  collectGarbage()
  tellMemory(clock, role)
  parentPort?.postMessage('collected')
}

function tellMemory(clock: SharedClock, role: SoakWorkerData['role']): void {
  const { used_heap_size: heap, external_memory: buffers } = getHeapStatistics()
  clock.set(`${role}Heap`, heap)
  clock.set(`${role}Buffers`, buffers)
}

type Parts = Readonly<{ clock: SharedClock; open: SoakLog; signal: AbortSignal }>

async function stage({ snapshotEveryMs }: SoakWorkerData, { clock, open, signal }: Parts): Promise<void> {
  const codecs = await createStageCodecs(chainA, open.registry)
  await runStage(
    {
      ...chainA,
      ...codecs,
      log: open.log,
      nowMs: () => clock.get('nowMs'),
      logger: createLogger('soak', 'warn'),
      snapshotEveryMs,
      onProgress: ({ partition, blockAtMs, tokens, timers }) => {
        clock.setPartition(partition, { stageAtMs: blockAtMs, tokens, timers })
        tellMemory(clock, 'stage')
      },
    },
    signal,
  )
}

async function project(data: SoakWorkerData, { clock, open, signal }: Parts): Promise<void> {
  await runSink({
    projections,
    log: open.log,
    registry: open.registry,
    database: { dataDir: data.dataDir },
    logger: createLogger('soak', 'warn'),
    signal,
    retentionMs: data.tableRetentionMs,
    onProgress: ({ blockAtMs }) => {
      clock.set('projectedAtMs', blockAtMs)
      tellMemory(clock, 'project')
    },
  })
}
