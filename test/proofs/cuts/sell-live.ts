/** A service on a simulated market with reorgs that sells all the while, and is killed and started again meanwhile. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { copyCheckout, type Reorgs } from '../same/checkout.ts'
import { drawPaths, type Listed, mintsIn, walletsIn } from '../same/questions.ts'
import { environment, placesIn } from '../same/recording.ts'
import { startService } from '../same/running-service.ts'
import { openShop } from '../same/shop.ts'
import { otherwiseAsOf } from './ask.ts'
import { everyCurveBurstPath, everyPoolPath, type Sold, soldAs } from './sold.ts'

/** In the first life, which tells of the past before it sells: six hours, since a whole day takes longer than all else. */
const pastReorgs: Reorgs = { seed: 1, everySec: 3600, depthMax: 90 }
/** In the later ones: what was sold is taken back again and again. */
const liveReorgs: Reorgs = { seed: 2, everySec: 15, depthMax: 12 }
const checkout = fileURLToPath(new URL('../../..', import.meta.url))

export type Selling = Readonly<{
  /** Is made. */
  folder: string
  /** One answer is kept of each; there is about one a second. */
  cutCount: number
  /** In the middle of what it does, while answers are bought. */
  killCount: number
  /** The service sells a cut before all partitions have passed it. */
  sellsEarly: boolean
  print: (text: string) => void
  /** Takes what the running service answers otherwise with `asOf`. */
  onOtherwise: (sold: readonly Sold[]) => void
}>

export async function sellLive(selling: Selling): Promise<readonly Sold[]> {
  const { folder, cutCount, killCount, sellsEarly, print } = selling
  const copy = join(folder, 'checkout')
  await copyCheckout(checkout, copy)
  // By a second and a half: ticks that are known at the cut are not in the tables yet.
  if (sellsEarly)
    await change(join(copy, 'projections', 'cuts.ts'), 'Number(row.knownAtMs) - 1', 'Number(row.knownAtMs) + 1500')
  const sold: Sold[] = []
  for (let life = 0; life <= killCount; life++) {
    const service = await startService({
      checkout: copy,
      environment: {
        ...environment,
        DATA_DIR: placesIn(folder).dataDir,
        SIMULATED_REORGS: JSON.stringify(life === 0 ? pastReorgs : liveReorgs),
      },
      logFile: join(folder, `life-${life}.log`),
    })
    try {
      await service.untilLive()
      print(`live, ${sold.length} cuts so far`)
      await buyUntil(service.baseUrl, life, { sold, count: Math.ceil((cutCount * (life + 1)) / (killCount + 1)) })
      if (life < killCount) continue
      if (!sellsEarly) await askAsOf(service.baseUrl, selling, sold)
      await service.stop()
    } finally {
      await service.kill()
    }
  }
  return sold
}

/** What was sold in all lives is sold again while the market goes on. */
async function askAsOf(baseUrl: string, { print, onOtherwise }: Selling, sold: readonly Sold[]): Promise<void> {
  const otherwise = await otherwiseAsOf(baseUrl, sold)
  print(`with asOf, of the running service: ${otherwise.length} of ${sold.length} differ`)
  onOtherwise(otherwise)
}

async function change(file: string, text: string, instead: string): Promise<void> {
  const whole = await readFile(file, 'utf8')
  if (whole.split(text).length !== 2) throw new TypeError(`${file} does not say ${text} once`)
  await writeFile(file, whole.replace(text, instead))
}

type Basket = Readonly<{ sold: Sold[]; count: number }>

/** More than one answer is under way at any time. */
const buyerCount = 3
const pauseMs = 500
const listEvery = 10
/** Bought first of so many. */
const listings = [everyPoolPath, everyCurveBurstPath]

/** Resolves when there is enough; some questions are still under way then, and whatever becomes of them is nobody's. */
async function buyUntil(baseUrl: string, life: number, { sold, count }: Basket): Promise<void> {
  const cuts = new Set(sold.map(({ cutAtMs }) => cutAtMs))
  const isEnough = () => sold.length >= count
  const keep = (answer: Sold) => {
    if (!isEnough() && !cuts.has(answer.cutAtMs)) sold.push(answer)
    cuts.add(answer.cutAtMs)
  }
  const buyer = async (index: number) => {
    const buy = openShop(baseUrl)
    const listed: Listed = { pools: [], tokens: [], curveTokens: [], wallets: [], mints: [] }
    const nextPath = drawPaths(1 + life * buyerCount + index, listed)
    for (let asked = 0; !isEnough(); asked++) {
      const path = listings[asked % listEvery] ?? nextPath()
      const body = await buy(path)
      if (body !== null && path === everyPoolPath) Object.assign(listed, listedIn(body))
      if (body !== null)
        Object.assign(listed, { wallets: walletsIn(body) ?? listed.wallets, mints: mintsIn(body) ?? listed.mints })
      if (body !== null) keep(soldAs(path, body))
      await sleep(pauseMs)
    }
  }
  const unlessEnough = (error: unknown) => {
    if (!isEnough()) throw error
  }
  await Promise.race(Array.from({ length: buyerCount }, (_, index) => buyer(index).catch(unlessEnough)))
}

function listedIn(body: string): Pick<Listed, 'pools' | 'tokens'> {
  const { pools } = JSON.parse(body) as Readonly<{ pools: readonly Readonly<{ id: string; token: string }>[] }>
  return { pools: pools.map(({ id }) => id), tokens: pools.map(({ token }) => token) }
}
