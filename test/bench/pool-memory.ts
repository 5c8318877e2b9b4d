import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { RecordBatch } from '../../infra/log/record-batch.ts'
import { partitionsOf } from '../../processors/runtime/run-stage.ts'
import { createWalk, type Walk } from '../../processors/runtime/walk.ts'
import { chainA } from '../../processors/stages.ts'
import { isAnswer } from '../../schemas/chain-a/facts.ts'
import type { ChainATypes } from '../../schemas/chain-a/stage.ts'
import { factsOf, type OpenFacts, openFacts } from './fact-log.ts'
import { walkIdleCurves } from './idle-curves.ts'

const poolCount = 10_000
const curveCount = 10_000
const measuredCurves = 40_000

/** Prints what the stage's state takes for 10,000 live pools, from what it takes at the end of these facts. */
export async function measurePoolMemory(dataDir: string): Promise<void> {
  const open = await openFacts(dataDir, chainA)
  // One walk before, thrown away: what the runtime and the caches keep for good is not the pools'.
  await walkPartition(open, 0)
  const before = await memoryBytes()
  const walks: Walk<ChainATypes>[] = []
  for (const partition of partitionsOf(chainA.stage)) walks.push(await walkPartition(open, partition))
  const bytes = (await memoryBytes()) - before
  const pools = walks.reduce((sum, walk) => sum + walk.counts().tokens, 0)
  const megabytes = ((bytes / pools) * poolCount) / 1e6
  console.log(
    `state of the stage: ${megabytes.toFixed(1)} MB per ${poolCount.toLocaleString('en')} live pools (measured on ${pools.toLocaleString('en')}; aim < 75)`,
  )
  await open.log.close()
}

/** Prints what the stage's state takes for 10,000 curves that nobody trades any more. */
export async function measureCurveMemory(): Promise<void> {
  await walkIdleCurves(createWalk(chainA), measuredCurves / 10)
  const before = await memoryBytes()
  const walk = createWalk(chainA)
  await walkIdleCurves(walk, measuredCurves)
  const bytes = (await memoryBytes()) - before
  const curves = walk.counts().tokens
  const megabytes = ((bytes / curves) * curveCount) / 1e6
  console.log(
    `state of the stage: ${megabytes.toFixed(1)} MB per ${curveCount.toLocaleString('en')} idle curves (measured on ${curves.toLocaleString('en')}; aim < 12)`,
  )
}

async function walkPartition(open: OpenFacts<ChainATypes>, partition: number): Promise<Walk<ChainATypes>> {
  const walk = createWalk(chainA)
  for await (const batch of factsOf(open, partition)) walkBatch(walk, batch, open.factCodec)
  return walk
}

function walkBatch(walk: Walk<ChainATypes>, batch: RecordBatch, factCodec: OpenFacts<ChainATypes>['factCodec']): void {
  for (let index = 0; index < batch.count; index++) {
    const record = factCodec.decodeAt(batch, batch.valueStartAt(index), batch.valueEndAt(index))
    if (record.type === 'Tick') walk.onTick(record.data)
    else if (isAnswer(record)) walk.onAnswer(batch.keyAt(index), record)
    else walk.onFact(batch.keyAt(index), record)
  }
}

/** After a full collection: of the heap and of the buffers beside it. */
async function memoryBytes(): Promise<number> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  for (let turn = 0; turn < 3; turn++) {
    collect()
    await new Promise((done) => setImmediate(done))
  }
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
