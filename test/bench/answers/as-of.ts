import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { routesOf } from '../../../api/products.ts'
import { type AnsweredRoute, stagesFor } from '../../../api/route.ts'
import { createAnswers } from '../../../api/sale/answers.ts'
import { cutAsOf } from '../../../api/sale/as-of.ts'
import { type Params, type ParamValues, parseParams } from '../../../api/sale/params.ts'
import { isRefusal } from '../../../api/sale/refusals.ts'
import { createSources } from '../../../api/sources.ts'
import type { Database } from '../../../infra/clickhouse/database.ts'
import { readConfig } from '../../../infra/config.ts'
import { type Cuts, createCuts } from '../../../projections/cuts.ts'
import { createTell, openTables } from '../../proofs/same/now.ts'
import { drawPaths, type Listed, mintsIn, walletsIn } from '../../proofs/same/questions.ts'
import { environment } from '../../proofs/same/recording.ts'
import { startService } from '../../proofs/same/running-service.ts'
import { median } from '../rounds.ts'

const checkout = fileURLToPath(new URL('../../..', import.meta.url))
const rounds = 15
const gridMs = Number(environment.VIEW_REFRESH_MS)
/**
 * How long the service runs live, in milliseconds. This is longer than `backMs`, so each `asOf` is in the
 * live time.
 */
const liveMs = 180_000
/** The maximum time from `asOf` to the newest data, in milliseconds. */
const backMs = 150_000
const drawnMax = 200

/**
 * Measures, for each data route, the time of an answer for an earlier time, and compares it with the time of
 * an answer from the newest data. The tables have six hours of simulated trades. No measured answer comes
 * from a cache.
 */
export async function measureAsOf(dataDir: string): Promise<void> {
  await mkdir(dataDir, { recursive: true })
  await fill(dataDir)
  const database = await openTables(dataDir)
  try {
    const cuts = createCuts({ database })
    const ratios: number[] = []
    for (const question of await questionsOver(database, dataDir)) {
      const ratio = await compare(question, cuts)
      if (ratio !== null) ratios.push(ratio)
    }
    const worst = Math.max(...ratios).toFixed(2)
    console.log(
      `  ${ratios.length} routes: the median ratio is ${median(ratios).toFixed(2)}, the highest ${worst}; aim < 2`,
    )
  } finally {
    await database.close()
  }
}

async function fill(dataDir: string): Promise<void> {
  const place = { ...environment, DATA_DIR: dataDir, SIMULATOR_LOOK_BACK_HOURS: '6' }
  const service = await startService({ checkout, environment: place, logFile: join(dataDir, 'service.log') })
  try {
    await service.untilLive()
    await sleep(liveMs)
    await service.stop()
  } finally {
    await service.kill()
  }
}

type Asked = Readonly<{ route: AnsweredRoute; values: ParamValues<Params> }>

/** Returns one request per route. The ids in the requests are in the tables. */
async function questionsOver(database: Database, dataDir: string): Promise<readonly Asked[]> {
  const secrets = { ruleIdSecret: 'only-for-the-bench', callerIdSecret: 'only-for-the-bench' }
  const chains = createSources({ config: readConfig(environment), database, ...secrets })
  const newest = await createCuts({ database }).newest(chains.map(({ stage }) => stage))
  if (newest === null) throw new TypeError('the tables hold nothing')
  const tell = await createTell(database, dataDir)
  const bodyOf = async (path: string) => (await tell(path, newest.atMs)).toString()
  const { pools } = JSON.parse(await bodyOf('/v1/rh/pools/new?hours=24&limit=1000')) as Readonly<{
    pools: readonly Readonly<{ id: string; token: string }>[]
  }>
  const listed: Listed = {
    ...{ pools: pools.map(({ id }) => id), tokens: pools.map(({ token }) => token), curveTokens: [] },
    wallets: walletsIn(await bodyOf('/v1/sol/wallets/leaders')) ?? [],
    mints: mintsIn(await bodyOf('/v1/sol/bursts/live?minutes=240')) ?? [],
  }
  const nextPath = drawPaths(1, listed)
  const found = new Map<AnsweredRoute, Asked>()
  const routes = routesOf(chains).filter((route) => !route.isPersonal)
  for (let drawn = 0; drawn < drawnMax && found.size < routes.length; drawn++) {
    const path = nextPath()
    const asked = parse(path, routes)
    // Some tokens have no chat call and no scanner card, so their answer has no data. For such a token,
    // another token is tried.
    if (!found.has(asked.route) && 'generatedAt' in JSON.parse(await bodyOf(path))) found.set(asked.route, asked)
  }
  return [...found.values()]
}

function parse(path: string, routes: readonly AnsweredRoute[]): Asked {
  const { pathname, searchParams } = new URL(path, 'http://bench')
  for (const route of routes) {
    const named = new RegExp(`^${route.pattern.replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`).exec(pathname)
    if (named === null) continue
    const parsed = parseParams(route.params, { query: Object.fromEntries(searchParams), path: { ...named.groups } })
    if ('values' in parsed) return { route, values: parsed.values }
  }
  throw new TypeError(`no route takes ${path}`)
}

/**
 * Returns the median time of answers for an earlier time, divided by the median time of answers for now.
 * Returns null if the request has no answer at the earlier time.
 */
async function compare(asked: Asked, cuts: Cuts): Promise<number | null> {
  const { route, values } = asked
  const answers = createAnswers({ cuts, nowMs: Date.now, refreshMs: 0, cacheBytesMax: 0 })
  const newest = await cuts.newest(stagesFor(route, values))
  if (newest === null) return null
  const took = { now: [] as number[], asOf: [] as number[] }
  for (let round = 0; round <= rounds; round++) {
    const now = await cuts.at(newest.atMs - round * gridMs, stagesFor(route, values))
    if (now === null) return null
    const nowMs = await timed(() => answers.answer(route, values, now))
    const asOfMs = await timed(async () => {
      const cut = await cutAsOf(asked, newest.atMs - backMs + round * gridMs, cuts)
      return isRefusal(cut) ? { refusal: cut } : answers.answer(route, values, cut)
    })
    if (nowMs === null || asOfMs === null) return null
    // The first round warms up.
    if (round === 0) continue
    took.now.push(nowMs)
    took.asOf.push(asOfMs)
  }
  const [now, asOf] = [median(took.now), median(took.asOf)]
  console.log(
    `  ${route.pattern.padEnd(34)} now ${now.toFixed(1).padStart(6)} ms, as of 150 s ago ${asOf.toFixed(1).padStart(6)} ms, ratio ${(asOf / now).toFixed(2)}`,
  )
  return asOf / now
}

/** Null: the question was refused. */
async function timed(ask: () => Promise<object>): Promise<number | null> {
  const startedAtMs = performance.now()
  const answer = await ask()
  return 'refusal' in answer ? null : performance.now() - startedAtMs
}
