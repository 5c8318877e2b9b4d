/** Writes the log of a service that has already run for some time. The log has snapshots of a given age. */
import assert from 'node:assert/strict'
import { createDatabase } from '../../../infra/clickhouse/database.ts'
import { type OpenLog, openLog } from '../../../infra/log/open-log.ts'
import { createLogger } from '../../../infra/telemetry.ts'
import { chainADefinition } from '../../../ingest/chain-a/definition.ts'
import { createIngestCodecs } from '../../../ingest/codecs.ts'
import { createChainPublisher } from '../../../ingest/publish.ts'
import { runStage } from '../../../processors/runtime/run-stage.ts'
import { createStageCodecs } from '../../../processors/runtime/stage-codecs.ts'
import { chainA } from '../../../processors/stages.ts'
import { projections } from '../../../projections/projections.ts'
import { projectToEnd } from '../../../projections/sink/run.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { createSyntheticMarket } from '../../proofs/soak/synthetic-market.ts'
import { partitions } from '../fact-log.ts'
import { countSnapshots } from '../stage/snapshot-pace.ts'

export type Past = Readonly<{
  dataDir: string
  /** The time of the last block. */
  endAtMs: number
  pools: number
  swapsPerSecond: number
  /** The number of blocks before the snapshot. There is one block per second. */
  before: number
  /** The number of blocks after the snapshot. There is one block per second. */
  behind: number
  /** The number of snapshots of each task. */
  snapshots: number
}>

const logger = createLogger('bench', 'error')
/**
 * The number of blocks per tick before the snapshot. After the snapshot, each block has a separate tick, as
 * in live operation.
 */
const backfilledAtOnce = 60

async function prepare(past: Past): Promise<void> {
  const { dataDir, endAtMs, before, behind, pools, swapsPerSecond } = past
  const open = await openLog({ dataDir, nowMs: Date.now })
  const startAtMs = endAtMs - (before + behind) * 1000
  const market = createSyntheticMarket({
    ...{ seed: 1, startAtMs, blockMs: 1000, poolsPerDay: pools, swapsPerSecond },
    // Pools that were all created in one block would all be checked at the same times.
    ...{ poolsAtStart: pools, startBlocks: before },
  })
  let atMs = startAtMs
  const publisher = await createChainPublisher({
    log: open.log,
    codecs: await createIngestCodecs(chainAStage, open.registry),
    chain: chainADefinition,
    kind: 'simulated',
    nowMs: () => atMs,
  })
  let facts = 0
  const publish = async (blocks: number, blocksPerTick = 1): Promise<number> => {
    for (let block = 0; block < blocks; block += blocksPerTick) {
      const range = market.next(Math.min(blocksPerTick, blocks - block))
      atMs = range.head.atMs
      facts += range.facts.length
      await publisher.publish(range, { usd: 3000, atMs })
    }
    return publisher.cursor()?.seq ?? 0
  }
  const { snapshots } = past
  await runStageUntil(open, {
    seq: await publish(before - snapshots, backfilledAtOnce),
    snapshotEveryMs: Number.MAX_SAFE_INTEGER,
  })
  for (let block = 0; block < snapshots; block++) {
    const taken = await runStageUntil(open, { seq: await publish(1), snapshotEveryMs: 0 })
    assert.equal(taken, partitions.length, 'each task has its snapshot')
  }
  await runStageUntil(open, { seq: await publish(behind), snapshotEveryMs: Number.MAX_SAFE_INTEGER })
  await publisher.close()
  const database = await createDatabase({ dataDir, role: 'writer' })
  const signal = new AbortController().signal
  await projectToEnd({ projections, ...open, database, logger, signal })
  await database.close()
  await open.close()
  console.log(`PREPARED ${facts}`)
}

/**
 * Runs the stage's tasks, one per partition, one after the other. So no task must wait for its turn to take a
 * snapshot. Returns the number of snapshots.
 */
async function runStageUntil(
  { log, registry }: OpenLog,
  { seq, snapshotEveryMs }: Readonly<{ seq: number; snapshotEveryMs: number }>,
): Promise<number> {
  const codecs = await createStageCodecs(chainA, registry)
  const counting = countSnapshots(log)
  for (const partition of partitions) {
    const finished = new AbortController()
    const onProgress = (progress: Readonly<{ seq: number }>) => {
      if (progress.seq >= seq) finished.abort()
    }
    const dependencies = {
      ...chainA,
      ...codecs,
      log: counting.log,
      nowMs: Date.now,
      logger,
      snapshotEveryMs,
      onProgress,
    }
    await runStage(dependencies, finished.signal, [partition])
  }
  return counting.count().taken
}

await prepare(JSON.parse(process.argv[2] ?? '{}') as Past)
