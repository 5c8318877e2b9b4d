/**
 * Keeps a state in memory that is computed from the table rows at a cut. For a newer cut, only the row
 * versions that became known since then are selected. If there are none, nothing is selected.
 */
import type { Database } from '../infra/clickhouse/database.ts'
import { type EpochMs, hourMs } from '../schemas/units.ts'
import { identityOf } from './at-cut.ts'
import type { StageCut } from './cuts.ts'
import { isUnchanged, unaskedMsMax } from './recent-writes.ts'
import { selectOne } from './select-one.ts'
import type { AnyVersionTable } from './table.ts'

/**
 * If a kept state is older than this, in ms between two cuts, a state of recent rows is computed anew. To select what
 * changed in a longer time costs as much, and has no limit.
 */
export const advanceMsMax = hourMs

/** A state that `advance` changes in place, and the last cut to which `advance` has brought the state. */
export type KeptState<State> = Readonly<{ cut: StageCut; state: State }>

type Source<State> = Readonly<{
  database: Pick<Database, 'query'>
  /**
   * The tables of the rows. If a rebuild replaces one of them, the whole state is computed again from the new
   * tables, within a minute. Until then, the rows of the old tables are as valid, because both come from the same log.
   */
  tables: readonly AnyVersionTable[]
  /**
   * Returns the state at the cut. Continues from the kept state if there is one. `advance` may change a kept
   * state only after its last query.
   */
  advance(kept: KeptState<State> | null, cut: StageCut): Promise<State>
}>

/**
 * Returns a function that gives the state at a cut. The function returns null if the cut is earlier than the
 * newest cut so far. Then the caller must select the rows itself. The caller must use the state before the
 * next `await`, because the next cut changes the state.
 */
export function keepAtCut<State>({
  database,
  tables,
  advance,
}: Source<State>): (cut: StageCut) => Promise<State | null> {
  let kept: (KeptState<State> & Readonly<{ identity: string; askedAtMs: EpochMs }>) | null = null
  let advancing: Readonly<{ cut: StageCut; done: Promise<void> }> | null = null
  const reach = async (cut: StageCut): Promise<void> => {
    if (kept !== null && cut.atMs - kept.askedAtMs < unaskedMsMax) {
      const { identity, askedAtMs } = kept
      kept = { cut, identity, askedAtMs, state: await advance(kept, cut) }
      return
    }
    // The identity of the tables is read before their rows. If a rebuild replaces the tables between the two
    // reads, a later call notices the change.
    const { identity } = await selectOne<Readonly<{ identity: string }>>(database, identityOf(tables))
    const known = kept?.identity === identity ? kept : null
    kept = { cut, identity, askedAtMs: cut.atMs, state: await advance(known, cut) }
  }
  /**
   * Brings the kept state to the cut if the rows are the same there. After a reorg, a state may need earlier rows,
   * so it is kept only if the block time does not fall.
   */
  const keepFor = (cut: StageCut): void => {
    if (kept === null || cut.blockAtMs < kept.cut.blockAtMs) return
    const { askedAtMs } = kept
    if (isUnchanged({ tables, askedAtMs, knownMs: kept.cut.atMs }, cut)) kept = { ...kept, cut }
  }
  return async (cut) => {
    // The kept cut never becomes earlier, so a request for an earlier cut does not wait.
    const isEarlier = () => kept !== null && cut.atMs < kept.cut.atMs
    while (advancing !== null && !isEarlier())
      // If several requests wait for the same cut and the query fails, all of them fail. Otherwise many
      // requests would wait, one after the other, for a database that does not answer.
      await (isSame(advancing.cut, cut) ? advancing.done : advancing.done.catch(() => undefined))
    if (isEarlier()) return null
    keepFor(cut)
    if (kept !== null && isSame(kept.cut, cut)) return kept.state
    const done = reach(cut).finally(() => {
      advancing = null
    })
    advancing = { cut, done }
    await done
    return kept?.state ?? null
  }
}

const isSame = (left: StageCut, right: StageCut): boolean =>
  left.atMs === right.atMs && left.blockAtMs === right.blockAtMs
