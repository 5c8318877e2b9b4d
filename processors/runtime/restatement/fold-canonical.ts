/**
 * After a reorg, processes the facts that are still valid again. It begins before the first reverted block
 * and ends with the tick that reports the reorg.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { OperationError } from '../../../infra/errors.ts'
import { recordsFrom } from '../../../infra/log/read-back.ts'
import type { RecordBatch } from '../../../infra/log/record-batch.ts'
import { isTick, type Stage, type StageRecord } from '../../../schemas/stage.ts'
import { tickKey } from '../../../schemas/topics.ts'
import type { BlockNumber } from '../../../schemas/units.ts'
import { createRecordReader, type RecordReader } from '../decode-record.ts'
import { fitsCode, taskName, topicsOf } from '../task.ts'
import { type AnyWalk, createWalk } from '../walk.ts'
import { isCanonical, type Reorg } from './canonical-facts.ts'
import { reachesBack } from './reaches-back.ts'
import type { RestatedTick, Task } from './restated-tick.ts'
import { addVersion, type RowVersion, type RowVersions } from './row-versions.ts'

/**
 * The state from which processing begins again, and the offsets at which it continues. The state is from
 * before the reorg that is handled (the restated tick).
 */
export type Base = Readonly<{
  walk: AnyWalk
  factsOffset: number
  derivedOffset: number
  /** The reorgs after this state, up to and including the one that is handled. */
  reorgs: readonly Reorg[]
}>

/**
 * Restores the newest snapshot from before the reorg. If there is none, processing begins at the first fact.
 * Fails with `reorg_too_deep` if the first facts are no longer in the log, unless `mayMissFacts` is true.
 */
export async function findBase(task: Task, restated: RestatedTick): Promise<Base> {
  const { dependencies, partition, snapshots } = task
  const { seq, revertedFrom } = restated
  const { factTopic, derivedTopic } = topicsOf(dependencies)
  const facts = await dependencies.log.bounds(factTopic, partition)
  const fits = fitsCode(dependencies)
  let reorgs: readonly Reorg[] = []
  const stored = await snapshots.newest(seq - 1, async (manifest) => {
    const { blockNumber, factsOffset } = manifest
    if (!fits(manifest) || blockNumber >= revertedFrom) return false
    if (!(await reachesBack(dependencies, partition, manifest))) return false
    reorgs = await readReorgs(task, factsOffset, restated.offset)
    return reorgs.every((reorg) => reorg.revertedFrom > blockNumber)
  })
  const walk = createWalk(dependencies)
  if (stored !== null) {
    walk.restore(stored.state)
    return { walk, ...stored.manifest, reorgs }
  }
  if (facts.startOffset > 0 && !restated.mayMissFacts)
    throw new OperationError(
      'reorg_too_deep',
      `tick ${seq} reports a reorg from block ${revertedFrom}, but ${taskName(dependencies, partition)} has no snapshot before that block, and the log no longer has the first facts. Start over with another log (KAFKA_TOPIC_PREFIX or DATA_DIR)`,
      { context: { topic: factTopic, partition, seq, revertedFrom, startOffset: facts.startOffset } },
    )
  const { startOffset: derivedOffset } = await dependencies.log.bounds(derivedTopic, partition)
  reorgs = await readReorgs(task, facts.startOffset, restated.offset)
  return { walk, factsOffset: facts.startOffset, derivedOffset, reorgs }
}

/**
 * Processes the valid facts after the restored state, and returns the last version of each row. Ends early
 * when the signal aborts.
 */
export async function foldCanonical(task: Task, base: Base, { offset }: RestatedTick): Promise<RowVersions> {
  const { stage } = task.dependencies
  const reader = factReader(task)
  const rows = new Map<string, RowVersion>()
  for await (const batch of factsBetween(task, base.factsOffset, offset + 1)) {
    for (let index = 0; index < batch.count; index++) {
      const record = reader.knownAt(batch, index) ?? (await reader.wholeAt(batch, index))
      const isCanonicalAt = (blockNumber: BlockNumber) => isCanonical(base.reorgs, batch.offsetAt(index), blockNumber)
      if (!isTick(record)) walkCanonical(base.walk, { stage, token: batch.keyAt(index), record, isCanonicalAt })
      else if (isCanonicalAt(record.data.blockNumber))
        for (const output of base.walk.onTick(record.data, 'rising')) addVersion(stage, rows, output)
      else base.walk.onRevertedTick(record.data)
    }
    await nextTurn()
  }
  return rows
}

type Walked = Readonly<{
  stage: Stage
  token: string
  record: StageRecord
  isCanonicalAt: (blockNumber: BlockNumber) => boolean
}>

/**
 * Passes a record to the walk (the object that runs the processors), unless a reorg replaced the block of the
 * record. Results of lookups belong to no block and are always passed.
 */
function walkCanonical(walk: AnyWalk, { stage, token, record, isCanonicalAt }: Walked): void {
  if (stage.isAnswer(record)) walk.onAnswer(token, record)
  else if (isCanonicalAt(stage.blockNumberOf(record))) walk.onFact(token, record)
}

/**
 * Returns the reorgs that the ticks from `fromOffset` to `tickOffset` report, both included. `fromOffset`
 * must be right after a tick.
 */
async function readReorgs(task: Task, fromOffset: number, tickOffset: number): Promise<Reorg[]> {
  const reader = factReader(task)
  const reorgs: Reorg[] = []
  let appendOffset = fromOffset
  for await (const batch of factsBetween(task, fromOffset, tickOffset + 1)) {
    for (let index = 0; index < batch.count; index++) {
      if (batch.keyAt(index) !== tickKey) continue
      const tick = reader.knownAt(batch, index) ?? (await reader.wholeAt(batch, index))
      if (isTick(tick) && tick.data.revertedFrom !== null)
        reorgs.push({ revertedFrom: tick.data.revertedFrom, fromOffset: appendOffset })
      appendOffset = batch.offsetAt(index) + 1
    }
    await nextTurn()
  }
  return reorgs
}

const factsBetween = (
  { dependencies, partition, signal }: Task,
  offset: number,
  untilOffset: number,
): AsyncGenerator<RecordBatch> =>
  recordsFrom(dependencies.log, { topic: topicsOf(dependencies).factTopic, partition, offset }, { untilOffset, signal })

const factReader = ({ dependencies, partition }: Task): RecordReader =>
  createRecordReader(dependencies.factCodec, topicsOf(dependencies).factTopic, partition)
