/** The facts that the measurements go over: an embedded log of a simulated market. */

import { createEmbeddedRegistry } from '../../infra/codec/registry/schema-table.ts'
import { createEmbeddedLog } from '../../infra/log/embedded/embedded-log.ts'
import type { Log } from '../../infra/log/log.ts'
import { recordsFrom } from '../../infra/log/read-back.ts'
import type { RecordBatch } from '../../infra/log/record-batch.ts'
import { chainADefinition } from '../../ingest/chain-a/definition.ts'
import { createSimulator } from '../../ingest/chain-a/simulated/simulator.ts'
import { createIngestCodecs } from '../../ingest/codecs.ts'
import { createChainPublisher } from '../../ingest/publish.ts'
import type { RunnableStage } from '../../processors/runtime/runnable-stage.ts'
import { createStageCodecs, type StageCodecs } from '../../processors/runtime/stage-codecs.ts'
import { chainA, chainB } from '../../processors/stages.ts'
import { chainAStage } from '../../schemas/chain-a/stage.ts'
import type { Stage, StageTypes } from '../../schemas/stage.ts'

/** The stages that are measured, by name. */
export const benchStages = { 'chain-a': chainA, 'chain-b': chainB } as const
export type BenchStageName = keyof typeof benchStages

/** A stage over its log. Frequent facts are read in place, as the service reads them. */
export type OpenFacts<Types extends StageTypes = StageTypes> = RunnableStage<Types> &
  StageCodecs<Types> &
  Readonly<{ log: Log }>

const hourMs = 3_600_000
const launchesPerDay = 5000
export async function openFacts<Types extends StageTypes>(
  dataDir: string,
  runnable: RunnableStage<Types>,
): Promise<OpenFacts<Types>> {
  const log = await createEmbeddedLog({ dataDir, nowMs: Date.now })
  const registry = await createEmbeddedRegistry({ dataDir })
  return { ...runnable, log, ...(await createStageCodecs(runnable, registry)) }
}

/** Writes the market's hours and returns how many facts they hold. The same seed each time. */
export async function writeFacts(dataDir: string, hours: number): Promise<number> {
  const log = await createEmbeddedLog({ dataDir, nowMs: Date.now })
  const codecs = await createIngestCodecs(chainAStage, await createEmbeddedRegistry({ dataDir }))
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
  await log.close()
  return facts
}

/** All of a partition's facts, read as the stage reads them. */
export async function* factsOf(
  { log, stage }: Readonly<{ log: Log; stage: Pick<Stage, 'factTopic'> }>,
  partition: number,
): AsyncGenerator<RecordBatch> {
  const topic = stage.factTopic.name
  const { endOffset } = await log.bounds(topic, partition)
  yield* recordsFrom(log, { topic, partition, offset: 0 }, { untilOffset: endOffset, bytesMax: 4 * 1024 * 1024 })
}
