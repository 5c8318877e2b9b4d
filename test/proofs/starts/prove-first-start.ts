/**
 * Runs one first start of the service. Then it buys the bursts on every route and checks them against the
 * derived records.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDatabase } from '../../../infra/clickhouse/database.ts'
import type { Shop } from '../answers/shop.ts'
import { projectOn } from '../calls/derive/project.ts'
import { openShopOf, openWorld } from '../editions/world.ts'
import { type FirstStart, type Reached, runFirstStart } from './run-first-start.ts'
import { readTruth, type Truth } from './truth.ts'

export type Held = {
  /**
   * Three counts of sold rows. `shown`: repeat buyers are known. `repeating`: repeat buyers are correct and
   * above zero. `waiting`: repeat buyers are not known yet.
   */
  shown: number
  repeating: number
  waiting: number
  /** The number of answers by route. Refused requests are counted under `<route> refused`. */
  answers: Map<string, number>
  faults: string[]
}

export async function proveFirstStart(plan: FirstStart): Promise<Held> {
  const dataDir = await mkdtemp(join(tmpdir(), 'launch-data-starts-'))
  const database = await createDatabase({ dataDir, role: 'writer' })
  try {
    const world = await openWorld()
    const reached = await runFirstStart(plan, world)
    await projectOn(world, database)
    const truth = await readTruth(world)
    const shop = await openShopOf(database, ['chain-a', 'chain-b'])
    const held: Held = { shown: 0, repeating: 0, waiting: 0, answers: new Map(), faults: [] }
    try {
      const cuts = cutsOf(reached)
      for (const cutAtMs of cuts) await buyAll({ shop, truth, held, cutAtMs, isLast: cutAtMs === cuts.at(-1) })
    } finally {
      await shop.close()
    }
    return held
  } finally {
    await database.close()
    await rm(dataDir, { recursive: true, force: true })
  }
}

/**
 * The times at which the test buys. The first ones are soon after the chains became live, while lookups about
 * the past continue. The last one is the end.
 */
const cutsOf = ({ liveFromMs, lastMs }: Reached): readonly number[] => [
  ...[2000, 60_000, 180_000].map((afterMs) => liveFromMs + afterMs).filter((atMs) => atMs < lastMs),
  lastMs,
]

type Buying = Readonly<{ shop: Shop; truth: Truth; held: Held; cutAtMs: number; isLast: boolean }>
type Row = Readonly<{ pool?: string; mint?: string; tier?: string; at: number }> &
  Readonly<{ repeatBuyers?: number | null; buyers?: number | null; anatomy?: Row | null }>

const lists = [
  '/v1/rh/bursts/live?minutes=240',
  '/v1/rh/bursts/history?hours=24',
  '/v1/sol/bursts/live?minutes=240',
  '/v1/sol/bursts/history?hours=24',
  '/v1/snapshot?minutes=240',
  '/v1/sample',
] as const
const flowsMost = 3

async function buyAll(buying: Buying): Promise<void> {
  const pools = new Set<string>()
  for (const path of lists)
    for (const row of await buy(path, buying)) if (row.pool !== undefined && row.tier === 'main') pools.add(row.pool)
  for (const pool of [...pools].slice(0, flowsMost)) await buy(`/v1/rh/pools/${pool}/flow`, buying)
}

async function buy(path: string, buying: Buying): Promise<readonly Row[]> {
  const { shop, held, cutAtMs } = buying
  const { status, body } = await shop.look(path, cutAtMs)
  const route = path.replace(/\?.*/, '').replace(/0x[0-9a-f]+/, '{id}')
  const isSold = status === 200 || status === 402
  const name = isSold ? route : `${route} refused`
  held.answers.set(name, (held.answers.get(name) ?? 0) + 1)
  if (!isSold) return []
  const rows = burstsIn(status === 200 ? body : await shop.buy(path, cutAtMs))
  for (const row of rows) hold(row, path, buying)
  return rows
}

/** Returns all bursts in an answer, at any depth. */
function burstsIn(value: unknown): readonly Row[] {
  if (Array.isArray(value)) return value.flatMap(burstsIn)
  if (typeof value !== 'object' || value === null) return []
  const isBurst = 'at' in value && ('repeatBuyers' in value || ('mint' in value && 'anatomy' in value))
  return isBurst ? [value as Row] : Object.values(value).flatMap(burstsIn)
}

function hold(row: Row, path: string, { truth, held, cutAtMs, isLast }: Buying): void {
  const name = row.mint === undefined ? `${row.pool} ${row.tier} ${row.at}` : `${row.mint} ${row.at}`
  const { repeatBuyers, buyers } = row.mint === undefined ? row : (row.anatomy ?? { repeatBuyers: null, buyers: null })
  const expected = truth.get(name)
  if (expected === undefined && repeatBuyers === null) return
  const isRight = repeatBuyers === expected
  if (repeatBuyers === null && buyers !== null) held.waiting++
  if (repeatBuyers !== null) held.shown++
  if (isRight && (expected ?? 0) > 0) held.repeating++
  if (isRight || (repeatBuyers === null && !isLast)) return
  held.faults.push(`${path} at ${new Date(cutAtMs).toISOString()}: ${name} has ${repeatBuyers}, not ${expected}`)
}
