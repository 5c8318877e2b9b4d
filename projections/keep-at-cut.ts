/**
 * Keeps the rows of the newest requested cut in memory. So a newer cut needs only the versions that became
 * known after that cut.
 */
import type { Database } from '../infra/clickhouse/database.ts'
import { identityOf } from './at-cut.ts'
import type { StageCut } from './cuts.ts'
import { selectOne } from './select-one.ts'
import type { AnyVersionTable } from './table.ts'

/** A state that `advance` changes in place, and the last cut to which `advance` has brought the state. */
export type KeptState<State> = Readonly<{ cut: StageCut; state: State }>

type Source<State> = Readonly<{
  database: Pick<Database, 'query'>
  /**
   * The tables of the rows. If a rebuild exchanges one of them, the whole state is made again from the new
   * tables.
   */
  tables: readonly AnyVersionTable[]
  /**
   * Returns the state at the cut. Begins with the kept state if there is one. A kept state may be changed
   * only after the last query of `advance`.
   */
  advance(kept: KeptState<State> | null, cut: StageCut): Promise<State>
}>

/**
 * Returns a function that gives the state at a cut. The function returns null if the cut is earlier than the
 * newest cut so far. Then the caller must select the rows. The caller must use the state before the next
 * `await`, because the next cut changes the state.
 */
export function keepAtCut<State>({
  database,
  tables,
  advance,
}: Source<State>): (cut: StageCut) => Promise<State | null> {
  let kept: (KeptState<State> & Readonly<{ identity: string }>) | null = null
  let advancing: Readonly<{ cut: StageCut; done: Promise<void> }> | null = null
  const reach = async (cut: StageCut): Promise<void> => {
    // The identity is read before the rows. If the tables are exchanged between the two reads, the next cut
    // notices the exchange.
    const row = await selectOne<Readonly<{ identity: string }>>(database, identityOf(tables))
    const identity = row.identity
    const known = kept?.identity === identity ? kept : null
    kept = { cut, identity, state: await advance(known, cut) }
  }
  return async (cut) => {
    // The kept cut never goes back, so a request for an earlier cut does not wait.
    const isEarlier = () => kept !== null && cut.atMs < kept.cut.atMs
    while (advancing !== null && !isEarlier())
      // A request for the same cut fails together with the first request. Otherwise many requests would wait,
      // one after the other, for a database that does not answer.
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
