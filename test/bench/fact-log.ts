/** The facts that the measurements go over: an embedded log of a simulated market. */

import { createEmbeddedRegistry } from '../../infra/codec/registry/schema-table.ts'
import type { SchemaRegistry } from '../../infra/codec/schema-codec.ts'
import { createEmbeddedLog } from '../../infra/log/embedded/embedded-log.ts'
import type { Log } from '../../infra/log/log.ts'
import { recordsFrom } from '../../infra/log/read-back.ts'
import type { RecordBatch } from '../../infra/log/record-batch.ts'
import { chainADefinition } from '../../ingest/chain-a/definition.ts'
import { createSimulator } from '../../ingest/chain-a/simulated/simulator.ts'
import { createIngestCodecs } from '../../ingest/codecs.ts'
import { createChainPublisher } from '../../ingest/publish.ts'
import { createStageCodecs, type StageCodecs } from '../../processors/runtime/stage-codecs.ts'
import { chainA } from '../../processors/stages.ts'
import type { ChainATypes } from '../../schemas/chain-a/stage.ts'
import { chainAStage } from '../../schemas/chain-a/stage.ts'
import { topics } from '../../schemas/topics.ts'

/** Swaps are read in place, as the service reads them. */
export type OpenFacts = StageCodecs<ChainATypes> & Readonly<{ log: Log }>

const hourMs = 3_600_000
const launchesPerDay = 5000
export const partitions = Array.from({ length: topics['chain-a-facts'].partitionCount }, (_, partition) => partition)

export async function openFacts(dataDir: string): Promise<OpenFacts> {
  const log = await createEmbeddedLog({ dataDir, nowMs: Date.now })
  const registry = await createEmbeddedRegistry({ dataDir })
  return { log, ...(await createStageCodecs(chainA, registry)) }
}

/** Writes the market's hours and returns how many facts they hold. The same seed each time. */
export async function writeFacts(dataDir: string, hours: number): Promise<number> {
  const log = await createEmbeddedLog({ dataDir, nowMs: Date.now })
  const facts = await publishMarket({ log, registry: await createEmbeddedRegistry({ dataDir }), hours })
  await log.close()
  return facts
}

/** On any log. */
export async function publishMarket({ log, registry, hours }: Published): Promise<number> {
  const codecs = await createIngestCodecs(chainAStage, registry)
  const toMs = Date.UTC(2026, 8, 1)
  const nowMs = () => toMs
  const span = { fromMs: toMs - hours * hourMs, toMs }
  const { source } = createSimulator({ seed: 1, launchesPerDay, nowMs, span })
  const parts = {
    log,
    codecs,
    chain: chainADefinition,
    kind: 'simulated',
    nowMs,
  } as const
  const publisher = await createChainPublisher(parts)
  let facts = 0
  for await (const range of source.ranges(null, publisher.known, new AbortController().signal)) {
    facts += range.facts.length
    await publisher.publish(range, { usd: 3000, atMs: toMs })
  }
  await publisher.close()
  return facts
}

type Published = Readonly<{ log: Log; registry: SchemaRegistry; hours: number }>

/** All of a partition's facts, read as the stage reads them. */
export async function* factsOf(log: Log, partition: number): AsyncGenerator<RecordBatch> {
  const { endOffset } = await log.bounds('chain-a-facts', partition)
  const from = { topic: 'chain-a-facts', partition, offset: 0 } as const
  yield* recordsFrom(log, from, { untilOffset: endOffset, bytesMax: 4 * 1024 * 1024 })
}
