/** The facts for the benchmarks: an embedded log of simulated trades. */

import { createEmbeddedRegistry } from '../../infra/codec/registry/schema-table.ts'
import type { SchemaRegistry } from '../../infra/codec/schema-codec.ts'
import { createEmbeddedLog } from '../../infra/log/embedded/embedded-log.ts'
import type { Log } from '../../infra/log/log.ts'
import { recordsFrom } from '../../infra/log/read-back.ts'
import type { RecordBatch } from '../../infra/log/record-batch.ts'
import { createIngestCodecs } from '../../ingest/codecs.ts'
import { createChainPublisher } from '../../ingest/publish.ts'
import type { ChainTypes, FactRange } from '../../ingest/source.ts'
import { createStageCodecs, type StageCodecs } from '../../processors/runtime/stage-codecs.ts'
import type { Stage, StageTypes } from '../../schemas/stage.ts'
import { topics } from '../../schemas/topics.ts'
import { type BenchMarket, benchMarkets } from './bench-markets.ts'

/** An open log with facts. The codecs read swaps and trades without copying them, as in the service. */
export type OpenFacts = StageCodecs<StageTypes> & Readonly<{ log: Log; market: BenchMarket; close(): Promise<void> }>

const hourMs = 3_600_000
export const partitions = Array.from({ length: topics['chain-a-facts'].partitionCount }, (_, partition) => partition)

export async function openFacts(dataDir: string, market: BenchMarket): Promise<OpenFacts> {
  const log = await createEmbeddedLog({ dataDir, nowMs: Date.now })
  const registry = await createEmbeddedRegistry({ dataDir })
  const close = async () => {
    await log.close()
    await registry.close()
  }
  return { log, market, close, ...(await createStageCodecs(market.runnable, registry)) }
}

/** Writes some hours of simulated trades. The seed is always the same. Returns the number of facts. */
export async function writeFacts(
  dataDir: string,
  hours: number,
  { isLive = false, ...market }: BenchMarket & Readonly<{ isLive?: boolean }>,
): Promise<number> {
  const log = await createEmbeddedLog({ dataDir, nowMs: Date.now })
  const registry = await createEmbeddedRegistry({ dataDir })
  const facts = await publishMarket({ log, registry, hours, market, isLive })
  await log.close()
  await registry.close()
  return facts
}

/**
 * A range of facts. With `isLive`, each block is known to the service when it is mined. Otherwise all blocks
 * become known at the end, as in a backfill.
 */
type Range = FactRange<ChainTypes>

type Published = Readonly<{
  log: Log
  registry: SchemaRegistry
  hours: number
  market?: BenchMarket
  isLive?: boolean
}>

/** Publishes simulated trades to any log. By default the trades are those of chain A. */
export async function publishMarket({
  log,
  registry,
  hours,
  market = benchMarkets['chain-a'],
  isLive = false,
}: Published): Promise<number> {
  const toMs = Date.UTC(2026, 8, 1)
  const chain = market.simulate({ fromMs: toMs - hours * hourMs, toMs })
  const codecs = await createIngestCodecs(chain.stage, registry)
  let nowMs = toMs
  const publisher = await createChainPublisher({ log, codecs, chain, kind: 'simulated', nowMs: () => nowMs })
  let facts = 0
  for await (const range of chain.source.ranges(null, publisher.known, new AbortController().signal)) {
    facts += range.facts.length
    for (const known of isLive ? byBlock(range, chain.stage) : [range]) {
      if (isLive) nowMs = known.head.atMs
      await publisher.publish(known, { usd: market.coinUsd, atMs: nowMs })
    }
  }
  await publisher.close()
  return facts
}

/**
 * Divides a range as in live operation: one tick for each block with facts, and one tick for the last block.
 */
function byBlock(range: Range, stage: Stage): readonly Range[] {
  const parts: Range[] = []
  let fromBlock = range.fromBlock
  let facts: Range['facts'][number][] = []
  for (const [index, keyed] of range.facts.entries()) {
    facts.push(keyed)
    const head = stage.blockOf(keyed.fact)
    const next = range.facts[index + 1]
    if (next !== undefined && stage.blockNumberOf(next.fact) === head.number) continue
    parts.push({ ...range, fromBlock, head, facts, newAddresses: parts.length === 0 ? range.newAddresses : [] })
    fromBlock = head.number + 1
    facts = []
  }
  return fromBlock > range.head.number ? parts : [...parts, { ...range, fromBlock, facts, newAddresses: [] }]
}

/** Reads all facts of a partition in the same way as the stage. */
export async function* factsOf({ log, market }: OpenFacts, partition: number): AsyncGenerator<RecordBatch> {
  const topic = market.runnable.stage.factTopic.name
  const { endOffset } = await log.bounds(topic, partition)
  yield* recordsFrom(log, { topic, partition, offset: 0 }, { untilOffset: endOffset, bytesMax: 4 * 1024 * 1024 })
}
