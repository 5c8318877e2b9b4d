/** One of the threads that share the stage: gets ready, waits to be told to go, and ends after the last tick. */
import { once } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'
import { partitionsOf } from '../../processors/runtime/run-stage.ts'
import type { StageTypes } from '../../schemas/stage.ts'
import { type BenchStageName, benchStages, openFacts } from './fact-log.ts'
import { runStageToEnd } from './stage-throughput.ts'

export async function runShare(): Promise<void> {
  const { dataDir, stageName, share } = workerData as Readonly<{
    dataDir: string
    stageName: BenchStageName
    share: Readonly<{ index: number; count: number }>
  }>
  const open = await openFacts<StageTypes>(dataDir, benchStages[stageName])
  parentPort?.postMessage('ready')
  if (parentPort) await once(parentPort, 'message')
  await runStageToEnd(open, partitionsOf(open.stage, share))
  await open.log.close()
  parentPort?.postMessage('done')
  parentPort?.close()
}
