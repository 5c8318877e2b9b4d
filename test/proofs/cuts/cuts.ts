/**
 * `npm run cuts -- 500` buys answers for 500 cuts (times with what was known then) over HTTP, while the chain
 * has reorgs and the service is killed twice. Then it requests each answer again for its cut, from the
 * service, the tables, rebuilt tables and a replay server. For twelve cuts it also uses a log that ends at
 * the cut. The exit code is 1 if an answer differs by a byte, or if a change of the tables is not noticed.
 * With `--early`, the service sells incomplete cuts, and the proof must notice.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { rebuildTables } from '../../../projections/main.ts'
import { silentLogger } from '../../replay/stage-log.ts'
import { openRecordedLog, openTables } from '../same/now.ts'
import { placesIn, routeOf } from '../same/recording.ts'
import { waysToAsk } from './ask.ts'
import { changeTables, curveBurstControl, poolControl } from './controls.ts'
import { otherwiseFromEndedLogs } from './ended-log.ts'
import { otherwiseFromReplayServer } from './replay-server.ts'
import { sellLive } from './sell-live.ts'
import { type Sold, soldOtherwise } from './sold.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { early: { type: 'boolean', default: false }, kills: { type: 'string', default: '2' } },
})
const cutCount = Number(positionals[0] ?? 500)
const startedAtMs = performance.now()
const print = (text: string) =>
  void process.stdout.write(`${String(Math.round((performance.now() - startedAtMs) / 1000)).padStart(4)} s  ${text}\n`)

const folder = await mkdtemp(join(tmpdir(), 'launch-data-cuts-'))
const { dataDir } = placesIn(folder)
try {
  const sellsEarly = values.early
  const live: Sold[] = []
  const onOtherwise = (otherwise: readonly Sold[]) => void live.push(...otherwise)
  const sold = await sellLive({ folder, cutCount, killCount: Number(values.kills), sellsEarly, print, onOtherwise })
  describe(sold)
  const asked = await askAgain(sold, 'from the tables as they are')
  const early = sellsEarly ? 0 : (await askEnded(sold)) + (await askReplayServer(sold))
  await makeAnew()
  const again = await askAgain(sold, 'from tables made anew')
  const faults = sellsEarly ? [] : await changed(sold)
  for (const fault of faults) print(fault)
  const isRight = sellsEarly ? asked > 0 && again > 0 : live.length + asked + early + again + faults.length === 0
  if (sellsEarly) print(isRight ? 'cuts that were sold early are seen' : 'NOT SEEN: cuts that were sold early')
  else if (faults.length === 0) print('a version that is stamped late or missing is seen')
  process.exitCode = isRight ? 0 : 1
} finally {
  await rm(folder, { recursive: true })
}

function describe(sold: readonly Sold[]): void {
  const countOf = (values: readonly unknown[]) => new Set(values).size
  print(
    `${sold.length} answers at ${countOf(sold.map(({ cutAtMs }) => cutAtMs))} cuts, ` +
      `${countOf(sold.map(({ sha256 }) => sha256))} different, of ${countOf(sold.map(({ path }) => routeOf(path)))} routes`,
  )
}

async function askAgain(sold: readonly Sold[], where: string): Promise<number> {
  const tables = await openTables(dataDir)
  try {
    const counts: number[] = []
    for (const [way, ask] of Object.entries(waysToAsk(tables, dataDir))) {
      const otherwise = await ask((tell) => soldOtherwise(tell, sold))
      for (const { path, cutAtMs } of otherwise.slice(0, 5)) print(`differs: ${path} at ${cutAtMs}`)
      print(`${where}, asked ${way}: ${otherwise.length} of ${sold.length} differ`)
      counts.push(otherwise.length)
    }
    const withdrawnIn = async (table: string) => {
      const [row] = await tables.query<Readonly<{ count: string }>>(
        `SELECT count() AS count FROM ${table} WHERE withdrawn = 1`,
      )
      return row?.count
    }
    const [ofPools, ofCurves] = [await withdrawnIn('bursts'), await withdrawnIn('chain_b_bursts')]
    print(`${where}: ${ofPools} and ${ofCurves} bursts were withdrawn`)
    // The counts are the differences that each way found. With `--early`, both ways must find differences, so
    // the smaller count decides.
    return values.early ? Math.min(...counts) : Math.max(...counts)
  } finally {
    await tables.close()
  }
}

/** Checks the answers of only a few cuts, because each cut needs a projection of the log up to the cut. */
async function askEnded(sold: readonly Sold[]): Promise<number> {
  const { asked, otherwise } = await otherwiseFromEndedLogs(sold, { dataDir, count: Math.min(12, cutCount) })
  for (const { path, cutAtMs } of otherwise.slice(0, 5)) print(`differs: ${path} at ${cutAtMs}`)
  print(`from logs that end at the cut: ${otherwise.length} of ${asked} differ`)
  return otherwise.length
}

/** The clock of the replay server moves forward from cut to cut. */
async function askReplayServer(sold: readonly Sold[]): Promise<number> {
  const otherwise = await otherwiseFromReplayServer(sold, dataDir)
  for (const { path, cutAtMs } of otherwise.slice(0, 5)) print(`differs: ${path} at ${cutAtMs}`)
  print(`from a replay server that is stopped at each cut: ${otherwise.length} of ${sold.length} differ`)
  return otherwise.length
}

async function makeAnew(): Promise<void> {
  const open = await openRecordedLog(dataDir)
  try {
    const { signal } = new AbortController()
    await rebuildTables({ ...open, database: { dataDir }, logger: silentLogger, signal })
  } finally {
    await open.close()
  }
}

async function changed(sold: readonly Sold[]): Promise<readonly string[]> {
  const tables = await openTables(dataDir)
  try {
    const faults: string[] = []
    const ways = waysToAsk(tables, dataDir)
    for (const control of [poolControl, curveBurstControl])
      faults.push(...(await changeTables({ writer: tables, ways, control }, sold)))
    return faults
  } finally {
    await tables.close()
  }
}
