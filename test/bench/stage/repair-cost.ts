/**
 * Measures the cost of a restatement of chain B, which publishes the last part of the log again. A log with a
 * restatement every 10 s is compared with the same log without restatements.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { createEmbeddedRegistry } from '../../../infra/codec/registry/schema-table.ts'
import { createEmbeddedLog } from '../../../infra/log/embedded/embedded-log.ts'
import type { Log } from '../../../infra/log/log.ts'
import { createLogger } from '../../../infra/telemetry.ts'
import { createAddressMaps } from '../../../ingest/chain-b/address-maps.ts'
import { inChainOrder } from '../../../ingest/chain-b/repair/merge-repaired.ts'
import { createSimulator } from '../../../ingest/chain-b/simulated/simulator.ts'
import type { ChainB, ChainBIngestTypes, ChainBRange, KnownChainB } from '../../../ingest/chain-b/types.ts'
import { createIngestCodecs } from '../../../ingest/codecs.ts'
import { createChainPublisher } from '../../../ingest/publish.ts'
import { runTask } from '../../../processors/runtime/run-task.ts'
import { createStageCodecs } from '../../../processors/runtime/stage-codecs.ts'
import { chainB } from '../../../processors/stages.ts'
import { partitions } from '../fact-log.ts'
import { count, type Spent, spent } from '../rounds.ts'

/** About 20 facts per second at the end, twice as many as in the other parts. */
const launchesPerDay = 200_000
const minutes = 12
/** The restatements come in the last 5 minutes, when the state is already large. */
const restatedMinutes = 5
const everySec = 10
const depthSec = 60
const slotsPerSec = 2.5
const snapshotEveryTicks = 120

type Run = Readonly<{ ingest: Spent; stage: Spent; restatements: number; toldAgain: number; facts: number }>

/**
 * Prints the CPU time that ingest and the stage need for one restatement. Also prints the CPU time for the
 * same part of the log without a restatement.
 */
export async function measureRepairs(dataDir: string): Promise<void> {
  const without = await runOver(join(dataDir, 'without'), false)
  const restated = await runOver(join(dataDir, 'restated'), true)
  const { restatements, toldAgain, facts } = restated
  assert(restatements > 0, 'something is restated')
  const moreOf = (part: 'ingest' | 'stage') => (restated[part].cpuMs - without[part].cpuMs) / restatements
  const ofStretch = ((without.ingest.cpuMs + without.stage.cpuMs) * depthSec) / (minutes * 60)
  const each = moreOf('ingest') + moreOf('stage')
  console.log(
    `${count(facts)} facts of ${minutes} min in ${partitions.length} partitions; ${restatements} restatements, ${depthSec} s deep, of ${count(toldAgain / restatements)} facts each:`,
  )
  console.log(
    `  one restatement: ${each.toFixed(0)} ms of CPU (ingest ${moreOf('ingest').toFixed(0)}, stage ${moreOf('stage').toFixed(0)}, with its snapshots)`,
  )
  console.log(`  the same ${depthSec} s without one: ${ofStretch.toFixed(0)} ms; ${(each / ofStretch).toFixed(1)} x`)
  console.log(`  one every ${everySec} s: ${(each / (everySec * 10)).toFixed(1)} % of a core`)
}

async function runOver(dataDir: string, isRestated: boolean): Promise<Run> {
  const log = await createEmbeddedLog({ dataDir, nowMs: Date.now })
  const registry = await createEmbeddedRegistry({ dataDir })
  const toMs = Date.UTC(2026, 8, 1)
  const chain: ChainB = createSimulator({
    ...{ seed: 1, launchesPerDay, rangeSec: 1, nowMs: () => toMs, span: { fromMs: toMs - minutes * 60_000, toMs } },
  })
  const codecs = await createIngestCodecs(chain.stage, registry)
  const publisher = await createChainPublisher<ChainBIngestTypes>({
    log,
    codecs,
    chain,
    kind: 'simulated',
    nowMs: () => toMs,
  })
  const told = { restatements: 0, toldAgain: 0, facts: 0 }
  const ranges = await rangesOf(chain)
  const ingest = await spent(async () => {
    let dueAtMs = toMs - restatedMinutes * 60_000
    for (const range of ranges) {
      await publisher.publish(range, null)
      told.facts += range.facts.length
      if (!isRestated || range.head.atMs < dueAtMs) continue
      dueAtMs = range.head.atMs + everySec * 1000
      const again = await restated(publisher.known, range)
      await publisher.publish(again, null)
      told.restatements++
      told.toldAgain += again.facts.length
    }
  })
  const lastSeq = publisher.cursor()?.seq ?? 0
  await publisher.close()
  const codecsOfStage = await createStageCodecs(chainB, registry)
  const stage = await spent(async () => {
    for (const partition of partitions) await runThrough({ log, partition, lastSeq, ...codecsOfStage })
  })
  await log.close()
  return { ingest, stage, ...told }
}

/** The ranges are simulated in advance, so that the simulation is not measured. */
async function rangesOf({ source }: ChainB): Promise<readonly ChainBRange[]> {
  const nothing = { blocksFrom: async () => [], factIdsFrom: async () => new Map(), factsFrom: async () => [] }
  const ranges: ChainBRange[] = []
  const known = { book: createAddressMaps().known, ...nothing }
  for await (const range of source.ranges(null, known, new AbortController().signal)) ranges.push(range)
  return ranges
}

/** Publishes facts of the log again. A real restatement also adds a few facts, but these are left out. */
async function restated(known: Pick<KnownChainB, 'factsFrom'>, { head }: ChainBRange): Promise<ChainBRange> {
  const fromBlock = head.number - depthSec * slotsPerSec
  const facts = [...(await known.factsFrom(fromBlock, () => true))].sort(inChainOrder)
  return { revertedFrom: fromBlock, fromBlock, head, facts, newAddresses: [] }
}

type Task = Awaited<ReturnType<typeof createStageCodecs>> & Readonly<{ log: Log; partition: number; lastSeq: number }>

/**
 * Runs the stage. A snapshot is due after 120 ticks. Each tick covers 1 s, so this is the interval of live
 * operation.
 */
async function runThrough({ partition, lastSeq, ...open }: Task): Promise<void> {
  const stop = new AbortController()
  let looks = 0
  const dependencies = {
    ...{
      ...chainB,
      ...open,
      nowMs: () => looks++,
      snapshotEveryMs: snapshotEveryTicks,
      logger: createLogger('bench', 'warn'),
    },
    onProgress: ({ seq }: Readonly<{ seq: number }>) => {
      if (seq >= lastSeq) stop.abort()
    },
  }
  await runTask(dependencies, partition, stop.signal)
}
