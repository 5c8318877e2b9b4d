/** Tells from memory which names can be asked about, so that a question about any other name costs no query. */

import type { Database } from '../infra/clickhouse/database.ts'
import { type DurationMs, dayMs, type EpochMs } from '../schemas/units.ts'
import { identifiersKnown, identityOf } from './at-cut.ts'
import type { StageCut } from './cuts.ts'
import type { IdentifierColumn } from './identifier-column.ts'
import type { AnyVersionTable } from './table.ts'

type ColumnOf<Of extends AnyVersionTable> = keyof Of['columns'] & string

export const identifiersIn = <Of extends AnyVersionTable>(
  table: Of,
  column: ColumnOf<Of>,
  life: Readonly<{ fromColumn: ColumnOf<Of>; ms: DurationMs }> | null,
): IdentifierColumn => ({ table, column, life })

export type Tracked = Readonly<{
  /**
   * False: no row known at the cut has the identifier within its life, so no query would find one. True: a query may.
   * Case-sensitive. `cut` must be a live one, because expired identifiers are dropped from memory.
   */
  mayHold(identifier: string, cut: StageCut): Promise<boolean>
}>

/** The instant until which a row of each identifier can be shown. */
type Untils = Map<string, EpochMs>

/** All identifiers known by `knownMs` in the tables with this identity. */
type Filled = Readonly<{ untils: Untils; madeAtMs: EpochMs; knownMs: EpochMs; identity: string }>

/** The map is rebuilt this often, because identifiers that have left the tables are removed only then. */
const madeEveryMs = dayMs
/** A reorg can take back a cut's newest block, and with it the oldest row that is shown: by four hours at most. */
const slackMs = dayMs

/**
 * Filled at the first question, and extended with what became known between two cuts before anything is denied at the newer one. It
 * only grows, so it denies nothing that is tracked at a cut in between. Rebuilt when the tables were exchanged. `database`: a
 * connection with the reader role.
 */
export function createTracked(database: Pick<Database, 'query'>, columns: readonly IdentifierColumn[]): Tracked {
  let filled: Filled | null = null
  let filling: Promise<void> | null = null

  const add = async (untils: Untils, cut: StageCut, afterMs: number | null): Promise<void> => {
    const sql = identifiersKnown(columns, { afterMs, toMs: cut.atMs, aliveAtMs: cut.blockAtMs - slackMs })
    const rows = await database.query<{ part: number; identifier: string; atMs: string }>(sql)
    for (const { part, identifier, atMs } of rows) {
      const life = columns[part]?.life
      const untilMs = life ? Number(atMs) + life.ms : Number.POSITIVE_INFINITY
      untils.set(identifier, Math.max(untilMs, untils.get(identifier) ?? untilMs))
    }
  }
  const fill = async (cut: StageCut): Promise<Filled> => {
    // Read before the rows, so that an exchange during the reading is noticed next time.
    const [row] = await database.query<{ identity: string }>(identityOf(columns.map(({ table }) => table)))
    const identity = row?.identity ?? ''
    if (filled && filled.identity === identity && cut.atMs - filled.madeAtMs < madeEveryMs) {
      await add(filled.untils, cut, filled.knownMs)
      return { ...filled, knownMs: cut.atMs }
    }
    const untils: Untils = new Map()
    await add(untils, cut, null)
    return { untils, identity, madeAtMs: cut.atMs, knownMs: cut.atMs }
  }
  const reach = async (cut: StageCut): Promise<Untils> => {
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
    return filled.untils
  }
  const holds = (untils: Untils, identifier: string, { blockAtMs }: StageCut): boolean =>
    (untils.get(identifier) ?? Number.NEGATIVE_INFINITY) > blockAtMs

  return {
    async mayHold(identifier, cut) {
      // What it holds it will hold: only a denial waits until the cut is reached.
      return (filled !== null && holds(filled.untils, identifier, cut)) || holds(await reach(cut), identifier, cut)
    },
  }
}
