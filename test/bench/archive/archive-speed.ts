import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { dayAt } from '../../../infra/archive/days.ts'
import { exportDay } from '../../../infra/archive/export-day.ts'
import { importArchive } from '../../../infra/archive/import-archive.ts'
import type { Manifest } from '../../../infra/archive/manifest.ts'
import { filesIn } from '../../../infra/backup/files.ts'
import { openEmbeddedReader } from '../../../infra/log/embedded/open-embedded-log.ts'
import { openLog } from '../../../infra/log/open-log.ts'
import { archivedStages } from '../../../infra/replay/replayed-topics.ts'
import { topics } from '../../../schemas/topics.ts'
import { dayMs } from '../../../schemas/units.ts'
import { type BenchMarketName, benchMarkets } from '../bench-markets.ts'
import { openFacts, writeFacts } from '../fact-log.ts'
import { count } from '../rounds.ts'
import { runStageToEnd } from '../stage/stage-throughput.ts'
import { compareBursts } from './burst-speed.ts'

const hourMs = 3_600_000
/** The simulated market ends at this time. */
const day = dayAt(Date.UTC(2026, 8, 1) - dayMs)
const signal = new AbortController().signal

/**
 * Prints the records per second of an export and of an import, the bytes of a record in the files and in the log, the
 * disk space of a day, and the rule of bursts in DuckDB beside a replay. The market is at most a day, with the derived records of its stage.
 */
export async function measureArchive(dataDir: string, hours: number): Promise<void> {
  for (const name of Object.keys(benchMarkets) as readonly BenchMarketName[]) {
    const place = join(dataDir, name)
    await mkdir(place, { recursive: true })
    await measureMarket(name, place, Math.min(24, hours))
  }
}

async function measureMarket(name: BenchMarketName, root: string, hours: number): Promise<void> {
  const [dataDir, folder] = [join(root, 'data'), join(root, 'archive')]
  const market = benchMarkets[name]
  const factCount = await writeFacts(dataDir, hours, { ...market, isLive: true })
  const facts = await openFacts(dataDir, market)
  const derived = await timeOf(() => runStageToEnd(facts))
  await facts.close()
  const open = await openEmbeddedReader(dataDir, topics)
  const stages = archivedStages({ CHAIN_A_REORG_BLOCKS_MAX: 1200 })
  const exporting = { ...{ open, stages, folder, day, signal }, form: 'archive', nowMs: Date.now } as const
  const exported = await timeOf(() => exportDay(exporting))
  const imported = await timeOf(() => importTo(join(root, 'imported'), folder))
  const made = sumsOf(exported.result)
  const perSecond = (ms: number) => count(Math.round((made.rows * 1000) / ms))
  const logBytes = await bytesIn(join(dataDir, 'log'))
  console.log(
    `  ${name}, ${hours} h of a simulated market: ${count(made.rows)} records in ${exported.result.files.length} files`,
  )
  console.log(
    `    export ${perSecond(exported.ms)} records/s, import with its check ${perSecond(imported.ms)} records/s`,
  )
  console.log(
    `    bytes per record: ${(made.bytes / made.rows).toFixed(0)} in files, ${(made.logBytes / made.rows).toFixed(0)} as key and value, ${(logBytes / made.rows).toFixed(0)} on the disk of the log`,
  )
  const gigabytes = (bytes: number) => `${((bytes * hourMs * 24) / hours / hourMs / 1e9).toFixed(2)} GB`
  console.log(`    disk for a day: ${gigabytes(made.bytes)} of files, ${gigabytes(logBytes)} of the log`)
  console.log(`    the stage with all rules: ${(derived.ms / 1000).toFixed(1)} s for ${count(factCount)} facts`)
  // The range leaves out 5 min at both ends, so that the log has ticks from its first to its last block.
  const range = { from: day.to - hours * hourMs + 300_000, to: day.to - 300_000 }
  await compareBursts({ name, folder, log: open, range })
  await open.close()
}

async function importTo(dataDir: string, folder: string): Promise<void> {
  let publishedAtMs = 0
  const open = await openLog({ dataDir, nowMs: () => publishedAtMs })
  const atPublished = (atMs: number) => {
    publishedAtMs = atMs
  }
  await importArchive({ folder, target: { ...open, atPublished }, signal })
  await open.close()
}

async function timeOf<Result>(run: () => Promise<Result>): Promise<Readonly<{ ms: number; result: Result }>> {
  const startedAtMs = performance.now()
  const result = await run()
  return { ms: performance.now() - startedAtMs, result }
}

const sumsOf = ({ files }: Manifest) => ({
  rows: files.reduce((sum, { rows }) => sum + rows, 0),
  bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
  logBytes: files.reduce((sum, { logBytes }) => sum + logBytes, 0),
})

async function bytesIn(folder: string): Promise<number> {
  const sizes = await Promise.all(
    (await filesIn(folder)).map(async (path) => (await stat(join(folder, path))).blocks * 512),
  )
  return sizes.reduce((sum, bytes) => sum + bytes, 0)
}
