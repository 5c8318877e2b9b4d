/**
 * `npm run soak -- [hours] [swaps per second] [pools per day]` runs the embedded log, the stage and the
 * projections over simulated days, as fast as possible. The simulated data move the clock, so snapshots,
 * compaction and retention run too. Every simulated half hour, it runs all queries of the API. Topics keep
 * facts for 6 hours but delete only whole days, and tables keep a day. Every two simulated hours it prints
 * the state. At the end it prints whether memory and disk are bounded.
 */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createDatabase } from '../../../infra/clickhouse/database.ts'
import { createLogger } from '../../../infra/telemetry.ts'
import { chainADefinition } from '../../../ingest/chain-a/definition.ts'
import { createOwnersLookup } from '../../../ingest/chain-a/lookups/owners.ts'
import { createSendersLookup } from '../../../ingest/chain-a/lookups/senders.ts'
import { createIngestCodecs } from '../../../ingest/codecs.ts'
import { runLookups } from '../../../ingest/lookups/lookups.ts'
import { type ChainPublisher, createChainPublisher } from '../../../ingest/publish.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { collectGarbage } from '../../support/collect-garbage.ts'
import { createAsker } from './asker.ts'
import { dropMergedPartsSoon } from './merged-parts.ts'
import { openSharedClock, type SharedClock, sharedClockBytes } from './shared-clock.ts'
import { openSoakLog } from './soak-log.ts'
import { createMeter, type Sample } from './soak-meter.ts'
import { type SoakThread, startSoakThread } from './soak-thread.ts'
import { printVerdict } from './soak-verdict.ts'
import { createSyntheticMarket, type SyntheticMarket } from './synthetic-market.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const startAtMs = Date.UTC(2026, 8, 1)
const blockMs = 1000
/** The number of blocks per tick. */
const blocksPerTick = 60
/** The maximum lag of the stage and the tables behind the simulated facts, in simulated time. */
const lagMsMax = 600_000
const askEveryMs = 1_800_000
/**
 * V8 keeps 32 MB of young generation for a thread that allocates much. V8 releases this memory after 5 s
 * without work and a collection.
 */
const restMs = 6000
/**
 * The length of the test in simulated hours. The service remembers a pool for 25.5 h, and its address for 6 h
 * more. The default length is more than a day longer than this, so memory that still grows then is a leak.
 * Only each curve may add 1 KB, because curves are remembered for a week.
 */
const hours = Number(process.argv[2] ?? 64)
const swapsPerSecond = Number(process.argv[3] ?? 200)
const poolsPerDay = Number(process.argv[4] ?? 20_000)

async function soak(dataDir: string): Promise<boolean> {
  const buffer = new SharedArrayBuffer(sharedClockBytes)
  const clock = openSharedClock(buffer)
  clock.set('nowMs', startAtMs)
  const nowMs = () => clock.get('nowMs')
  const open = await openSoakLog(dataDir, nowMs)
  const codecs = await createIngestCodecs(chainAStage, open.registry)
  const publisher = await createChainPublisher({
    log: open.log,
    codecs,
    chain: chainADefinition,
    kind: 'simulated',
    nowMs,
  })
  const shared = { dataDir, clock: buffer, snapshotEveryMs: 60_000, tableRetentionMs: dayMs }
  const stage = startSoakThread({ ...shared, role: 'stage' })
  const project = startSoakThread({ ...shared, role: 'project' })
  const curves = { curvesPerDay: poolsPerDay / 4, tradesPerSecond: swapsPerSecond / 20 }
  const market = createSyntheticMarket({ seed: 1, startAtMs, blockMs, poolsPerDay, swapsPerSecond, curves })
  const stopping = new AbortController()
  const lookup = runLookups({
    chain: {
      stage: chainAStage,
      lookups: [
        createSendersLookup(async (txHashes) => new Map(txHashes.map((txHash) => [txHash, market.senderOf(txHash)]))),
        createOwnersLookup(
          async ({ positionIds }) => new Map(positionIds.map((positionId) => [positionId, market.ownerOf(positionId)])),
        ),
      ],
    },
    log: open.log,
    codecs,
    nowMs,
    logger: createLogger('soak', 'warn'),
    signal: stopping.signal,
    delay: async (durationMs) => {
      await sleep(Math.min(durationMs, 20))
    },
  })
  try {
    const driven = drive({
      dataDir,
      clock,
      market,
      publisher,
      maintain: () => open.log.maintain(nowMs()),
      threads: [stage, project],
    })
    const samples = await Promise.race([driven, ...[stage, project, lookup].map(failure)])
    return printVerdict(samples)
  } finally {
    stopping.abort()
    stage.stop()
    project.stop()
    await Promise.allSettled([stage.done, project.done, lookup])
    await publisher.close()
    await open.close()
  }
}

type Driven = Readonly<{
  dataDir: string
  clock: SharedClock
  market: SyntheticMarket
  publisher: ChainPublisher
  maintain: () => Promise<void>
  threads: readonly SoakThread[]
}>

async function drive({ dataDir, clock, market, publisher, maintain, threads }: Driven): Promise<Sample[]> {
  await waitUntil(() => clock.get('nowMs') > 0)
  const samples: Sample[] = []
  const { database, meter, asker } = await openTables(dataDir, clock)
  let facts = 0
  for (let atMs = startAtMs; atMs < startAtMs + hours * hourMs; atMs += blocksPerTick * blockMs) {
    const range = market.next(blocksPerTick)
    clock.set('nowMs', range.head.atMs)
    await publisher.publish(range, { usd: 3000, atMs: range.head.atMs })
    facts += range.facts.length
    await waitUntil(() => slowest(clock) >= range.head.atMs - lagMsMax)
    const elapsedMs = range.head.atMs - startAtMs
    if (elapsedMs % askEveryMs !== 0) continue
    await waitUntil(() => slowest(clock) >= range.head.atMs)
    // The newest complete time in the tables can be that of the previous tick. So curves newer than that are
    // not queried.
    await asker.ask(market.youngestCurvesAt(range.head.atMs - 2 * blocksPerTick * blockMs, 3))
    // The tables exist now.
    if (elapsedMs === askEveryMs) await dropMergedPartsSoon(database)
    if (elapsedMs % hourMs === 0) await maintain()
    if (elapsedMs % (2 * hourMs) !== 0) continue
    const uncollectedBytes = process.memoryUsage.rss()
    await collectAll(threads)
    await sleep(restMs)
    await collectAll(threads)
    // V8 returns pages some time after a collection.
    await sleep(200)
    samples.push(await meter({ hour: elapsedMs / hourMs, facts, uncollectedBytes }))
  }
  asker.printSummary()
  await database.close()
  return samples
}

/** The threads collect one after the other, because `collectGarbage` sets flags of the process. */
async function collectAll(threads: readonly SoakThread[]): Promise<void> {
  for (const thread of threads) await thread.collectGarbage()
  collectGarbage()
}

/** The projection thread creates the tables, so this function waits for that thread. */
async function openTables(dataDir: string, clock: SharedClock) {
  const database = await createDatabase({ dataDir, role: 'reader' })
  const meter = createMeter({ dataDir, clock, database })
  return { database, meter, asker: createAsker(database) }
}

const slowest = (clock: SharedClock): number => Math.min(clock.get('projectedAtMs'), ...clock.column('stageAtMs'))

async function waitUntil(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(2)
  // Lets other work of this thread run.
  await sleep(0)
}

const failure = (part: SoakThread | Promise<void>): Promise<never> =>
  new Promise((_, reject) => {
    ;('done' in part ? part.done : part).catch(reject)
  })

const folder = await mkdtemp(join(tmpdir(), 'launch-data-soak-'))
try {
  const isSound = await soak(folder)
  process.exitCode = isSound ? 0 : 1
} finally {
  await rm(folder, { recursive: true, force: true })
}
