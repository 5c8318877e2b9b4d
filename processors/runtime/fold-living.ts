/** Folds the facts again that still hold: from before the block of a revert, up to and including the tick that says so. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { OperationError } from '../../infra/errors.ts'
import { recordsFrom } from '../../infra/log/read-back.ts'
import type { RecordBatch } from '../../infra/log/record-batch.ts'
import { isTick, type Stage, type StageRecord } from '../../schemas/stage.ts'
import { tickKey } from '../../schemas/topics.ts'
import { createRecordReader, type RecordReader } from './decode-record.ts'
import { isAlive, type Revert } from './living-facts.ts'
import { reachesBack } from './reaches-back.ts'
import type { RestatedTick, RestateParts } from './restated-tick.ts'
import { addVersion, type RowVersion, type RowVersions } from './row-versions.ts'
import { fitsCode, taskName, topicsOf } from './task.ts'
import { type AnyWalk, createWalk } from './walk.ts'

/** A state that no revert up to this tick has touched, and what has to be folded on top of it. */
export type Base = Readonly<{
  walk: AnyWalk
  factsOffset: number
  derivedOffset: number
  /** Those behind it, the tick's own among them. */
  reverts: readonly Revert[]
}>

/** The newest snapshot before the reverted blocks, else the first fact. Fails with `reorg_too_deep` when that one is gone. */
export async function findBase(parts: RestateParts, restated: RestatedTick): Promise<Base> {
  const { dependencies, partition, snapshots } = parts
  const { seq, revertedFrom } = restated
  const { factTopic, derivedTopic } = topicsOf(dependencies)
  const facts = await dependencies.log.bounds(factTopic, partition)
  const fits = fitsCode(dependencies)
  let reverts: readonly Revert[] = []
  const stored = await snapshots.newest(seq - 1, async (manifest) => {
    const { blockNumber, factsOffset } = manifest
    if (!fits(manifest) || blockNumber >= revertedFrom) return false
    if (!(await reachesBack(dependencies, partition, manifest))) return false
    reverts = await readReverts(parts, factsOffset, restated.offset)
    return reverts.every((revert) => revert.revertedFrom > blockNumber)
  })
  const walk = createWalk(dependencies)
  if (stored !== null) {
    walk.restore(stored.state)
    return { walk, ...stored.manifest, reverts }
  }
  if (facts.startOffset > 0 && !restated.mayMissFacts)
    throw new OperationError(
      'reorg_too_deep',
      `tick ${seq} reverts the chain from block ${revertedFrom}: no snapshot of ${taskName(dependencies, partition)} is that old, and its first facts are gone`,
      { context: { topic: factTopic, partition, seq, revertedFrom, startOffset: facts.startOffset } },
    )
  const { startOffset: derivedOffset } = await dependencies.log.bounds(derivedTopic, partition)
  reverts = await readReverts(parts, facts.startOffset, restated.offset)
  return { walk, factsOffset: facts.startOffset, derivedOffset, reverts }
}

/** Walks the base on and returns the last version of each row that came of it. Ends early when the signal aborts. */
export async function foldLiving(parts: RestateParts, base: Base, { offset }: RestatedTick): Promise<RowVersions> {
  const { stage } = parts.dependencies
  const reader = factReader(parts)
  const rows = new Map<string, RowVersion>()
  for await (const batch of factsBetween(parts, base.factsOffset, offset + 1)) {
    for (let index = 0; index < batch.count; index++) {
      const record = reader.knownAt(batch, index) ?? (await reader.wholeAt(batch, index))
      const isAliveAt = (blockNumber: number) => isAlive(base.reverts, batch.offsetAt(index), blockNumber)
      if (!isTick(record)) walkLiving(base.walk, { stage, token: batch.keyAt(index), record, isAliveAt })
      else if (isAliveAt(record.data.blockNumber))
        for (const output of base.walk.onTick(record.data, 'rising')) addVersion(stage, rows, output)
    }
    await nextTurn()
  }
  return rows
}

type Walked = Readonly<{
  stage: Stage
  token: string
  record: StageRecord
  isAliveAt: (blockNumber: number) => boolean
}>

/** An answer belongs to no block, and outlives all of them. */
function walkLiving(walk: AnyWalk, { stage, token, record, isAliveAt }: Walked): void {
  if (stage.isAnswer(record)) walk.onAnswer(token, record)
  else if (isAliveAt(stage.blockNumberOf(record))) walk.onFact(token, record)
}

/** The reverts from an offset, right behind a tick, up to and including the tick at the other one. */
async function readReverts(parts: RestateParts, fromOffset: number, tickOffset: number): Promise<Revert[]> {
  const reader = factReader(parts)
  const reverts: Revert[] = []
  let appendOffset = fromOffset
  for await (const batch of factsBetween(parts, fromOffset, tickOffset + 1)) {
    for (let index = 0; index < batch.count; index++) {
      if (batch.keyAt(index) !== tickKey) continue
      const tick = reader.knownAt(batch, index) ?? (await reader.wholeAt(batch, index))
      if (isTick(tick) && tick.data.revertedFrom !== null)
        reverts.push({ revertedFrom: tick.data.revertedFrom, fromOffset: appendOffset })
      appendOffset = batch.offsetAt(index) + 1
    }
    await nextTurn()
  }
  return reverts
}

const factsBetween = (
  { dependencies, partition, signal }: RestateParts,
  offset: number,
  untilOffset: number,
): AsyncGenerator<RecordBatch> =>
  recordsFrom(dependencies.log, { topic: topicsOf(dependencies).factTopic, partition, offset }, { untilOffset, signal })

const factReader = ({ dependencies, partition }: RestateParts): RecordReader =>
  createRecordReader(dependencies.factCodec, topicsOf(dependencies).factTopic, partition)
