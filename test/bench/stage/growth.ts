/** The cost of the chain A stage as the market grows: 1, 10 and 100 times the pools and the swaps. */
import { join } from 'node:path'
import { createDatabase } from '../../../infra/clickhouse/database.ts'
import { openLog } from '../../../infra/log/open-log.ts'
import { createLogger } from '../../../infra/telemetry.ts'
import { chainADefinition } from '../../../ingest/chain-a/definition.ts'
import { createIngestCodecs } from '../../../ingest/codecs.ts'
import { createChainPublisher } from '../../../ingest/publish.ts'
import { fromChunks, toChunks } from '../../../processors/runtime/snapshots/snapshot-bytes.ts'
import { type AnyWalk, createWalk } from '../../../processors/runtime/walk.ts'
import { projections } from '../../../projections/projections.ts'
import { projectToEnd } from '../../../projections/sink/run.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { createSyntheticMarket } from '../../proofs/soak/synthetic-market.ts'
import { answerCpuMs } from '../answers/new-cuts.ts'
import { benchMarkets } from '../bench-markets.ts'
import { openFacts, partitions } from '../fact-log.ts'
import { count, median, spent } from '../rounds.ts'
import { memoryBytes, walkPartition } from './pool-memory.ts'
import { onCopy, runStageToEnd, timed } from './stage-throughput.ts'

const scales = [1, 10, 100] as const
const smallest = { pools: 200, swapsPerSecond: 2 } as const
const lengthSeconds = 1_200
const blocksPerTick = 60
const rounds = 5

type Cost = Readonly<{
  facts: number
  cpuUs: number
  megabytes: number
  snapshotMegabytes: number
  snapshotMs: number
  restoreMs: number
  /** The CPU time of an answer of each of `answered`. */
  answerMs: readonly number[]
}>

/** Routes of chain A whose answers are measured: one about a pool, and two lists. */
const answered = ['/v1/rh/pools/:id/flow', '/v1/rh/bursts/live', '/v1/rh/pools/new'] as const

/** Prints a line per size of the market. The facts per pool are the same in all markets. */
export async function measureGrowth(dataDir: string): Promise<void> {
  console.log(
    '  pools, swaps/s      facts   CPU us a fact   state MB   snapshot MB, CPU ms   restored in CPU ms   CPU ms of a flow, live bursts, new pools',
  )
  const costs: Cost[] = []
  for (const scale of scales) {
    const market = { pools: smallest.pools * scale, swapsPerSecond: smallest.swapsPerSecond * scale }
    const cost = await measure(join(dataDir, String(scale)), market)
    costs.push(cost)
    const { facts, cpuUs, megabytes, snapshotMegabytes, snapshotMs, restoreMs, answerMs } = cost
    console.log(
      `  ${`${count(market.pools)}, ${market.swapsPerSecond}`.padEnd(14)}${count(facts).padStart(11)}${cpuUs.toFixed(1).padStart(16)}${megabytes.toFixed(1).padStart(11)}${`${snapshotMegabytes.toFixed(2)}, ${snapshotMs.toFixed(0)}`.padStart(22)}${restoreMs.toFixed(0).padStart(21)}   ${answerMs.map((ms) => ms.toFixed(1)).join(', ')}`,
    )
  }
  const [first, last] = [costs[1], costs.at(-1)]
  if (first && last)
    console.log(
      `  a fact in the largest market costs ${(last.cpuUs / first.cpuUs).toFixed(2)} x one in the market a tenth of its size, a pool takes ${(last.megabytes / first.megabytes / 10).toFixed(2)} x the memory`,
    )
}

type Market = Readonly<{ pools: number; swapsPerSecond: number }>

async function measure(dataDir: string, market: Market): Promise<Cost> {
  const facts = await publish(dataDir, market)
  const place = { dataDir, marketName: 'chain-a' } as const
  const runs: number[] = []
  for (let round = 0; round < rounds; round++)
    runs.push((await onCopy(place, (copy) => timed(copy, (open) => runStageToEnd(open)))).cpuMs)
  return {
    facts,
    cpuUs: (median(runs) * 1000) / facts,
    ...(await measureState(dataDir)),
    answerMs: await measureAnswers(dataDir),
  }
}

async function measureState(dataDir: string): Promise<Omit<Cost, 'facts' | 'cpuUs' | 'answerMs'>> {
  const open = await openFacts(dataDir, benchMarkets['chain-a'])
  const emptyBytes = await memoryBytes()
  const walks: AnyWalk[] = []
  for (const partition of partitions) walks.push((await walkPartition(open, partition, { isAnswered: false })).walk)
  const megabytes = ((await memoryBytes()) - emptyBytes) / 1e6
  const snapshots: (readonly Buffer[])[] = []
  const taken = await spent(async () => {
    for (const walk of walks) {
      const snapshot = walk.snapshot()
      if (snapshot !== null) snapshots.push(await toChunks(snapshot))
    }
  })
  const restored = await spent(async () => {
    for (const chunks of snapshots) createWalk(open.market.runnable).restore(fromChunks(chunks))
  })
  await open.close()
  const bytes = snapshots.flat().reduce((sum, { length }) => sum + length, 0)
  return { megabytes, snapshotMegabytes: bytes / 1e6, snapshotMs: taken.cpuMs, restoreMs: restored.cpuMs }
}

/** Derives and projects all facts, and measures answers over the tables. */
async function measureAnswers(dataDir: string): Promise<readonly number[]> {
  const open = await openFacts(dataDir, benchMarkets['chain-a'])
  await runStageToEnd(open)
  await open.close()
  const { log, registry, close } = await openLog({ dataDir, nowMs: Date.now })
  const database = await createDatabase({ dataDir, role: 'writer' })
  try {
    const { signal } = new AbortController()
    await projectToEnd({ projections, log, registry, database, logger: createLogger('bench', 'warn'), signal })
    return await answerCpuMs(database, answered)
  } finally {
    await database.close()
    await close()
  }
}

/** Writes the facts of a market whose pools are created in the first half of the time. Returns their number. */
async function publish(dataDir: string, { pools, swapsPerSecond }: Market): Promise<number> {
  const { log, registry, close } = await openLog({ dataDir, nowMs: Date.now })
  const startAtMs = Date.UTC(2026, 8, 1)
  const simulated = createSyntheticMarket({
    ...{ seed: 1, startAtMs, blockMs: 1000, poolsPerDay: pools, swapsPerSecond },
    ...{ poolsAtStart: pools, startBlocks: lengthSeconds / 2 },
  })
  let atMs = startAtMs
  const publisher = await createChainPublisher({
    ...{ log, chain: chainADefinition, kind: 'simulated', nowMs: () => atMs },
    codecs: await createIngestCodecs(chainAStage, registry),
  })
  let facts = 0
  for (let block = 0; block < lengthSeconds; block += blocksPerTick) {
    const range = simulated.next(blocksPerTick)
    atMs = range.head.atMs
    facts += range.facts.length
    await publisher.publish(range, { usd: 3000, atMs })
  }
  await publisher.close()
  await close()
  return facts
}
