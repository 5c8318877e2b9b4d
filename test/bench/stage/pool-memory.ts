import assert from 'node:assert/strict'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createLogger } from '../../../infra/telemetry.ts'
import { answerTo } from '../../../ingest/lookups/answer.ts'
import type { QuestionFields } from '../../../ingest/lookups/lookup.ts'
import type { TokenOutput } from '../../../processors/runtime/token-entry.ts'
import { createWalk, type Walk } from '../../../processors/runtime/walk.ts'
import { chainA } from '../../../processors/stages.ts'
import { isTick, type StageRecord, type StageTypes } from '../../../schemas/stage.ts'
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
  await walkPartition(open, 0, { isAnswered: true })
  const points: Point[] = [{ count: 0, bytes: await memoryBytes() }]
  const held: WalkedPartition[] = []
  for (const partition of partitions) {
    held.push(await walkPartition(open, partition, { isAnswered: true }))
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

/**
 * Walks over all facts of a partition. With `isAnswered`, the questions of a tick, such as who sent the buys of a burst, are
 * answered before the next tick ends. In the service, an answer takes some seconds.
 */
export async function walkPartition(
  open: OpenFacts,
  partition: number,
  { isAnswered }: Readonly<{ isAnswered: boolean }>,
): Promise<WalkedPartition> {
  const walk = createWalk(open.market.runnable)
  const answersTo = isAnswered ? createAnswers(open.market) : async () => []
  let count = 0
  let asked: readonly TokenOutput<StageRecord>[] = []
  for await (const batch of factsOf(open, partition))
    for (let index = 0; index < batch.count; index++) {
      const record = open.factCodec.decodeAt(batch, batch.valueStartAt(index), batch.valueEndAt(index))
      if (record.type === open.market.counted.type) count += 1
      if (isTick(record)) {
        for (const { token, answer } of await answersTo(asked)) walk.onAnswer(token, answer)
        asked = walk.onTick(record.data)
      } else walk.onFact(batch.keyAt(index), record)
    }
  return { walk, count }
}

type Answered = Readonly<{ token: string; answer: StageRecord }>

/** Returns a function that answers the questions among derived records, with the lookups of the simulated chain. */
function createAnswers({
  simulate,
}: BenchMarket): (derived: readonly TokenOutput<StageRecord>[]) => Promise<Answered[]> {
  const toMs = Date.UTC(2026, 8, 1)
  const { lookups } = simulate({ fromMs: toMs - 1, toMs })
  const answering = {
    ...{ questionAgeMsMax: Number.POSITIVE_INFINITY, nowMs: () => toMs, signal: new AbortController().signal },
    ...{ delay: async () => {}, logger: createLogger('bench', 'error') },
  }
  return async (derived) => {
    const answered: Answered[] = []
    for (const { token, record } of derived) {
      const lookup = lookups.find(({ questionType }) => questionType === record.type)
      const data = record.data as QuestionFields
      const answer =
        lookup && (await answerTo({ lookup, partition: 0, key: token, seenAtMs: data.atMs, data }, answering))
      if (answer) answered.push({ token, answer })
    }
    return answered
  }
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
