/**
 * Processes the facts of a stage again under any rules, without writing to the log. Facts that a reorg
 * replaced are skipped. Returns the rows that are valid at the end of the range.
 */
import type { SchemaCodec } from '../../infra/codec/schema-codec.ts'
import type { LogReader } from '../../infra/log/log.ts'
import { isTick, type Stage, type StageRecord, type StageTypes } from '../../schemas/stage.ts'
import { tickKey } from '../../schemas/topics.ts'
import type { BlockNumber, EpochMs } from '../../schemas/units.ts'
import { isCanonical, type Reorg } from '../runtime/restatement/canonical-facts.ts'
import {
  addVersion,
  type DerivedOutput,
  type RowVersion,
  type RowVersions,
} from '../runtime/restatement/row-versions.ts'
import type { RunnableStage } from '../runtime/runnable-stage.ts'
import { type AnyWalk, createWalk } from '../runtime/walk.ts'
import type { KnownTimes } from './known-times.ts'
import { type Known, type KnownRange, readKnown } from './read-known.ts'

export type Deriving = Readonly<{
  log: LogReader
  factCodec: SchemaCodec
  partition: number
  /**
   * The range of facts to read. A row depends on earlier facts of its token, so the range must begin well
   * before the time of the first wanted row.
   */
  range: KnownRange
  /** The wanted types of rows. Rows of other types are dropped to save memory. */
  types: ReadonlySet<string>
  /** Notes when the rows of all runs became known, and the facts that tell of signals. */
  known?: KnownTimes
  /**
   * Called one time per batch of records. `knownAtMs` is the time at which the service recorded the newest
   * tick so far. `records` is the number of records read since the previous call.
   */
  onProgress?: (reached: Readonly<{ knownAtMs: EpochMs; records: number }>) => void
  signal?: AbortSignal
}>

type AnyRunnable = Pick<RunnableStage<StageTypes>, 'stage' | 'processors'>

/**
 * Returns the rows of each run. The facts are read one time for all runs, because all runs are of one stage.
 * Fails with `record_corrupt` if a record cannot be decoded. Throws if the code of a run rejects the facts.
 */
export async function deriveAgain(
  runs: readonly [AnyRunnable, ...AnyRunnable[]],
  deriving: Deriving,
): Promise<readonly RowVersions[]> {
  const [{ stage }] = runs
  const reorgs = await readReorgs(stage, deriving)
  const walks = runs.map((run) => ({ walk: createWalk(run), rows: new Map<string, RowVersion>() }))
  let [knownAtMs, records] = [deriving.range.fromMs, 0]
  for await (const { key, offset, record, isLast } of readKnown(
    stage.factTopic.name,
    factsOf(deriving, () => true),
  )) {
    records++
    if (isTick(record)) {
      knownAtMs = record.data.knownAtMs
      deriving.known?.takeFactTick(knownAtMs)
    } else deriving.known?.takeFact(key, record)
    const isCanonicalAt = (blockNumber: BlockNumber) => isCanonical(reorgs, offset, blockNumber)
    for (const { walk, rows } of walks)
      for (const output of walkCanonical(walk, { stage, key, record, isCanonicalAt }))
        if (deriving.types.has(output.record.type)) {
          addVersion(stage, rows, output)
          deriving.known?.takeRow(output, knownAtMs)
        }
    if (!isLast) continue
    deriving.onProgress?.({ knownAtMs, records })
    records = 0
  }
  return walks.map(({ rows }) => rows)
}

type Walked = Readonly<{
  stage: Stage
  key: string
  record: StageRecord
  isCanonicalAt: (blockNumber: BlockNumber) => boolean
}>

const nothing: readonly DerivedOutput[] = []

/**
 * Passes a record to the walk (the state machine of a run), unless a reorg replaced the block of the record.
 * Results of lookups belong to no block and are always passed. Returns the rows that the walk derives when
 * the record is a tick.
 */
function walkCanonical(walk: AnyWalk, { stage, key, record, isCanonicalAt }: Walked): readonly DerivedOutput[] {
  if (isTick(record)) {
    if (isCanonicalAt(record.data.blockNumber)) return walk.onTick(record.data, 'rising')
    walk.onRevertedTick(record.data)
  } else if (stage.isAnswer(record)) walk.onAnswer(key, record)
  else if (isCanonicalAt(stage.blockNumberOf(record))) walk.onFact(key, record)
  return nothing
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
