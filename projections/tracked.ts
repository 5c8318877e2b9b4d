/** What can be asked about by name, known without asking the tables: a question about anything else costs no query. */

import type { Database } from '../infra/clickhouse/database.ts'
import { dayMs } from '../schemas/units.ts'
import { identifiersKnown, identityOf } from './at-cut.ts'
import type { StageCut } from './cuts.ts'
import type { IdentifierColumn } from './identifier-column.ts'
import { createIdentifierSet, type IdentifierSet } from './identifier-set.ts'
import type { AnyVersionTable } from './table.ts'

type ColumnOf<Of extends AnyVersionTable> = keyof Of['columns'] & string

export const identifiersIn = <Of extends AnyVersionTable>(
  table: Of,
  column: ColumnOf<Of>,
  life: Readonly<{ fromColumn: ColumnOf<Of>; ms: number }> | null,
): IdentifierColumn => ({ table, column, life })

export type Tracked = Readonly<{
  /**
   * False: no row that was known at the cut names it within its life, so no query would find one. True: a query may. Case
   * counts. `cut` is a live one: memory of what nothing can show any more is given up.
   */
  mayHold(identifier: string, cut: StageCut): Promise<boolean>
}>

/** Everything that was known by `knownMs` in the tables of this identity. */
type Filled = Readonly<{ set: IdentifierSet; madeAtMs: number; knownMs: number; identity: string }>

/** Made anew so often, because what has left the tables is only found missing then. */
const madeEveryMs = dayMs
/** A reorg can take a cut's newest block back, and with it the oldest row that is shown: four hours at most. */
const slackMs = dayMs

/**
 * Filled when it is first asked, then extended with what became known between two cuts, before anything is denied at the
 * newer one. It only grows, so it denies nothing that is tracked at a cut between. Made anew when the tables were exchanged.
 * `database`: a reader.
 */
export function createTracked(database: Pick<Database, 'query'>, columns: readonly IdentifierColumn[]): Tracked {
  let filled: Filled | null = null
  let filling: Promise<void> | null = null

  const add = async (set: IdentifierSet, cut: StageCut, afterMs: number | null): Promise<void> => {
    const sql = identifiersKnown(columns, { afterMs, toMs: cut.atMs, aliveAtMs: cut.blockAtMs - slackMs })
    const rows = await database.query<{ part: number; identifier: string; atMs: string }>(sql)
    for (const { part, identifier, atMs } of rows) {
      const life = columns[part]?.life
      set.add(identifier, life ? Number(atMs) + life.ms : Number.POSITIVE_INFINITY)
    }
  }
  const fill = async (cut: StageCut): Promise<Filled> => {
    // Read first: an exchange while the rows are read shows next time.
    const [row] = await database.query<{ identity: string }>(identityOf(columns.map(({ table }) => table)))
    const identity = row?.identity ?? ''
    if (filled && filled.identity === identity && cut.atMs - filled.madeAtMs < madeEveryMs) {
      await add(filled.set, cut, filled.knownMs)
      return { ...filled, knownMs: cut.atMs }
    }
    const set = createIdentifierSet()
    await add(set, cut, null)
    return { set, identity, madeAtMs: cut.atMs, knownMs: cut.atMs }
  }
  const reach = async (cut: StageCut): Promise<IdentifierSet> => {
    while (!filled || filled.knownMs < cut.atMs) {
      filling ??= fill(cut)
        .then((done) => {
          filled = done
        })
        .finally(() => {
          filling = null
        })
      await filling
    }
    return filled.set
  }
  const holds = (set: IdentifierSet, identifier: string, { blockAtMs }: StageCut): boolean =>
    set.untilMs(identifier) > blockAtMs

  return {
    async mayHold(identifier, cut) {
      // What it holds it will hold: only a denial waits until the cut is reached.
      return (filled !== null && holds(filled.set, identifier, cut)) || holds(await reach(cut), identifier, cut)
    },
  }
}
