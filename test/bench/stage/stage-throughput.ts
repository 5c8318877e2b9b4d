import assert from 'node:assert/strict'
import { once } from 'node:events'
import { cp, rm } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import { readLast } from '../../../infra/log/read-back.ts'
import { createLogger } from '../../../infra/telemetry.ts'
import { runStage } from '../../../processors/runtime/run-stage.ts'
import { createSnapshotIndex } from '../../../processors/runtime/snapshots/snapshot-index.ts'
import type { StageDependencies } from '../../../processors/runtime/task.ts'
import { isTick } from '../../../schemas/stage.ts'
import { type BenchMarketName, benchMarkets } from '../bench-markets.ts'
import { factsOf, type OpenFacts, openFacts, partitions } from '../fact-log.ts'
import { compete, count, type Measured, type Spent, spent } from '../rounds.ts'
import { walkPartition } from './pool-memory.ts'
import { paceByMarket, type SnapshotCount } from './snapshot-pace.ts'
import type { Share } from './stage-thread.ts'

type StageBench = Readonly<{ dataDir: string; facts: number; rounds: number; marketName: BenchMarketName }>

/**
 * Prints the facts per second of a byte scan, of a decode of every record by avsc, and of the stage. The
 * stage reads the log and commits its outputs. It is measured in a backfill, which is too short for a
 * snapshot, and with as many snapshots per fact as in live operation. The stage is also measured without the
 * processors for calls and desk, and without commits.
 */
export async function measureStage({ dataDir, facts, rounds, marketName }: StageBench): Promise<void> {
  const place = { dataDir, marketName }
  const inThreads = startThreads()
  const snapshots: SnapshotCount[] = []
  const runLive = async (open: OpenFacts) => void snapshots.push(await runStageAsLive(open))
  const runWithout = async (open: OpenFacts) => void (await runStageAsLive(open, Number.POSITIVE_INFINITY))
  const [scan, decode, backfill, threads, bare, walk, bareWalk, live, ticks] = await compete(
    [
      { name: 'raw byte scan', run: () => timed(place, scanBytes) },
      { name: 'whole-record decode', run: () => timed(place, decodeAll) },
      { name: 'stage, backfill', run: () => onCopy(place, (copy) => timed(copy, backfillAll)) },
      { name: `backfill, ${threadCount} threads`, run: () => onCopy(place, inThreads.run) },
      {
        name: 'without calls, desk',
        run: () => onCopy(place, (copy) => timed(copy, (open) => backfillAll(bareOf(open)))),
      },
      { name: 'walk alone', run: () => timed(place, walkAll) },
      { name: 'walk without them', run: () => timed(place, (open) => walkAll(bareOf(open))) },
      { name: 'stage, as live', run: () => onCopy(place, (copy) => timed(copy, runLive)) },
      { name: 'as live, no snapshots', run: () => onCopy(place, (copy) => timed(copy, runWithout)) },
    ],
    { rounds, units: facts },
  )
  await inThreads.stop()
  assert(scan && decode && backfill && threads && bare && walk && bareWalk && live && ticks)
  const ofDecode = ({ perSecond }: Measured) => (perSecond / decode.perSecond).toFixed(2)
  const byCpu = (decode.cpuSecondsPerMillion / live.cpuSecondsPerMillion).toFixed(2)
  console.log(
    `  as live: ${ofDecode(live)} x decode, ${byCpu} x by CPU; a backfill without snapshots ${ofDecode(backfill)} x (aim 1.0), in ${threadCount} threads ${ofDecode(threads)} x, ${(threads.perSecond / backfill.perSecond).toFixed(2)} x one thread (aim 1.7); ${(backfill.perSecond / scan.perSecond).toFixed(3)} x scan`,
  )
  const moreCpu = (whole: Measured, without: Measured) =>
    ((whole.cpuSecondsPerMillion / without.cpuSecondsPerMillion - 1) * 100).toFixed(0)
  console.log(
    `  calls and desk: ${moreCpu(backfill, bare)} % more CPU in the backfill, ${moreCpu(walk, bareWalk)} % in its walk alone (aim < 20)`,
  )
  const share = (measured: Measured) => (backfill.cpuSecondsPerMillion / measured.cpuSecondsPerMillion).toFixed(2)
  console.log(
    `  of the backfill by CPU: as live ${share(live)} x (aim 0.8), as live without snapshots ${share(ticks)} x: the rest is reading and committing tick by tick`,
  )
  printSnapshots(snapshots.at(-1), ((live.cpuSecondsPerMillion - ticks.cpuSecondsPerMillion) * facts) / 1000)
}

/** `cpuMs` is the CPU time of all snapshots: that of the run with snapshots minus that of the run without. */
function printSnapshots(snapshots: SnapshotCount | undefined, cpuMs: number): void {
  assert(snapshots && snapshots.taken > 0, 'a stage that runs as live takes snapshots')
  const { taken, bytes } = snapshots
  const each = cpuMs / taken
  const ofCore = (each * partitions.length) / snapshotEveryMsDefault
  console.log(
    `  as live it took ${count(taken)} snapshots, ${(bytes / taken / 1e6).toFixed(2)} MB and ${each.toFixed(1)} ms of CPU each: ${(ofCore * 100).toFixed(2)} % of a core in a service at this market's size`,
  )
}

const snapshotEveryMsDefault = 120_000

/** The folder of the facts, and the name of the simulated market that they come from. */
export type FactsPlace = Readonly<{ dataDir: string; marketName: BenchMarketName }>

export async function timed(
  { dataDir, marketName }: FactsPlace,
  run: (open: OpenFacts) => Promise<void>,
): Promise<Spent> {
  const open = await openFacts(dataDir, benchMarkets[marketName])
  const result = await spent(() => run(open))
  // Closes the log and the registry, because another process may open them next.
  await open.close()
  return result
}

/** Runs on a copy of the facts, so that the derived records of one run are not there in the next run. */
export async function onCopy(place: FactsPlace, run: (copy: FactsPlace) => Promise<Spent>): Promise<Spent> {
  const copy = { ...place, dataDir: `${place.dataDir}-copy` }
  await cp(place.dataDir, copy.dataDir, { recursive: true })
  const result = await run(copy)
  await rm(copy.dataDir, { recursive: true })
  return result
}

/** The checksum keeps the reads from being optimized away. */
let checksum = 0

export async function scanBytes(open: OpenFacts): Promise<void> {
  for (const partition of partitions)
    for await (const { bytes } of factsOf(open, partition))
      for (let at = 0; at < bytes.length; at += 8) checksum = (checksum + (bytes[at] ?? 0)) | 0
}

export async function decodeAll(open: OpenFacts): Promise<void> {
  const { factCodec } = open
  for (const partition of partitions)
    for await (const batch of factsOf(open, partition))
      for (let index = 0; index < batch.count; index++) {
        const value = batch.valueAt(index)
        if (value) checksum = (checksum + factCodec.decode(value).type.length) | 0
      }
}

async function walkAll(open: OpenFacts): Promise<void> {
  for (const partition of partitions) await walkPartition(open, partition, { isAnswered: false })
}

/** The stage without the processors that join posts with prices. */
function bareOf(open: OpenFacts): OpenFacts {
  const { market } = open
  const processors = market.runnable.processors.filter(({ name }) => !['calls', 'grades', 'desk'].includes(name))
  return { ...open, market: { ...market, runnable: { ...market.runnable, processors } } }
}

/** The default number of threads in the service. */
const threadCount = 2

/** The threads of all rounds. Their start is not measured, like that of the single thread. */
function startThreads() {
  const workers = Array.from({ length: threadCount }, (_, index) => {
    const share: Share = { index, count: threadCount }
    return new Worker(new URL('./stage-thread.js', import.meta.url), { workerData: share })
  })
  const tellAll = async (message: FactsPlace | 'go'): Promise<void> => {
    const answers = workers.map((worker) => once(worker, 'message'))
    for (const worker of workers) worker.postMessage(message)
    await Promise.all(answers)
  }
  return {
    async run(place: FactsPlace): Promise<Spent> {
      await tellAll(place)
      return spent(() => tellAll('go'))
    },
    stop: () => Promise.all(workers.map((worker) => worker.terminate())),
  }
}

const backfillAll = (open: OpenFacts): Promise<void> => runStageToEnd(open)

/** Runs without a snapshot, because the run ends before a snapshot is due. */
export async function runStageToEnd(open: OpenFacts, run: readonly number[] = partitions): Promise<void> {
  const ending = await createEnding(open, run)
  await runStage(dependenciesOf(open, ending.onProgress), ending.signal, run)
}

/** The tasks share the index of the snapshots, like the tasks of a thread of the service. */
export async function runStageAsLive(
  open: OpenFacts,
  snapshotEveryMs = snapshotEveryMsDefault,
): Promise<SnapshotCount> {
  const ending = await createEnding(open, partitions)
  const snapshotIndex = createSnapshotIndex(open.log)
  const unpaced = { ...dependenciesOf(open, ending.onProgress), snapshotEveryMs, snapshotIndex }
  const tasks = partitions.map((partition) => ({ partition, ...paceByMarket(unpaced) }))
  await Promise.all(tasks.map(({ partition, dependencies }) => runStage(dependencies, ending.signal, [partition])))
  const counts = tasks.map((task) => task.count())
  const sum = (key: keyof SnapshotCount) => counts.reduce((total, each) => total + each[key], 0)
  return { taken: sum('taken'), bytes: sum('bytes') }
}

type OnProgress = NonNullable<StageDependencies['onProgress']>

const dependenciesOf = (open: OpenFacts, onProgress: OnProgress): StageDependencies => ({
  ...open.market.runnable,
  ...open,
  nowMs: Date.now,
  logger: createLogger('bench', 'warn'),
  onProgress,
})

/** Aborts when each of the partitions has committed the last tick. */
async function createEnding(
  open: OpenFacts,
  run: readonly number[],
): Promise<Readonly<{ signal: AbortSignal; onProgress: OnProgress }>> {
  const finished = new AbortController()
  const seqs = new Map<number, number>()
  const lastSeq = await lastTickSeq(open)
  return {
    signal: finished.signal,
    onProgress({ partition, seq }) {
      seqs.set(partition, seq)
      if (run.every((each) => seqs.get(each) === lastSeq)) finished.abort()
    },
  }
}

export async function lastTickSeq({ log, factCodec, market }: OpenFacts): Promise<number> {
  const found = await readLast(
    log,
    { topic: market.runnable.stage.factTopic.name, partition: 0 },
    (batch, index) => batch.keyAt(index) === 'tick',
  )
  const record = found && factCodec.decode(found.batch.valueAt(found.index) as Buffer)
  assert(record && isTick(record), 'the facts end with a tick')
  return record.data.seq
}
