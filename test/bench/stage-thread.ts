/** One of the threads that share the stage: gets ready, waits to be told to go, and ends after the last tick. */
import { once } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'
import { partitionsOf } from '../../processors/runtime/run-stage.ts'
import { chainA } from '../../processors/stages.ts'
import { openFacts } from './fact-log.ts'
import { runStageToEnd } from './stage-throughput.ts'

export async function runShare(): Promise<void> {
  const { dataDir, share } = workerData as Readonly<{
    dataDir: string
    share: Readonly<{ index: number; count: number }>
  }>
  const open = await openFacts(dataDir)
  parentPort?.postMessage('ready')
  if (parentPort) await once(parentPort, 'message')
  await runStageToEnd(open, partitionsOf(chainA.stage, share))
  await open.log.close()
  parentPort?.postMessage('done')
  parentPort?.close()
}
