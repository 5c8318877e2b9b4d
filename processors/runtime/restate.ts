/**
 * A revert: restart's operation, its difference published. The living facts are folded again from before the blocks that
 * went, what comes of them is held against what was published, and the walk goes on from there.
 */
import { findBase, foldLiving } from './fold-living.ts'
import { rowsEarlier, rowsPublished } from './published-rows.ts'
import type { RestatedTick, RestateParts } from './restated-tick.ts'
import { restatementOf, rowsToLookUp } from './restatement.ts'
import type { DerivedOutput } from './row-versions.ts'
import { taskName } from './task.ts'
import type { AnyWalk } from './walk.ts'

/** What to publish with the tick, and the walk that goes on behind it. */
export type Restatement = Readonly<{ outputs: readonly DerivedOutput[]; walk: AnyWalk }>

/**
 * All ticks before this one are committed. Null when the signal aborts. Fails with `reorg_too_deep` when what stood
 * before the reverted blocks is known no more.
 */
export async function restate(parts: RestateParts, restated: RestatedTick): Promise<Restatement | null> {
  const { dependencies, partition, signal } = parts
  const { seq, revertedFrom } = restated
  const base = await findBase(parts, restated)
  const folded = await foldLiving(parts, base, restated)
  const published = await rowsPublished(parts, base.derivedOffset, seq)
  const earlier = await rowsEarlier(parts, rowsToLookUp({ published, folded }), base.derivedOffset)
  if (signal.aborted) return null
  const outputs = restatementOf(dependencies.stage, { published, folded, earlier }, ({ type, data }) =>
    dependencies.derivedCodec.encode(type, data),
  )
  const { factsOffset } = base
  dependencies.logger.info(
    { task: taskName(dependencies, partition), seq, revertedFrom, factsOffset, records: outputs.length },
    'the chain was reverted; its rows are restated',
  )
  return { outputs, walk: base.walk }
}
