/**
 * A thread that works like ingest at the newest block of a chain. It appends a block every 250 ms, when the
 * block is due.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { openLog } from '../../../infra/log/open-log.ts'
import { chainADefinition } from '../../../ingest/chain-a/definition.ts'
import { createIngestCodecs } from '../../../ingest/codecs.ts'
import { createChainPublisher } from '../../../ingest/publish.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { createSyntheticMarket } from '../../proofs/soak/synthetic-market.ts'

export type PacedPublisherData = Readonly<{ dataDir: string; swapsPerSecond: number; pools: number }>

/**
 * The number of a tick, and the time when its facts were ready for the append. All threads use the same clock
 * for this.
 */
export type PublishedTick = Readonly<{ seq: number; atMs: number }>

const blockMs = 250

/** Returns the time with fractions of a millisecond. All threads of the process get the same time. */
export const preciseNowMs = (): number => performance.timeOrigin + performance.now()

export async function runPacedPublisher(): Promise<void> {
  const { dataDir, swapsPerSecond, pools } = workerData as PacedPublisherData
  const stopping = new AbortController()
  parentPort?.once('message', () => stopping.abort())
  const { log, registry, close } = await openLog({ dataDir, nowMs: Date.now })
  const codecs = await createIngestCodecs(chainAStage, registry)
  const publisher = await createChainPublisher({
    log,
    codecs,
    chain: chainADefinition,
    kind: 'simulated',
    nowMs: Date.now,
  })
  const startAtMs = Math.ceil(Date.now() / 1000) * 1000
  const market = createSyntheticMarket({
    seed: 1,
    startAtMs,
    blockMs,
    poolsPerDay: 20_000,
    swapsPerSecond,
    poolsAtStart: pools,
  })
  for (let seq = 1; !stopping.signal.aborted; seq++) {
    const range = market.next(1)
    const waitMs = range.head.atMs - Date.now()
    if (waitMs > 0) await sleep(waitMs)
    const atMs = preciseNowMs()
    await publisher.publish(range, { usd: 3000, atMs: range.head.atMs })
    parentPort?.postMessage({ seq, atMs } satisfies PublishedTick)
  }
  await publisher.close()
  await close()
  parentPort?.close()
}
