import { openLog } from '../../infra/log/open-log.ts'
import { createLogger } from '../../infra/telemetry.ts'
import { chainADefinition } from '../../ingest/chain-a/definition.ts'
import { createIngestCodecs } from '../../ingest/codecs.ts'
import { createChainPublisher } from '../../ingest/publish.ts'
import { runStage } from '../../processors/runtime/run-stage.ts'
import type { RunnableStage } from '../../processors/runtime/runnable-stage.ts'
import { createStageCodecs } from '../../processors/runtime/stage-codecs.ts'
import { chainA } from '../../processors/stages.ts'
import type { ChainATypes } from '../../schemas/chain-a/stage.ts'
import { chainAStage } from '../../schemas/chain-a/stage.ts'
import { topics } from '../../schemas/topics.ts'
import { createSyntheticMarket } from '../proofs/soak/synthetic-market.ts'
import { median } from './rounds.ts'

const pools = 20_000
const swapsPerSecond = 200
const blockMs = 1000
/** Before the snapshot, and between it and the restart: as much as passes between two snapshots. */
const blocks = { before: 600, behind: 30 } as const
const rounds = 3

/** Prints how long the stage takes from its start until it is where it was, with 20,000 live pools, with a snapshot and without. */
export async function measureRestart(dataDir: string): Promise<void> {
  const market = createSyntheticMarket({
    seed: 1,
    startAtMs: Date.UTC(2026, 8, 1),
    blockMs,
    poolsPerDay: pools,
    swapsPerSecond,
    poolsAtStart: pools,
  })
  const before = await publish(dataDir, market, blocks.before)
  await runUntil(dataDir, before.seq)
  // A run that folds again takes its first snapshot where it begins to publish.
  const snapshotAt = await publish(dataDir, market, 1)
  await runUntil(dataDir, snapshotAt.seq, { takesSnapshot: true })
  const behind = await publish(dataDir, market, blocks.behind)
  await runUntil(dataDir, behind.seq)
  const times = { snapshot: [] as number[], facts: [] as number[] }
  for (let round = 0; round <= rounds; round++) {
    const snapshot = await runUntil(dataDir, behind.seq)
    const facts = await runUntil(dataDir, behind.seq, { stage: withoutSnapshots })
    if (round > 0) times.snapshot.push(snapshot)
    if (round > 0) times.facts.push(facts)
  }
  const [snapshot, facts] = [median(times.snapshot), median(times.facts)]
  const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`
  console.log(`restart of the stage with ${pools.toLocaleString('en')} live pools, medians of ${rounds} rounds:`)
  console.log(
    `  from a snapshot ${blocks.behind} s old    ${seconds(snapshot)} (aim < 3 s)   ${(snapshot / facts).toFixed(2)} x without`,
  )
  console.log(
    `  without, from the first fact  ${seconds(facts)}: ${(before.facts + behind.facts).toLocaleString('en')} facts of ${blocks.before + blocks.behind} s`,
  )
}

/** States of another version: no snapshot fits. */
const withoutSnapshots: RunnableStage<ChainATypes> = {
  ...chainA,
  processors: chainA.processors.map((processor) => ({ ...processor, stateVersion: -1 })),
}

async function publish(dataDir: string, market: ReturnType<typeof createSyntheticMarket>, blockCount: number) {
  const { log, registry, close } = await openLog({ dataDir, nowMs: Date.now })
  const publisher = await createChainPublisher({
    log,
    codecs: await createIngestCodecs(chainAStage, registry),
    chain: chainADefinition,
    kind: 'simulated',
    nowMs: Date.now,
  })
  let facts = 0
  for (let block = 0; block < blockCount; block++) {
    const range = market.next(1)
    facts += range.facts.length
    await publisher.publish(range, { usd: 3000, atMs: range.head.atMs })
  }
  const seq = publisher.cursor()?.seq ?? 0
  await publisher.close()
  await close()
  return { seq, facts }
}

type StageRun = Readonly<{ takesSnapshot?: boolean; stage?: RunnableStage<ChainATypes> }>

/** Milliseconds from before the log is opened until every partition stands at the tick. */
async function runUntil(dataDir: string, seq: number, run: StageRun = {}): Promise<number> {
  const startedAtMs = performance.now()
  const { log, registry, close } = await openLog({ dataDir, nowMs: Date.now })
  const stage = run.stage ?? chainA
  const codecs = await createStageCodecs(stage, registry)
  const finished = new AbortController()
  const standing = new Set<number>()
  let tookMs = 0
  await runStage(
    {
      ...stage,
      ...codecs,
      log,
      nowMs: Date.now,
      snapshotEveryMs: run.takesSnapshot ? 0 : Number.MAX_SAFE_INTEGER,
      logger: createLogger('bench', 'error'),
      onProgress: (progress) => {
        if (progress.seq < seq) return
        standing.add(progress.partition)
        if (standing.size < topics['chain-a-facts'].partitionCount || tookMs > 0) return
        tookMs = performance.now() - startedAtMs
        finished.abort()
      },
    },
    finished.signal,
  )
  await close()
  return tookMs
}
