import assert from 'node:assert/strict'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { RecordBatch } from '../../../infra/log/record-batch.ts'
import { createWalk, type Walk } from '../../../processors/runtime/walk.ts'
import { chainA } from '../../../processors/stages.ts'
import { isTick, type StageTypes } from '../../../schemas/stage.ts'
import type { BenchMarket } from '../bench-markets.ts'
import { factsOf, type OpenFacts, openFacts, partitions } from '../fact-log.ts'
import { count } from '../rounds.ts'
import { walkIdleCurves } from './idle-curves.ts'

const shownCount = 10_000
const curveCounts = [10_000, 20_000, 30_000, 40_000] as const

/** A number of pools, mints or curves, and the memory of the process that holds them. */
type Point = Readonly<{ count: number; bytes: number }>

/**
 * Prints the memory of a live pool or mint in the stage's state. One figure is the slope while partitions are
 * added one by one. The other figure is the total divided by the count. For chain A, the memory is divided
 * only by the number of pools, so both figures include the curves.
 */
export async function measureStateMemory(dataDir: string, market: BenchMarket, aim: string): Promise<void> {
  const open = await openFacts(dataDir, market)
  // This first run over a partition is not measured, because the runtime and the caches grow during it.
  await walkPartition(open, 0)
  const points: Point[] = [{ count: 0, bytes: await memoryBytes() }]
  const held: WalkedPartition[] = []
  for (const partition of partitions) {
    held.push(await walkPartition(open, partition))
    points.push({ count: held.reduce((sum, its) => sum + its.count, 0), bytes: await memoryBytes() })
  }
  const tokens = held.reduce((sum, { walk }) => sum + walk.counts().tokens, 0)
  printSlope(market.counted.name, points, aim)
  console.log(`    the state holds ${count(tokens)} tokens`)
  await open.log.close()
}

/** Prints the memory of a curve without trades in the stage's state. */
export async function measureCurveMemory(): Promise<void> {
  await walkIdleCurves(createWalk(chainA), 4000)
  const points: Point[] = [{ count: 0, bytes: await memoryBytes() }]
  for (const curves of curveCounts) {
    const walk = createWalk(chainA)
    await walkIdleCurves(walk, curves)
    const bytes = await memoryBytes()
    // Reading `walk` here keeps the walk in memory during the measurement.
    points.push({ count: walk.counts().tokens, bytes })
  }
  printSlope('idle curves', points, '; aim <= 8')
}

/**
 * Prints the memory per item. The slope leaves out the point without items, so memory of a constant size does
 * not count.
 */
function printSlope(name: string, points: readonly Point[], aim: string): void {
  const megabytes = (from: Point, to: Point) => (((to.bytes - from.bytes) / (to.count - from.count)) * shownCount) / 1e6
  const [none, first, last] = [points[0], points[1], points.at(-1)]
  assert(none && first && last)
  const steps = points.slice(2).map((point, index) => megabytes(points[index + 1] as Point, point))
  const range = `${Math.min(...steps).toFixed(1)} to ${Math.max(...steps).toFixed(1)}`
  console.log(
    `  state: ${megabytes(first, last).toFixed(1)} MB per ${count(shownCount)} ${name} by slope (steps ${range}), ${megabytes(none, last).toFixed(1)} by the total (up to ${count(last.count)} of them${aim})`,
  )
}

type WalkedPartition = Readonly<{ walk: Walk<StageTypes>; count: number }>

export async function walkPartition(open: OpenFacts, partition: number): Promise<WalkedPartition> {
  const walk = createWalk(open.market.runnable)
  let count = 0
  for await (const batch of factsOf(open, partition)) count += walkBatch(walk, batch, open)
  return { walk, count }
}

/** Returns how many of the counted items, such as pools, began in the batch. */
function walkBatch(walk: Walk<StageTypes>, batch: RecordBatch, { factCodec, market }: OpenFacts): number {
  let count = 0
  for (let index = 0; index < batch.count; index++) {
    const record = factCodec.decodeAt(batch, batch.valueStartAt(index), batch.valueEndAt(index))
    if (record.type === market.counted.type) count += 1
    if (isTick(record)) walk.onTick(record.data)
    else if (market.runnable.stage.isAnswer(record)) walk.onAnswer(batch.keyAt(index), record)
    else walk.onFact(batch.keyAt(index), record)
  }
  return count
}

/** Returns the memory of the heap and of buffers after a full garbage collection. */
export async function memoryBytes(): Promise<number> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  for (let turn = 0; turn < 3; turn++) {
    collect()
    await new Promise((done) => setImmediate(done))
  }
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
