import assert from 'node:assert/strict'
import { cp, rm } from 'node:fs/promises'
import { createEmbeddedLog } from '../../infra/log/embedded-log.ts'
import type { Log } from '../../infra/log/log.ts'
import { readLast, recordsFrom } from '../../infra/log/read-back.ts'
import { createEmbeddedRegistry } from '../../infra/log/schema-table.ts'
import type { SchemaCodec } from '../../infra/schema-codec.ts'
import { createLogger } from '../../infra/telemetry.ts'
import { createIngestCodecs } from '../../ingest/codecs.ts'
import { createChainPublisher } from '../../ingest/publish.ts'
import { createSimulator } from '../../ingest/simulator/simulator.ts'
import { runStage } from '../../processors/main.ts'
import { chainATopology } from '../../processors/topology.ts'
import type { ChainARecord } from '../../schemas/chain-a/facts.ts'
import { rulesVersion } from '../../schemas/chain-a/rules.ts'
import { chainAPartitionCount } from '../../schemas/topics.ts'

type StageBench = Readonly<{ dataDir: string; hours: number; rounds: number }>

const hourMs = 3_600_000
const partitions = Array.from({ length: chainAPartitionCount }, (_, partition) => partition)

/** Prints facts/s of a byte scan, of a whole decode, and of the stage from the log to committed outputs. */
export async function measureStage({ dataDir, hours, rounds }: StageBench): Promise<void> {
  const facts = await writeFacts(dataDir, hours)
  console.log(
    `${facts.toLocaleString('en')} facts, ${hours} h of a simulated market, ${chainAPartitionCount} partitions, one thread`,
  )
  const rates = { scan: [] as number[], decode: [] as number[], stage: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    rates.scan.push(await rateOf(dataDir, facts, scanBytes))
    rates.decode.push(await rateOf(dataDir, facts, decodeAll))
    rates.stage.push(await rateOfStage(dataDir, facts))
  }
  const [scan, decode, stage] = [median(rates.scan), median(rates.decode), median(rates.stage)]
  console.log(`raw byte scan       ${perSecond(scan)}`)
  console.log(`whole-record decode ${perSecond(decode)}`)
  console.log(
    `stage, committed    ${perSecond(stage)}   ${(stage / decode).toFixed(2)} x decode, ${(stage / scan).toFixed(3)} x scan`,
  )
}

async function writeFacts(dataDir: string, hours: number): Promise<number> {
  const { log, codecs } = await open(dataDir)
  const toMs = Math.floor(Date.UTC(2026, 8, 1) / 1000) * 1000
  const simulator = createSimulator({
    seed: 1,
    launchesPerDay: 5000,
    nowMs: () => toMs,
    span: { fromMs: toMs - hours * hourMs, toMs },
  })
  const publisher = await createChainPublisher({
    log,
    codecs,
    partitionCount: chainAPartitionCount,
    rulesVersion,
    kind: 'simulated',
    nowMs: () => toMs,
  })
  let facts = 0
  for await (const range of simulator.source.ranges(null, publisher.book, new AbortController().signal)) {
    facts += range.facts.length
    await publisher.publish(range, { usd: 3000, atMs: toMs })
  }
  await publisher.close()
  await log.close()
  return facts
}

type Measured = Readonly<{ log: Log; codecs: Awaited<ReturnType<typeof createIngestCodecs>>; nowMs: () => number }>

async function open(dataDir: string): Promise<Measured> {
  const log = await createEmbeddedLog({ dataDir, nowMs: Date.now })
  const registry = await createEmbeddedRegistry({ dataDir })
  return { log, codecs: await createIngestCodecs(registry), nowMs: Date.now }
}

/** On a copy: what a run derives must not be there for the next. */
async function rateOfStage(dataDir: string, facts: number): Promise<number> {
  const copy = `${dataDir}-copy`
  await cp(dataDir, copy, { recursive: true })
  const rate = await rateOf(copy, facts, runStageToEnd)
  await rm(copy, { recursive: true })
  return rate
}

async function rateOf(dataDir: string, facts: number, run: (measured: Measured) => Promise<void>): Promise<number> {
  const measured = await open(dataDir)
  const startedAtMs = performance.now()
  await run(measured)
  const rate = (facts / (performance.now() - startedAtMs)) * 1000
  await measured.log.close()
  return rate
}

async function* allFacts(log: Log) {
  for (const partition of partitions) {
    const { endOffset } = await log.bounds('chain-a-facts', partition)
    yield* recordsFrom(log, { topic: 'chain-a-facts', partition, offset: 0 }, { untilOffset: endOffset })
  }
}

let checksum = 0

async function scanBytes({ log }: Measured): Promise<void> {
  for await (const batch of allFacts(log))
    for (let index = 0; index < batch.bytes.length; index += 8) checksum = (checksum + (batch.bytes[index] ?? 0)) | 0
}

async function decodeAll({ log, codecs }: Measured): Promise<void> {
  const codec: SchemaCodec<ChainARecord> = codecs.facts
  for await (const batch of allFacts(log))
    for (let index = 0; index < batch.count; index++) {
      const value = batch.valueAt(index)
      if (value) checksum = (checksum + codec.decode(value).type.length) | 0
    }
}

async function runStageToEnd({ log, codecs, nowMs }: Measured): Promise<void> {
  const finished = new AbortController()
  const seqs = new Map<number, number>()
  const lastSeq = await lastTickSeq(log, codecs.facts)
  const onProgress = ({ partition, seq }: Readonly<{ partition: number; seq: number }>) => {
    seqs.set(partition, seq)
    if (partitions.every((each) => seqs.get(each) === lastSeq)) finished.abort()
  }
  await runStage(
    {
      log,
      factCodec: codecs.facts,
      derivedCodec: codecs.derived,
      processors: chainATopology,
      rulesVersion,
      nowMs,
      logger: createLogger('bench', 'warn'),
      onProgress,
    },
    finished.signal,
  )
}

async function lastTickSeq(log: Log, facts: SchemaCodec<ChainARecord>): Promise<number> {
  const found = await readLast(
    log,
    { topic: 'chain-a-facts', partition: 0 },
    (batch, index) => batch.keyAt(index) === 'tick',
  )
  const record = found && facts.decode(found.batch.valueAt(found.index) as Buffer)
  assert(record?.type === 'Tick', 'the facts end with a tick')
  return record.data.seq
}

const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN
const perSecond = (rate: number): string => `${Math.round(rate).toLocaleString('en').padStart(12)} facts/s`
