/** Keeps rows in memory as of the newest cut that was asked for, so that a newer cut needs only the versions that became known since. */
import type { Database } from '../infra/clickhouse/database.ts'
import { identityOf } from './at-cut.ts'
import type { StageCut } from './cuts.ts'
import type { AnyVersionTable } from './table.ts'

/** A state that `advance` changes in place, and the cut to which it was advanced last. */
export type KeptState<State> = Readonly<{ cut: StageCut; state: State }>

type Source<State> = Readonly<{
  database: Pick<Database, 'query'>
  /** The tables of the rows. After a rebuild has exchanged one, the state is made anew. */
  tables: readonly AnyVersionTable[]
  /** Makes the state at the cut from the kept one, if there is one. It must change the kept state only after its last query. */
  advance(kept: KeptState<State> | null, cut: StageCut): Promise<State>
}>

/**
 * Returns the state at the cut, or null if the cut is earlier than the newest one: its rows must then be selected. The caller must use the
 * state before it waits for anything, because the next cut changes it.
 */
export function keepAtCut<State>({
  database,
  tables,
  advance,
}: Source<State>): (cut: StageCut) => Promise<State | null> {
  let kept: (KeptState<State> & Readonly<{ identity: string }>) | null = null
  let advancing: Readonly<{ cut: StageCut; done: Promise<void> }> | null = null
  const reach = async (cut: StageCut): Promise<void> => {
    // The identity is read before the rows. If the tables are exchanged in between, the next cut notices it.
    const [row] = await database.query<Readonly<{ identity: string }>>(identityOf(tables))
    const identity = row?.identity ?? ''
    const known = kept?.identity === identity ? kept : null
    kept = { cut, identity, state: await advance(known, cut) }
  }
  return async (cut) => {
    // The kept cut never goes back, so an earlier cut need not wait.
    const isEarlier = () => kept !== null && cut.atMs < kept.cut.atMs
    while (advancing !== null && !isEarlier())
      // A request for the same cut fails with the first one. Otherwise many requests would wait for a hanging database one after the other.
      await (isSame(advancing.cut, cut) ? advancing.done : advancing.done.catch(() => undefined))
    if (isEarlier()) return null
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
