/** Tests one first start. Buys all hourly lists, and checks the lists against the events. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDatabase, type Database } from '../../../infra/clickhouse/database.ts'
import type { Shop } from '../answers/shop.ts'
import { projectOn } from '../calls/derive/project.ts'
import { completeAt, faultsOf, formerlyLacked, hourMs, type Sold } from './hold.ts'
import { type Reached, runStart, type StartPlan } from './run-start.ts'
import { readTruth, type Truth } from './truth.ts'
import { openShopOf, openWorld } from './world.ts'

export type Held = {
  sold: number
  refused: number
  /** The number of wallets with a followed buy that got 404. */
  denied: number
  /** The number of cuts at which the earlier rule would have left a call out. */
  formerlyLacking: number
  faults: string[]
}

const minuteMs = 60_000
const leadersPath = '/v1/sol/wallets/leaders'
const listPaths = [
  '/v1/sol/calls/outcomes?limit=2000',
  '/v1/sol/callers/leaderboard?window=24h&limit=1',
  leadersPath,
] as const
const walletsAsked = 4
/**
 * The time after a whole hour until an hourly list must be sold, if all sources deliver data. In
 * milliseconds.
 */
const soonMs = 3 * minuteMs

export async function proveStart(plan: StartPlan): Promise<Held> {
  const dataDir = await mkdtemp(join(tmpdir(), 'launch-data-editions-'))
  const database = await createDatabase({ dataDir, role: 'writer' })
  try {
    const world = await openWorld()
    const reached = await runStart(plan, world)
    await projectOn(world, database)
    return await buyAll(plan, { database, reached, truth: await readTruth(world, database, plan.sources) })
  } finally {
    await database.close()
    await rm(dataDir, { recursive: true, force: true })
  }
}

type Happened = Readonly<{ database: Database; reached: readonly Reached[]; truth: Truth }>
type Buying = Happened & Readonly<{ shop: Shop; held: Held }>

async function buyAll(plan: StartPlan, happened: Happened): Promise<Held> {
  const held: Held = { sold: 0, refused: 0, denied: 0, formerlyLacking: 0, faults: [] }
  const shop = await openShopOf(happened.database, plan.sources)
  const buying = { ...happened, shop, held }
  try {
    for (const cutAtMs of cutsOf(plan, happened.reached)) {
      for (const path of listPaths) await buyList(path, cutAtMs, buying)
      await askWallets(cutAtMs, buying)
    }
  } finally {
    await shop.close()
  }
  return held
}

/**
 * Returns the times for which lists are bought: one per minute for eight minutes after a start or an outage,
 * and fewer at other times. While the whole service is down, there are none.
 */
function cutsOf({ startMs, endMs, outages }: StartPlan, reached: readonly Reached[]): readonly number[] {
  const disturbed = [startMs, ...outages.map(({ toMs }) => toMs)]
  const cuts: number[] = []
  const lastMs = Math.min(endMs, (reached.at(-1)?.knownAtMs ?? 0) - 1)
  for (
    let atMs = Math.ceil(startMs / minuteMs) * minuteMs + 7_000, index = 0;
    atMs <= lastMs;
    atMs += minuteMs, index++
  ) {
    const isNear = disturbed.some((from) => atMs >= from && atMs < from + 8 * minuteMs)
    const isStanding = outages.some(({ of, fromMs, toMs }) => of === 'all' && atMs >= fromMs && atMs < toMs)
    if (!isStanding && (isNear || index % 13 === 0)) cuts.push(atMs)
  }
  return cuts
}

type Body = Sold['body'] & Readonly<{ code?: string }>

async function buyList(path: string, cutAtMs: number, { shop, held, truth, reached }: Buying): Promise<void> {
  const { status, body } = await shop.look(path, cutAtMs)
  const fault = (text: string) => held.faults.push(`${path} at ${new Date(cutAtMs).toISOString()}: ${text}`)
  const hour = Math.floor((completeAt(path, reached, cutAtMs - soonMs) - 1) / hourMs) * hourMs
  if (status !== 402) {
    held.refused++
    if (status !== 503) fault(`status ${status}`)
    if (cutAtMs - hour <= 3 * hourMs) fault(`is not sold: ${(body as Body).code}`)
    return
  }
  const sold = { path, cutAtMs, body: (await shop.buy(path, cutAtMs)) as Body }
  held.sold++
  if (path.includes('outcomes') && formerlyLacked(truth, cutAtMs)) held.formerlyLacking++
  if (sold.body.rebuiltAt < hour) fault(`tells of ${sold.body.rebuiltAt} still`)
  for (const text of faultsOf(sold, truth, reached)) fault(text)
}

/**
 * Requests the copy statistics of some wallets with followed buys. A 404 is a fault, unless the first buy of
 * the wallet is newer than the list.
 */
async function askWallets(cutAtMs: number, { shop, held, truth, reached }: Buying): Promise<void> {
  const bought = [...truth.buys].filter(([, atMs]) => atMs <= cutAtMs)
  const step = Math.max(1, Math.floor(bought.length / walletsAsked))
  for (const [wallet, boughtAtMs] of bought.filter((_, index) => index % step === 0)) {
    const path = `/v1/sol/wallets/${wallet}/copy-stats`
    const fault = (text: string) => held.faults.push(`${path} at ${new Date(cutAtMs).toISOString()}: ${text}`)
    const body = await sought(shop, { path, cutAtMs })
    if (body === 'denied') {
      held.denied++
      const { rebuiltAt } = (await shop.buy(leadersPath, cutAtMs)) as Body
      if (boughtAtMs <= rebuiltAt) fault(`denied, and it bought at ${boughtAtMs}`)
    } else if (body !== 'refused') {
      const sold = { path, cutAtMs, body }
      held.sold++
      for (const text of faultsOf(sold, truth, reached)) fault(text)
    } else held.refused++
  }
}

/**
 * Buys an answer. Returns `refused` if the route sells nothing for this time, and `denied` if the wallet is
 * unknown.
 */
async function sought(
  shop: Buying['shop'],
  { path, cutAtMs }: Readonly<{ path: string; cutAtMs: number }>,
): Promise<Body | 'denied' | 'refused'> {
  const { status } = await shop.look(path, cutAtMs)
  if (status !== 402) return status === 404 ? 'denied' : 'refused'
  return ((await shop.seek(path, cutAtMs)) as Body | null) ?? 'denied'
}
