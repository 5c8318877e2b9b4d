/** What a soak measures of its own process and folder, and what it makes of it at the end. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Database } from '../../infra/clickhouse/database.ts'
import type { SharedClock } from './shared-clock.ts'

export type Sample = Readonly<{ hour: number; rssMb: number; anonMb: number; logMb: number; tablesMb: number }>

type Measured = Readonly<{ dataDir: string; clock: SharedClock; database: Database }>

const megabyte = 1_048_576
const mega = (bytes: number): number => Math.round(bytes / megabyte)

/** Called with the simulated hour and the facts so far; prints a line. Collect garbage first where the process allows it. */
export function createMeter({ dataDir, clock, database }: Measured) {
  let before = { facts: 0, atMs: performance.now() }
  console.log(
    '   hour      facts  facts/s  rss MB  anon MB  heap MB main+stage+project  tokens  timers  log MB (main, days)  tables MB  parts',
  )
  return async (hour: number, facts: number): Promise<Sample> => {
    const rate = ((facts - before.facts) / (performance.now() - before.atMs)) * 1000
    const { rss, heapUsed } = process.memoryUsage()
    const heaps = [heapUsed, clock.get('stageHeap'), clock.get('projectHeap')].map(mega).join('+')
    const anonMb = await anonymousMb(rss)
    const mainMb = mega(await bytesIn(join(dataDir, 'log', 'main')))
    const logMb = mega(await bytesIn(join(dataDir, 'log')))
    const tablesMb = mega(await bytesIn(join(dataDir, 'clickhouse')))
    const parts = await partCount(database)
    const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)
    const cells = [
      [`${hour}`, 7],
      [facts.toLocaleString('en'), 11],
      [`${Math.round(rate)}`, 9],
      [`${mega(rss)}`, 8],
      [`${anonMb}`, 9],
      [heaps, 28],
      [`${sum(clock.column('tokens'))}`, 8],
      [`${sum(clock.column('timers'))}`, 8],
      [`${logMb} (${mainMb}, ${logMb - mainMb})`, 21],
      [`${tablesMb}`, 11],
      [`${parts}`, 7],
    ] as const
    console.log(cells.map(([text, width]) => text.padStart(width)).join(''))
    before = { facts, atMs: performance.now() }
    return { hour, rssMb: mega(rss), anonMb, logMb, tablesMb }
  }
}

/** Without the pages of mapped files, which the system takes back when it wants them; Linux tells them apart. */
async function anonymousMb(rss: number): Promise<number> {
  const status = await readFile('/proc/self/status', 'utf8').catch(() => '')
  const kilobytes = /^RssAnon:\s+(\d+) kB/m.exec(status)?.[1]
  return kilobytes === undefined ? mega(rss) : Math.round(Number(kilobytes) / 1024)
}

/** Of the blocks that files really have on disk; files that go meanwhile count nothing. */
async function bytesIn(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true }).catch(() => [])
  let bytes = 0
  for (const name of names) {
    const found = await stat(join(folder, name)).catch(() => null)
    if (found?.isFile()) bytes += found.blocks * 512
  }
  return bytes
}

async function partCount(database: Database): Promise<number> {
  const [row] = await database.query<{ parts: string }>(
    'SELECT count() AS parts FROM system.parts WHERE database = currentDatabase() AND active',
  )
  return Number(row?.parts ?? 0)
}

const growthMax = 0.1
/** Disk moves with whole days of facts and with merges: the highest of the second half may pass that of the first by this. */
const diskGrowthMax = 0.25

/** Prints the two questions of a soak and their answers: true when both are yes. */
export function printVerdict(samples: readonly Sample[]): boolean {
  const last = samples.at(-1)
  const middle = samples.find(({ hour }) => hour >= (last?.hour ?? 0) / 2)
  if (!last || !middle) return false
  const rssGrowth = last.rssMb / middle.rssMb - 1
  const isMemoryBounded = rssGrowth <= growthMax
  console.log(
    `RSS ${middle.rssMb} MB after ${middle.hour} h, ${last.rssMb} MB after ${last.hour} h: ${percent(rssGrowth)} (at most ${percent(growthMax)}) ${verdict(isMemoryBounded)}`,
  )
  const diskOf = ({ logMb, tablesMb }: Sample) => logMb + tablesMb
  const highest = (half: readonly Sample[]) => Math.max(...half.map(diskOf))
  const first = highest(samples.filter(({ hour }) => hour <= middle.hour))
  const second = highest(samples.filter(({ hour }) => hour > middle.hour))
  const isDiskBounded = second / first - 1 <= diskGrowthMax
  console.log(
    `disk at most ${first} MB in the first half, ${second} MB in the second: ${percent(second / first - 1)} (at most ${percent(diskGrowthMax)}) ${verdict(isDiskBounded)}`,
  )
  return isMemoryBounded && isDiskBounded
}

const percent = (share: number): string => `${share >= 0 ? '+' : ''}${Math.round(share * 1000) / 10} %`
const verdict = (isSo: boolean): string => (isSo ? 'ok' : 'FAILED')
