/**
 * One of the threads that share the partitions of the stage. For each run, it opens the facts, waits for a message,
 * and walks to the last tick. It stays for the next
 * run, so V8 compiles its code before the measurement, like that of the single thread.
 */
import { once } from 'node:events'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { partitionsOf } from '../../../processors/runtime/run-stage.ts'
import { benchMarkets } from '../bench-markets.ts'
import { openFacts } from '../fact-log.ts'
import { type FactsPlace, runStageToEnd } from './stage-throughput.ts'

export type Share = Readonly<{ index: number; count: number }>

export function runShares(): void {
  const port = parentPort as MessagePort
  port.on('message', (message: FactsPlace | 'go') => {
    if (message !== 'go') void runShare(port, message)
  })
}

async function runShare(port: MessagePort, { dataDir, marketName }: FactsPlace): Promise<void> {
  const market = benchMarkets[marketName]
  const open = await openFacts(dataDir, market)
  const go = once(port, 'message')
  port.postMessage('ready')
  await go
  await runStageToEnd(open, partitionsOf(market.runnable.stage, workerData as Share))
  await open.close()
  port.postMessage('done')
}
