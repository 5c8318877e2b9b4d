/**
 * Keeps in memory which identifiers (such as token addresses) are in the tables. A request about any other
 * identifier is refused without a query.
 */

import type { Database } from '../infra/clickhouse/database.ts'
import { type DurationMs, dayMs, type EpochMs } from '../schemas/units.ts'
import { identifiersKnown, identityOf } from './at-cut.ts'
import type { StageCut } from './cuts.ts'
import type { IdentifierColumn } from './identifier-column.ts'
import { isUnchanged } from './recent-writes.ts'
import { selectOne } from './select-one.ts'
import type { AnyVersionTable } from './table.ts'

type ColumnOf<Of extends AnyVersionTable> = keyof Of['columns'] & string

export const identifiersIn = <Of extends AnyVersionTable>(
  table: Of,
  column: ColumnOf<Of>,
  life: Readonly<{ fromColumn: ColumnOf<Of>; ms: DurationMs }> | null,
): IdentifierColumn => ({ table, column, life })

export type Tracked = Readonly<{
  /**
   * Returns false if no row with the identifier can be shown at the cut. If the result is true, a query may
   * find a row. Identifiers are case-sensitive. If a column has a `life` (a limit of the time for which rows
   * are shown), `cut` must be recent, because expired identifiers are removed from memory.
   */
  mayHold(identifier: string, cut: StageCut): Promise<boolean>
  /**
   * Returns one of the identifiers for which `mayHold` is true at the cut, or null if there is none. Of
   * several, it is one whose rows are shown for the longest time. Reads the tables only if the cut is new.
   */
  example(cut: StageCut): Promise<string | null>
}>

/** For each identifier, the time until which a row with this identifier can be shown. */
type Untils = Map<string, EpochMs>

/** `part` is the index of the column. */
type Found = Readonly<{ part: number; identifier: string; atMs: string }>

/**
 * All identifiers that the service knew at `knownMs`. `identity` is the identity of the tables from which
 * they were read. `madeAtMs` is the time when the map was made, and `askedAtMs` the time of the last query.
 */
type Filled = Readonly<{
  untils: Untils
  madeAtMs: EpochMs
  askedAtMs: EpochMs
  knownMs: EpochMs
  identity: string
}>

/**
 * The time between two complete rebuilds of the map, in milliseconds. Expired identifiers are removed only by
 * a rebuild.
 */
const madeEveryMs = dayMs
/**
 * How long the map keeps identifiers after their rows expire, in milliseconds. A reorg can set the time of
 * the newest block back by up to four hours. Then rows that had expired can be shown again.
 */
const slackMs = dayMs

/**
 * Keeps the identifiers in a map that is filled at the first request. Before an identifier is refused at a
 * newer cut, the identifiers that became known after the last cut are added to the map.
 *
 * Identifiers are removed only when the map is rebuilt, so identifiers of earlier cuts stay allowed. The map
 * is also rebuilt after the tables were replaced. `database` has the reader role.
 */
export function createTracked(database: Pick<Database, 'query'>, columns: readonly IdentifierColumn[]): Tracked {
  let filled: Filled | null = null
  let filling: Promise<void> | null = null

  const tables = columns.map(({ table }) => table)
  const identifiersOf = (cut: StageCut, afterMs: number | null) =>
    identifiersKnown(columns, { afterMs, toMs: cut.atMs, aliveAtMs: cut.blockAtMs - slackMs })
  const add = (untils: Untils, rows: readonly Found[]): void => {
    for (const { part, identifier, atMs } of rows) {
      const life = columns[part]?.life
      const untilMs = life ? Number(atMs) + life.ms : Number.POSITIVE_INFINITY
      untils.set(identifier, Math.max(untilMs, untils.get(identifier) ?? untilMs))
    }
  }
  /** Adds the identifiers that became known after the last cut. Returns null if the map must be rebuilt. */
  const extend = async (known: Filled, cut: StageCut): Promise<Filled | null> => {
    if (cut.atMs - known.madeAtMs >= madeEveryMs) return null
    // ClickHouse finds the tables when it plans the query, and reads their identity when it runs the query.
    // If the identity is the same as before, the rows are therefore from the known tables.
    const rows = await database.query<Found>(
      `${identifiersOf(cut, known.knownMs)}\nUNION ALL\nSELECT ${columns.length} AS part, identity, toInt64(0) FROM (${identityOf(tables)})`,
    )
    if (rows.find(({ part }) => part === columns.length)?.identifier !== known.identity) return null
    add(
      known.untils,
      rows.filter(({ part }) => part < columns.length),
    )
    return { ...known, askedAtMs: cut.atMs, knownMs: cut.atMs }
  }
  const fill = async (cut: StageCut): Promise<Filled> => {
    if (filled && isUnchanged({ tables, ...filled }, cut)) return { ...filled, knownMs: cut.atMs }
    const extended = filled && (await extend(filled, cut))
    if (extended) return extended
    // The identity of the tables is read before their rows. If a rebuild replaces the tables between the two
    // reads, a later call notices the change.
    const row = await selectOne<{ identity: string }>(database, identityOf(tables))
    const untils: Untils = new Map()
    add(untils, await database.query<Found>(identifiersOf(cut, null)))
    return { untils, identity: row.identity, madeAtMs: cut.atMs, askedAtMs: cut.atMs, knownMs: cut.atMs }
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
      // An identifier in the map is allowed at once. Before an identifier is refused, the map must have
      // everything that was known at the cut.
      return (filled !== null && holds(filled.untils, identifier, cut)) || holds(await reach(cut), identifier, cut)
    },
    async example(cut) {
      const untils = await reach(cut)
      let longest: string | null = null
      let longestMs = cut.blockAtMs
      for (const [identifier, untilMs] of untils)
        if (untilMs > cut.blockAtMs && untilMs >= longestMs) [longest, longestMs] = [identifier, untilMs]
      return longest
    },
  }
}
