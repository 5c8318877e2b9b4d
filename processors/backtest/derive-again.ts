/**
 * Runs a stage over facts that the log holds, without writing anything. What a reorg replaced is left out, so the rows are the ones
 * that stand at the end of the range.
 */
import type { SchemaCodec } from '../../infra/codec/schema-codec.ts'
import type { Log } from '../../infra/log/log.ts'
import { isTick, type Stage, type StageRecord, type StageTypes } from '../../schemas/stage.ts'
import { tickKey } from '../../schemas/topics.ts'
import { isAlive, type Reorg } from '../runtime/living-facts.ts'
import { addVersion, type RowVersion, type RowVersions } from '../runtime/row-versions.ts'
import type { RunnableStage } from '../runtime/runnable-stage.ts'
import { type AnyWalk, createWalk } from '../runtime/walk.ts'
import { type Known, type KnownRange, readKnown } from './read-known.ts'

export type Deriving = Readonly<{
  log: Log
  factCodec: SchemaCodec
  partition: number
  /** What the stage reads. Facts before the wanted rows are needed to know their tokens: begin early enough. */
  range: KnownRange
  /** The types of rows that are wanted: the others would take memory for nothing. */
  types: ReadonlySet<string>
  /** Called once a batch, with the known time that is reached and how many records were read since the last call. */
  onProgress?: (reached: Readonly<{ knownAtMs: number; records: number }>) => void
  signal?: AbortSignal
}>

type AnyRunnable = Pick<RunnableStage<StageTypes>, 'stage' | 'processors'>

/** Fails with `record_corrupt`. */
export async function deriveAgain(runnable: AnyRunnable, deriving: Deriving): Promise<RowVersions> {
  const { stage } = runnable
  const reorgs = await readReorgs(stage, deriving)
  const walk = createWalk(runnable)
  const rows = new Map<string, RowVersion>()
  let [knownAtMs, records] = [deriving.range.fromMs, 0]
  for await (const { key, offset, record, isLast } of readKnown(
    stage.factTopic.name,
    factsOf(deriving, () => true),
  )) {
    records++
    const isAliveAt = (blockNumber: number) => isAlive(reorgs, offset, blockNumber)
    if (!isTick(record)) walkLiving(walk, { stage, key, record, isAliveAt })
    else if (isAliveAt(record.data.blockNumber)) {
      knownAtMs = record.data.knownAtMs
      for (const output of walk.onTick(record.data, 'rising'))
        if (deriving.types.has(output.record.type)) addVersion(stage, rows, output)
    }
    if (!isLast) continue
    deriving.onProgress?.({ knownAtMs, records })
    records = 0
  }
  return rows
}

type Walked = Readonly<{
  stage: Stage
  key: string
  record: StageRecord
  isAliveAt: (blockNumber: number) => boolean
}>

/** An answer belongs to no block, so a reorg does not invalidate it. */
function walkLiving(walk: AnyWalk, { stage, key, record, isAliveAt }: Walked): void {
  if (stage.isAnswer(record)) walk.onAnswer(key, record)
  else if (isAliveAt(stage.blockNumberOf(record))) walk.onFact(key, record)
}

async function readReorgs(stage: Stage, deriving: Deriving): Promise<readonly Reorg[]> {
  const reorgs: Reorg[] = []
  let fromOffset = 0
  for await (const { offset, record } of readKnown(
    stage.factTopic.name,
    factsOf(deriving, (key) => key === tickKey),
  )) {
    if (!isTick(record)) continue
    if (record.data.revertedFrom !== null) reorgs.push({ revertedFrom: record.data.revertedFrom, fromOffset })
    fromOffset = offset + 1
  }
  return reorgs
}

const factsOf = (deriving: Deriving, isWanted: Known['isWanted']): Known => ({
  ...deriving,
  codec: deriving.factCodec,
  isWanted,
})
