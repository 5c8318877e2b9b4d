/**
 * One of the threads that share the partitions of the stage. It prepares, waits for a message, and ends after
 * the last tick.
 */
import { once } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'
import { partitionsOf } from '../../../processors/runtime/run-stage.ts'
import { benchMarkets } from '../bench-markets.ts'
import { openFacts } from '../fact-log.ts'
import { type FactsPlace, runStageToEnd } from './stage-throughput.ts'

export async function runShare(): Promise<void> {
  const { dataDir, marketName, share } = workerData as FactsPlace &
    Readonly<{ share: Readonly<{ index: number; count: number }> }>
  const market = benchMarkets[marketName]
  const open = await openFacts(dataDir, market)
  parentPort?.postMessage('ready')
  if (parentPort) await once(parentPort, 'message')
  await runStageToEnd(open, partitionsOf(market.runnable.stage, share))
  await open.log.close()
  parentPort?.postMessage('done')
  parentPort?.close()
}
