/** The disk space and the memory of each chain, from a log of simulated trades and the tables that are built from it. */
import { join } from 'node:path'
import { createDatabase } from '../../../infra/clickhouse/database.ts'
import { readSizes } from '../../../infra/log/embedded/sizes.ts'
import { openLog } from '../../../infra/log/open-log.ts'
import { createLogger } from '../../../infra/telemetry.ts'
import { projectHeld } from '../../../projections/main.ts'
import { type BenchMarket, type BenchMarketName, benchMarkets } from '../bench-markets.ts'
import { partitions, writeFacts } from '../fact-log.ts'
import { count } from '../rounds.ts'
import { measureStateMemory } from '../stage/pool-memory.ts'
import { type FactsPlace, lastTickSeq, onCopy, runStageAsLive, timed } from '../stage/stage-throughput.ts'
import { keptSpaceOf, type Places } from './kept-space.ts'

const hours = 2
/** The launches of the market, as multiples of those of the other parts. */
const scales = [0.1, 1, 4] as const
/** The newest three snapshots of a task, and one for the deepest reorg. */
const keptSnapshots = 4

/** Prints a row for each chain and size of the market, in the form of the table in `infra/docs/operations.md`. */
export async function measureSizing(dataDir: string): Promise<void> {
  console.log(`${hours} h of each market, with a tick for each block that has facts, as a day of such hours:`)
  console.log(
    '| chain | facts a day | ticks a day | bytes a fact: facts | derived | tables | GB a day | GB at last | MB of snapshots |',
  )
  for (const marketName of Object.keys(benchMarkets) as BenchMarketName[]) {
    for (const scale of scales) await printRow({ dataDir: join(dataDir, `${marketName}-${scale}`), marketName }, scale)
    await measureStateMemory(join(dataDir, `${marketName}-${scales.at(-1)}`), benchMarkets[marketName], '')
  }
}

async function printRow(place: FactsPlace, scale: number): Promise<void> {
  const market: BenchMarket = benchMarkets[place.marketName]
  const simulate: BenchMarket['simulate'] = (span) => market.simulate(span, scale)
  const facts = await writeFacts(place.dataDir, hours, { ...market, simulate, isLive: true })
  const snapshotMb = await megabytesOfSnapshots(place)
  const { ticks, bytes } = await bytesOfPlaces(place)
  const aDay = (value: number) => (value * 24) / hours
  const aFact = (value: number) => count(value / facts)
  const gigabytes = (value: number) => (aDay(value) / 1e9).toFixed(1)
  const cells = [
    ...[place.marketName, count(aDay(facts)), count(aDay(ticks))],
    ...[aFact(bytes.facts), aFact(bytes.derived), aFact(bytes.tables)],
    ...[gigabytes(bytes.facts + bytes.derived + bytes.tables), gigabytes(keptSpaceOf(bytes)), snapshotMb.toFixed(0)],
  ]
  console.log(`| ${cells.join(' | ')} |`)
}

/** Derives the records and builds the tables. Returns the bytes on the disk, and the number of ticks. */
async function bytesOfPlaces(place: FactsPlace): Promise<Readonly<{ ticks: number; bytes: Places<number> }>> {
  let ticks = 0
  await timed(place, async (open) => {
    ticks = await lastTickSeq(open)
    await runStageAsLive(open, Number.POSITIVE_INFINITY)
  })
  const sizes = await readSizes(place.dataDir)
  const bytesOf = (folder: string) => sizes.get(folder) ?? Number.NaN
  const { name: factTopic } = benchMarkets[place.marketName].runnable.stage.factTopic
  // The folder `main` also has the addresses of pools and curves, which are few.
  const bytes = { facts: bytesOf(factTopic), derived: bytesOf('main'), tables: await bytesOfTables(place.dataDir) }
  return { ticks, bytes }
}

async function bytesOfTables(dataDir: string): Promise<number> {
  const open = await openLog({ dataDir, nowMs: Date.now })
  const { signal } = new AbortController()
  await projectHeld({ ...open, database: { dataDir }, logger: createLogger('bench', 'warn'), signal })
  await open.close()
  const database = await createDatabase({ dataDir, role: 'reader' })
  const [row] = await database.query<{ bytes: string }>(
    'SELECT sum(bytes_on_disk) AS bytes FROM system.parts WHERE database = currentDatabase() AND active',
  )
  await database.close()
  return Number(row?.bytes)
}

/** Runs the stage over a copy of the facts. The size is the mean of the snapshots that it takes on the way. */
async function megabytesOfSnapshots(place: FactsPlace): Promise<number> {
  let megabytes = 0
  await onCopy(place, (copy) =>
    timed(copy, async (open) => {
      const { taken, bytes } = await runStageAsLive(open)
      megabytes = (bytes / taken / 1e6) * keptSnapshots * partitions.length
    }),
  )
  return megabytes
}
