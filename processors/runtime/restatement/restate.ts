/**
 * Handles a reorg. Processes the valid facts from before the reorg on again, as after a restart. The
 * difference between the new rows and the published rows (the restatement) is published. The task continues
 * with the new state.
 */

import { taskName } from '../task.ts'
import type { AnyWalk } from '../walk.ts'
import { findBase, foldCanonical } from './fold-canonical.ts'
import { rowsEarlier, rowsPublished } from './published-rows.ts'
import type { RestatedTick, Task } from './restated-tick.ts'
import { restatementOf, rowsToLookUp } from './restatement.ts'
import type { DerivedOutput } from './row-versions.ts'

/**
 * The records to publish with the tick of a reorg, and the walk (the processors with their new states) with
 * which the task continues.
 */
export type Restatement = Readonly<{ outputs: readonly DerivedOutput[]; walk: AnyWalk }>

/**
 * Computes the records to publish for a tick that reports a reorg. Call this function when all earlier ticks
 * are written. Returns null when the signal aborts. Fails with `reorg_too_deep` if the log has neither a
 * snapshot nor the facts from before the reorg.
 */
export async function restate(task: Task, restated: RestatedTick): Promise<Restatement | null> {
  const { dependencies, partition, signal } = task
  const { seq, revertedFrom } = restated
  const base = await findBase(task, restated)
  const folded = await foldCanonical(task, base, restated)
  const published = await rowsPublished(task, base.derivedOffset, seq)
  const earlier = await rowsEarlier(task, rowsToLookUp({ published, folded }), base.derivedOffset)
  if (signal.aborted) return null
  const outputs = restatementOf(dependencies.stage, { published, folded, earlier }, ({ type, data }) =>
    dependencies.derivedCodec.encode(type, data),
  )
  const { factsOffset } = base
  dependencies.logger.info(
    { task: taskName(dependencies, partition), seq, revertedFrom, factsOffset, records: outputs.length },
    'reorg: rows are restated',
  )
  return { outputs, walk: base.walk }
}
