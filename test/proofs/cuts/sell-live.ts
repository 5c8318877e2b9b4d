/**
 * A service with simulated data and reorgs. Answers are bought all the time, while the service is killed and
 * started again.
 */
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

/** The reorgs in the past that the first run reads. */
const pastReorgs: Reorgs = { seed: 1, everySec: 3600, depthMax: 90 }
/** The reorgs of the later runs, which often replace what was sold. */
const liveReorgs: Reorgs = { seed: 2, everySec: 15, depthMax: 12 }
const checkout = fileURLToPath(new URL('../../..', import.meta.url))

export type Selling = Readonly<{
  /** The folder to create. */
  folder: string
  /** The number of cuts with a stored answer. There is about one cut a second. */
  cutCount: number
  /** The number of kills while answers are bought. */
  killCount: number
  /** If true, the service sells a cut before all partitions have passed the cut. */
  sellsEarly: boolean
  print: (text: string) => void
  /** Gets the answers that differ when the running service is asked with `asOf`. */
  onOtherwise: (sold: readonly Sold[]) => void
}>

export async function sellLive(selling: Selling): Promise<readonly Sold[]> {
  const { folder, cutCount, killCount, sellsEarly, print } = selling
  const copy = join(folder, 'checkout')
  await copyCheckout(checkout, copy)
  // With this change, the service sells a cut 1.5 s early, when some ticks of the cut are not in the tables
  // yet.
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

/** Asks for all sold answers again, while the simulated trades continue. */
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

/** There are several buyers, so that answers overlap. */
const buyerCount = 3
const pauseMs = 500
const listEvery = 10
/** These lists are bought at the beginning of every ten purchases. */
const listings = [everyPoolPath, everyCurveBurstPath]

/** Resolves when enough answers are bought. The results of unfinished purchases are ignored. */
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
