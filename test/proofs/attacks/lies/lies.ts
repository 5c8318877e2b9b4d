/**
 * `npm run attacks -- lies SOURCE [MINUTES] [SEED]` runs the whole service with a source that lies for some
 * minutes. A second service gets no lies. The first service must survive, take little memory, and be fresh
 * within a minute after the lies. Both services must know the same facts.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openAggregator } from './aggregator.ts'
import { openChatPage } from './chat-page.ts'
import { openFacilitator } from './facilitator.ts'
import { openNodeA } from './node-a.ts'
import { openNodeB } from './node-b.ts'
import { isHurtByRegistry, sufferRegistry } from './registry.ts'
import { waitUntil } from './wait-until.ts'
import { type Health, startWatched, type WatchedService } from './watched-service.ts'
import type { Comparison, OpenWorld, Services, Side, World } from './world.ts'

const sources: Readonly<Record<string, OpenWorld>> = {
  'node-a': openNodeA,
  'node-b': openNodeB,
  facilitator: openFacilitator,
  'chat-page': openChatPage,
  aggregator: openAggregator,
}

const grownMbMax = 200
const freshSecMax = 60
/** The largest age of answers of a fresh service. */
const freshAgeSecMax = 30
const startMsMax = 300_000
const freshMsMax = 600_000
const stepMs = 200

type Suffering = Readonly<{
  told: ReadonlyMap<string, number>
  /** Null: the service runs. */
  ending: string | null
  memoryMb: Readonly<{ before: number; most: number; after: number; undisturbed: number }>
  /** Null: the service was not fresh in time. */
  freshAfterSec: number | null
  comparison: Comparison
  troubles: ReadonlyMap<string, number>
  leftOut: readonly string[]
}>

type Times = Readonly<{ seed: number; honestMs: number; lyingMs: number }>

async function sufferLies(open: OpenWorld, { seed, honestMs, lyingMs }: Times): Promise<Suffering> {
  const folder = mkdtempSync(join(tmpdir(), 'launch-data-lies-'))
  const folders: Readonly<Record<Side, string>> = {
    'lied to': join(folder, 'lied-to'),
    undisturbed: join(folder, 'undisturbed'),
  }
  const world = await open(seed)
  const going = goOn(world)
  const services: WatchedService[] = []
  const start = async (side: Side) => {
    const service = await startWatched({ DATA_DIR: folders[side], ...world.environmentOf(side) })
    services.push(service)
    return service
  }
  try {
    const [lied, undisturbed] = await Promise.all([start('lied to'), start('undisturbed')])
    const both: Services = { 'lied to': lied, undisturbed }
    for (const service of [lied, undisturbed])
      if ((await waitUntil(() => isAllFresh(world, service), startMsMax)) === null)
        throw new TypeError(`it is not fresh before any lie: ${service.said().slice(-3_000)}`)
    await sleep(honestMs)
    lied.takePeakMb()
    const [before, undisturbedBefore] = [lied.memoryMb(), undisturbed.memoryMb()]
    world.liar.lies(true)
    await waitUntil(async () => lied.ending() !== null, lyingMs)
    const most = lied.takePeakMb()
    world.liar.lies(false)
    const freshAfterSec = lied.ending() === null ? await waitUntil(() => isAllFresh(world, lied), freshMsMax) : null
    await going.stop()
    const late = lied.ending() === null ? await world.settle(both) : []
    const memoryMb = { before, most, after: lied.memoryMb(), undisturbed: undisturbed.memoryMb() - undisturbedBefore }
    const ending = lied.ending() ?? nullIfInOrder(await lied.stop())
    await undisturbed.stop()
    const { compared, differences } = await world.compare(folders)
    const comparison = { compared, differences: [...late, ...differences] }
    const { leftOut, liar } = world
    return { told: liar.told, ending, memoryMb, freshAfterSec, comparison, troubles: lied.troubles(), leftOut }
  } finally {
    await going.stop()
    await Promise.all(services.map((service) => service.kill()))
    await world.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

const nullIfInOrder = (ending: string): string | null => (ending === 'code 0' ? null : `${ending} after SIGTERM`)

function goOn(world: World): Readonly<{ stop: () => Promise<void> }> {
  let isOver = false
  const going = (async () => {
    while (!isOver) {
      await world.step()
      await sleep(stepMs)
    }
  })()
  return {
    stop: async () => {
      isOver = true
      await going
    },
  }
}

const isAllFresh = async (world: World, service: WatchedService): Promise<boolean> =>
  isFresh(await service.health()) && (await (world.isWhole?.(service) ?? true))

const isFresh = (health: Health | null): boolean =>
  health !== null &&
  [health, ...Object.values(health.chains)].every(({ status }) => status === 'ok') &&
  Object.values(health.chains).every(({ dataAgeSec }) => dataAgeSec !== null && dataAgeSec <= freshAgeSecMax)

const isHurt = ({ ending, memoryMb, freshAfterSec, comparison }: Suffering): boolean =>
  ending !== null ||
  memoryMb.most - memoryMb.before > grownMbMax ||
  freshAfterSec === null ||
  freshAfterSec > freshSecMax ||
  comparison.differences.length > 0

/** False: the lies did harm. */
export async function attackByLies([source = '', minutes = '10', seedText]: readonly string[]): Promise<boolean> {
  if (source === 'registry') return attackByLyingRegistry(Number(minutes) * 60_000, Number(seedText ?? 1))
  const open = sources[source]
  if (open === undefined) {
    console.error(`There is no liar ${source}. There are: ${[...Object.keys(sources), 'registry'].join(', ')}`)
    return false
  }
  const seed = Number(seedText ?? Math.floor(Math.random() * 1e6))
  console.log(`${source}, seed ${seed}: honest for 20 s, then ${minutes} min of lies`)
  const suffering = await sufferLies(open, { seed, honestMs: 20_000, lyingMs: Number(minutes) * 60_000 })
  print(suffering)
  return !isHurt(suffering)
}

function print({ told, ending, memoryMb, freshAfterSec, comparison, troubles, leftOut }: Suffering): void {
  const sum = [...told.values()].reduce((total, count) => total + count, 0)
  console.log(`${sum} lies: ${counted(told)}`)
  console.log(ending === null ? 'the process lives' : `the process ended: ${ending}`)
  const { before, most, after, undisturbed } = memoryMb
  console.log(
    `memory: ${before} MB before, ${most} MB at most, ${after} MB after; undisturbed it grew by ${undisturbed} MB meanwhile`,
  )
  console.log(freshAfterSec === null ? 'it did not get fresh' : `all fresh ${freshAfterSec} s after the last lie`)
  console.log(
    `${comparison.compared} compared: ${comparison.differences.length === 0 ? 'equal' : comparison.differences.join('\n  ')}`,
  )
  console.log(`its log: ${counted(troubles)}`)
  console.log(`not told, as nobody could see it: ${leftOut.join('; ')}`)
}

async function attackByLyingRegistry(lyingMs: number, seed: number): Promise<boolean> {
  console.log(`registry, seed ${seed}: ${lyingMs / 60_000} min of lies to a program that asks it all the time`)
  const suffering = await sufferRegistry({ seed, lyingMs })
  const { told, lives, memoryMb, asked, askedAfter } = suffering
  console.log(`lies: ${counted(told)}`)
  console.log(lives ? 'the process lives' : 'the process ended')
  console.log(`memory: ${memoryMb.before} MB before, ${memoryMb.most} MB at most, ${memoryMb.after} MB after`)
  console.log(`asked meanwhile: ${counted(new Map(Object.entries(asked)))}`)
  console.log(`asked after the last lie: ${counted(new Map(Object.entries(askedAfter)))}`)
  return !isHurtByRegistry(suffering)
}

const counted = (counts: ReadonlyMap<string, number>): string =>
  [...counts]
    .sort(([, left], [, right]) => right - left)
    .map(([name, count]) => `${count} x ${name}`)
    .join(', ')
