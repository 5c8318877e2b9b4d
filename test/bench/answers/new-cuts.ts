import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { routesOf } from '../../../api/products.ts'
import { type AnsweredRoute, stagesFor } from '../../../api/route.ts'
import { createAnswers } from '../../../api/sale/answers.ts'
import { type Params, type ParamValues, parseParams } from '../../../api/sale/params.ts'
import { createSources } from '../../../api/sources.ts'
import { createDatabase, type Database } from '../../../infra/clickhouse/database.ts'
import { readConfig } from '../../../infra/config.ts'
import { type Cut, type Cuts, createCuts } from '../../../projections/cuts.ts'
import { projections } from '../../../projections/projections.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import type { Stage } from '../../../schemas/stage.ts'
import type { EpochMs } from '../../../schemas/units.ts'
import { environment } from '../../proofs/same/recording.ts'
import { startService } from '../../proofs/same/running-service.ts'
import { median, spent } from '../rounds.ts'
import { copyToEarlierDays } from './earlier-days.ts'
import { subjectsIn } from './subjects.ts'

const checkout = fileURLToPath(new URL('../../..', import.meta.url))
const days = 14
const rounds = 30
const warmUps = 5
/**
 * How long the service runs live, in milliseconds. The newest rows are then still in many small parts, which ClickHouse
 * has not merged yet. This makes queries slower.
 */
const liveMs = 30_000
/**
 * The distance of two cuts. It is short, so that all cuts are near the end of the tables, as in a running service. A
 * cut tells of the newest rows of the tables, so at an earlier cut the service would ask for more.
 */
const stepMs = 1

/**
 * Measures, for each data route, an answer at a new data time (cut): its queries, its CPU time and the rows
 * that it reads. The token or wallet of each request is random. The tables have 14 days of data.
 */
export async function measureNewCuts(dataDir: string): Promise<void> {
  await mkdir(dataDir, { recursive: true })
  await fill(dataDir)
  const database = await createDatabase({ dataDir, role: 'reader' })
  try {
    await printSizes(database)
    await measureRoutes(database)
  } finally {
    await database.close()
  }
}

async function fill(dataDir: string): Promise<void> {
  const service = await startService({
    checkout,
    environment: { ...environment, DATA_DIR: dataDir },
    logFile: join(dataDir, 'service.log'),
  })
  try {
    await service.untilLive()
    await sleep(liveMs)
    await service.stop()
  } finally {
    await service.kill()
  }
  const database = await createDatabase({ dataDir, role: 'writer' })
  try {
    await copyToEarlierDays(database, days)
  } finally {
    await database.close()
  }
}

async function printSizes(database: Database): Promise<void> {
  const rows = await database.query<Readonly<{ name: string; total: string; parts: string }>>(
    `SELECT table AS name, sum(rows) AS total, count() AS parts FROM system.parts
     WHERE active AND database = currentDatabase() GROUP BY name ORDER BY total DESC, name LIMIT 6`,
  )
  console.log(
    `${days} days in the tables: ${rows.map(({ name, total, parts }) => `${name} ${total} rows in ${parts} parts`).join(', ')}`,
  )
}

type Counted = Readonly<{ database: Database; queries(): number }>

function countQueries(database: Database): Counted {
  let count = 0
  const query: Database['query'] = (sql, parameters) => {
    count++
    return database.query(sql, parameters)
  }
  return { database: { ...database, query }, queries: () => count }
}

export async function measureRoutes(raw: Database): Promise<void> {
  const { routes, bench } = await openBench(
    raw,
    projections.map(({ stage }) => stage),
  )
  const floor = await medianCpuMs(() => raw.query('SELECT 1'))
  console.log(`SELECT 1 takes ${floor.toFixed(1)} ms of CPU: the least that a query takes on this machine now`)
  console.log(
    `${'route'.padEnd(34)} queries   CPU ms p50   p90      rows read   MB read, at a new cut each (and the CPU ms of a lookup of the newest cut); if rows of all tables are new: queries, CPU ms p50`,
  )
  for (const route of routes) await measureRoute(route, bench)
  console.log(`about ${togetherCount} subjects at the same time, at a new cut each round:`)
  for (const route of routes) if (route.subject) await measureTogether(route, bench)
}

/** Returns the median CPU time of an answer at a new cut for each of these routes of chain A, in ms. */
export async function answerCpuMs(raw: Database, patterns: readonly string[]): Promise<readonly number[]> {
  const { routes, bench } = await openBench(raw, [chainAStage])
  const medians: number[] = []
  for (const pattern of patterns) {
    const route = routes.find((its) => its.pattern === pattern)
    if (route === undefined) throw new TypeError(`there is no route ${pattern}`)
    const costs = await costsOf(route, bench)
    if (costs.some(({ isRefused }) => isRefused)) throw new TypeError(`${pattern} was refused`)
    medians.push(median(costs.map(({ cpuMs }) => cpuMs)))
  }
  return medians
}

async function openBench(raw: Database, stages: readonly Stage[]) {
  const counted = countQueries(raw)
  const secrets = { ruleIdSecret: 'only-for-the-bench', callerIdSecret: 'only-for-the-bench' }
  const sources = createSources({ config: readConfig(environment), database: counted.database, ...secrets })
  const cuts = createCuts({ database: counted.database })
  const newest = await cuts.newest(stages)
  if (newest === null) throw new TypeError('the tables hold nothing')
  const subjects = await subjectsIn(raw, newest.atMs)
  const routes = routesOf(sources).filter((route) => !route.isPersonal)
  // Over all routes, the data times (cuts) only go forward, as in a service.
  let cutAtMs = newest.atMs - 3 * routes.length * (rounds + warmUps) * stepMs
  const nextCutAtMs = () => {
    cutAtMs += stepMs
    return cutAtMs
  }
  return { routes, bench: { raw, counted, cuts, nextCutAtMs, subjects } }
}

async function medianCpuMs(work: () => Promise<unknown>): Promise<number> {
  const costs: number[] = []
  for (let round = 0; round < rounds; round++) costs.push((await spent(async () => void (await work()))).cpuMs)
  return median(costs)
}

type Bench = Readonly<{
  raw: Database
  counted: Counted
  cuts: Cuts
  nextCutAtMs(): EpochMs
  subjects: ReadonlyMap<string, readonly string[]>
}>

type Cost = Readonly<{
  queries: number
  cpuMs: number
  rows: number
  bytes: number
  cutCpuMs: number
  isRefused: boolean
}>

/** With `hasNews`, the service takes it that all tables have new rows since the answer before. */
async function costsOf(route: AnsweredRoute, bench: Bench, { hasNews = false } = {}): Promise<readonly Cost[]> {
  const costs: Cost[] = []
  for (let round = 0; round < rounds + warmUps; round++) {
    const cost = await ask(route, { values: valuesOf(route, bench, round), hasNews }, bench)
    if (round >= warmUps) costs.push(cost)
  }
  return costs
}

async function measureRoute(route: AnsweredRoute, bench: Bench): Promise<void> {
  const costs = await costsOf(route, bench)
  const answered = costs.filter(({ isRefused }) => !isRefused)
  const withNews = (await costsOf(route, bench, { hasNews: true })).filter(({ isRefused }) => !isRefused)
  type Figure = 'queries' | 'cpuMs' | 'rows' | 'bytes' | 'cutCpuMs'
  const of = (key: Figure, from = answered) => median(from.map((cost) => cost[key]))
  const p90 =
    [...answered.map(({ cpuMs }) => cpuMs)].sort((a, b) => a - b)[Math.floor(answered.length * 0.9)] ?? Number.NaN
  console.log(
    `${route.pattern.padEnd(34)} ${String(of('queries')).padStart(7)} ${of('cpuMs').toFixed(1).padStart(12)} ${p90.toFixed(1).padStart(5)} ${Math.round(of('rows')).toLocaleString('en').padStart(14)} ${(of('bytes') / 1e6).toFixed(2).padStart(9)}   (${of('cutCpuMs').toFixed(1)}); ${of('queries', withNews)}, ${of('cpuMs', withNews).toFixed(1)}${answered.length < costs.length ? ` ${costs.length - answered.length} of ${costs.length} refused` : ''}`,
  )
}

const togetherCount = 16

/** Measures answers about different subjects that are computed at the same time. A service computes at most so many. */
async function measureTogether(route: AnsweredRoute, bench: Bench): Promise<void> {
  const { counted, cuts, nextCutAtMs } = bench
  const costs: Readonly<{ cpuMs: number; queries: number }>[] = []
  for (let round = 0; round < rounds + warmUps; round++) {
    const asked = Array.from({ length: togetherCount }, (_, index) =>
      valuesOf(route, bench, round * togetherCount + index),
    )
    const stages = new Set(asked.flatMap((values) => stagesFor(route, values)))
    const cut = await cuts.at(nextCutAtMs(), [...stages])
    if (cut === null) throw new TypeError('there is no cut')
    const answers = createAnswers({ cuts, nowMs: Date.now, refreshMs: 0, cacheBytesMax: 0 })
    const before = counted.queries()
    const { cpuMs } = await spent(async () => {
      await Promise.all(asked.map((each) => answers.answer(route, each, cut)))
    })
    if (round >= warmUps)
      costs.push({ cpuMs: cpuMs / togetherCount, queries: (counted.queries() - before) / togetherCount })
  }
  const of = (key: 'cpuMs' | 'queries') => median(costs.map((cost) => cost[key])).toFixed(1)
  console.log(`${route.pattern.padEnd(34)} ${of('queries').padStart(7)} ${of('cpuMs').padStart(12)}`)
}

/** Returns the parameters of a request about another subject each time. */
function valuesOf(route: AnsweredRoute, { subjects }: Bench, index: number): ParamValues<Params> {
  const path = route.subject ? { [route.subject.param]: pick(subjects.get(route.pattern) ?? [], index) } : {}
  const parsed = parseParams(route.params, { query: {}, path })
  if ('refusal' in parsed) throw new TypeError(`${route.pattern}: ${JSON.stringify(parsed.refusal)}`)
  return parsed.values
}

const pick = (from: readonly string[], index: number): string => from[index % from.length] ?? ''

type Asked = Readonly<{ values: ParamValues<Params>; hasNews: boolean }>

async function ask(
  route: AnsweredRoute,
  { values, hasNews }: Asked,
  { raw, counted, cuts, nextCutAtMs }: Bench,
): Promise<Cost> {
  const answers = createAnswers({ cuts, nowMs: Date.now, refreshMs: 0, cacheBytesMax: 0 })
  const atMs = nextCutAtMs()
  const lookUp = await spent(async () => void (await cuts.newest(stagesFor(route, values))))
  const cut = await cuts.at(atMs, stagesFor(route, values))
  if (cut === null) throw new TypeError(`there is no cut at ${atMs}`)
  const at = hasNews ? withoutLastKnown(cut) : cut
  const [readBefore, queriesBefore] = [await readSoFar(raw), counted.queries()]
  let isRefused = false
  const { cpuMs } = await spent(async () => {
    isRefused = 'refusal' in (await answers.answer(route, values, at))
  })
  const read = await readSoFar(raw)
  return {
    ...{ queries: counted.queries() - queriesBefore, cpuMs, cutCpuMs: lookUp.cpuMs, isRefused },
    ...{ rows: read.rows - readBefore.rows, bytes: read.bytes - readBefore.bytes },
  }
}

/** A cut that does not tell which tables have new rows. So the service selects the new rows of all of them. */
const withoutLastKnown = ({ stages, ...cut }: Cut): Cut => ({
  ...cut,
  stages: Object.fromEntries(Object.entries(stages).map(([name, { lastKnown: _, ...stage }]) => [name, stage])),
})

/** Returns how many rows and bytes all queries of this process have read so far. */
async function readSoFar(database: Database): Promise<Readonly<{ rows: number; bytes: number }>> {
  const [row] = await database.query<Readonly<{ rows: string; bytes: string }>>(
    `SELECT sumIf(value, event = 'SelectedRows') AS rows, sumIf(value, event = 'SelectedBytes') AS bytes FROM system.events`,
  )
  return { rows: Number(row?.rows ?? 0), bytes: Number(row?.bytes ?? 0) }
}
