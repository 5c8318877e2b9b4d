/**
 * A thread that runs ingest without a node. It finds its position in the log. After that it publishes no new
 * blocks.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { workerData } from 'node:worker_threads'
import { openLog } from '../../../infra/log/open-log.ts'
import { chainADefinition } from '../../../ingest/chain-a/definition.ts'
import { createIngestCodecs } from '../../../ingest/codecs.ts'
import { createChainPublisher } from '../../../ingest/publish.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'

const tickEveryMs = 250

/** Runs until the process is stopped from outside. */
export async function runQuietIngest(): Promise<void> {
  const { dataDir } = workerData as Readonly<{ dataDir: string }>
  const { log, registry } = await openLog({ dataDir, nowMs: Date.now })
  const codecs = await createIngestCodecs(chainAStage, registry)
  const parts = { log, codecs, chain: chainADefinition, kind: 'simulated', nowMs: Date.now } as const
  const publisher = await createChainPublisher(parts)
  for (; ; await sleep(tickEveryMs)) await publisher.repeat(null)
}
