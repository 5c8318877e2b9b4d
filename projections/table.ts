/**
 * The definition of a table as a value: its columns, its order and its partitions. The code that writes,
 * reads and deletes rows uses this definition. A test compares the definition with the migrations.
 */
import type { DurationMs } from '../schemas/units.ts'
import { type Column, type Columns, label, type RowContext } from './columns.ts'

/**
 * The columns that every table has in addition to its own columns. They contain the time at which the service
 * knew the row, and the row's place in the log.
 */
export const stampColumns = {
  known_at_ms: 'Int64',
  published_at_ms: 'Int64',
  log_partition: 'UInt16',
  log_offset: 'Int64',
  tick_seq: 'Int64',
  withdrawn: 'UInt8',
} as const

type StampColumn = keyof typeof stampColumns

type Described<OwnColumns> = Readonly<{
  name: string
  /**
   * How the table is divided on disk. Each partition has the rows of one span of `everyMs` milliseconds in
   * `column`. Old partitions are dropped as a whole.
   */
  partition: Readonly<{ column: (keyof OwnColumns & string) | StampColumn; everyMs: DurationMs }>
  columns: OwnColumns
}>

export type Table<Source = never, OwnColumns extends Columns<Source> = Columns<Source>> = Described<OwnColumns> &
  Readonly<{
    /** The order of the rows on disk. */
    order: readonly string[]
    /** Returns the values of a record, in the order of the table's own columns. */
    valuesOf(source: Source, context: RowContext): readonly unknown[]
  }>

/**
 * A table of row versions. Versions with the same `naturalKey` belong to one row, and the last version is
 * valid. A reorg can change a time in the key, for example the creation time of a pool. The row is then
 * withdrawn under the old key and written under the new key.
 */
export type VersionTable<
  Source = never,
  Key = never,
  OwnColumns extends Columns<Source> = Columns<Source>,
  Natural extends string = string,
  Leading extends string = string,
> = Table<Source, OwnColumns> &
  Readonly<{
    naturalKey: readonly Natural[]
    /** See `VersionDefinition`. Null if the table has no such column. */
    leading: Leading | null
    /**
     * See `BySubject`. The functions return the subjects and the time in a row's values. Null if no answer
     * asks for the rows of a subject.
     */
    bySubject:
      | (BySubject<string, Natural> &
          Readonly<{
            subjectsOf(values: readonly unknown[]): readonly unknown[]
            timeOf(values: readonly unknown[]): unknown
          }>)
      | null
    /**
     * The chain to which queries on this table are limited. Null if the table has no column `chain`, because
     * one stage writes all its rows.
     */
    chain: string | null
    /**
     * Returns the values of a version that withdraws a row: the natural key, and null in all other columns.
     * ClickHouse stores the default of the column in place of a null.
     */
    withdrawnValuesOf(key: Key, logKey: string): readonly unknown[]
    /** Returns the natural key columns of a row's values. */
    keyOf(values: readonly unknown[]): readonly unknown[]
    /** Returns the natural key in a row's values, as text. */
    keyTextOf(values: readonly unknown[]): string
  }>

/**
 * Defines a table: `table<Source>()({ … })`. Two calls are needed, because in one call TypeScript infers
 * either all type parameters or none.
 */
export const table =
  <Source>() =>
  <const OwnColumns extends Columns<Source>>(
    definition: Described<OwnColumns> & Readonly<{ order: readonly string[] }>,
  ): Table<Source, OwnColumns> => {
    const columns: readonly Column<Source>[] = Object.values(definition.columns)
    return {
      ...definition,
      valuesOf: (source, context) => columns.map((column) => column.storedOf(source, context)),
    }
  }

/** A token of chain A or a mint of chain B is a `token`. */
export type SubjectKind = 'token' | 'pool'

/**
 * The columns that contain the subjects of a row. Each row is also written to `subject_rows`, one time per
 * subject. So one query selects the rows of a subject from many tables. All versions of a row have the same
 * subjects, including the version that withdraws the row. `time` is the time column of the natural key.
 */
type BySubject<ColumnName, Natural> = Readonly<Partial<Record<SubjectKind, ColumnName>>> & Readonly<{ time: Natural }>

type VersionDefinition<OwnColumns, Natural extends string, Key, Leading extends string> = Described<OwnColumns> &
  Readonly<{
    naturalKey: readonly Natural[]
    /**
     * The order of the rows on disk. The log offset is added as the last part. The query of `atCut` needs the
     * rows in this order, so it does not sort them.
     */
    order: readonly string[]
    /**
     * A text column outside the natural key that comes before `order` on disk. A query about one value, for
     * example one wallet, then reads a small range of rows. All versions of a row have the same value. Only
     * the version that withdraws the row has an empty text.
     */
    leading?: Leading
    bySubject?: BySubject<keyof OwnColumns & string, Natural>
    withdrawn(key: Key, logKey: string): Readonly<Record<Natural, unknown> & Partial<Record<keyof OwnColumns, unknown>>>
  }>

/** Defines a table of versions. `Source` is the data of the records that become rows. */
export const versionTable =
  <Source>() =>
  <
    const OwnColumns extends Columns<Source>,
    Natural extends keyof OwnColumns & string,
    Key,
    Leading extends keyof OwnColumns & string = never,
  >(
    definition: VersionDefinition<OwnColumns, Natural, Key, Leading>,
  ): VersionTable<Source, Key, OwnColumns, Natural, Leading> => {
    const { withdrawn, leading = null, bySubject = null, ...described } = definition
    const order = [...(leading === null ? [] : [leading]), ...definition.order, 'log_offset']
    const names = Object.keys(definition.columns)
    const keyIndexes = definition.naturalKey.map((column) => names.indexOf(column))
    const subjectIndexes = [bySubject?.token, bySubject?.pool].flatMap((column) =>
      column === undefined ? [] : names.indexOf(column),
    )
    const timeIndex = bySubject === null ? -1 : names.indexOf(bySubject.time)
    return {
      ...table<Source>()({ ...described, order }),
      naturalKey: definition.naturalKey,
      leading,
      bySubject: bySubject && {
        ...bySubject,
        subjectsOf: (values) => subjectIndexes.map((index) => values[index]),
        timeOf: (values) => values[timeIndex],
      },
      chain: null,
      withdrawnValuesOf(key, logKey) {
        const known: Readonly<Record<string, unknown>> = withdrawn(key, logKey)
        return names.map((name) => known[name] ?? null)
      },
      keyOf: (values) => keyIndexes.map((index) => values[index]),
      keyTextOf(values) {
        let text = ''
        for (const index of keyIndexes) text += `${values[index]} `
        return text
      },
    }
  }

/**
 * A table with the rows of several chains. The column `chain` contains the chain of a row. `of` returns the
 * table limited to one chain.
 */
type TableOfChains<Of extends AnyVersionTable> = Readonly<{ of(chain: string): Of }>

type ChainColumn = Readonly<{ chain: Column<never, string> }>

/**
 * Defines a table of several chains. `chain` is the first column of the order, so a query about one chain
 * reads only the rows of that chain. A natural key is unique only within a chain.
 */
export const tableOfChains =
  <Source>() =>
  <const OwnColumns extends Columns<Source>, Natural extends keyof OwnColumns & string, Key>(
    definition: Omit<VersionDefinition<OwnColumns, Natural, Key, never>, 'leading'>,
  ): TableOfChains<VersionTable<Source, Key, ChainColumn & OwnColumns, Natural, never>> => {
    const make = (chain: string): VersionTable<Source, Key, ChainColumn & OwnColumns, Natural, never> => {
      const columns: ChainColumn & OwnColumns = { chain: label(() => chain), ...definition.columns }
      const order = ['chain', ...definition.order]
      const withdrawn = (key: Key, logKey: string) => ({ ...definition.withdrawn(key, logKey), chain })
      return { ...versionTable<Source>()({ ...definition, columns, order, withdrawn }), chain }
    }
    const made = new Map<string, ReturnType<typeof make>>()
    return {
      of(chain) {
        const known = made.get(chain) ?? make(chain)
        made.set(chain, known)
        return known
      },
    }
  }

/** A table for records of any type. */
export type AnyTable = Table<never>
export type AnyVersionTable = VersionTable<never, never>

/** Returns the names of all columns, in the order of the values of an inserted row. */
export const columnsOf = ({ columns }: AnyTable): readonly string[] => [
  ...Object.keys(columns),
  ...Object.keys(stampColumns),
]

/**
 * Returns the SQL expression for the table partition of a row. The partition is the number of the row's time
 * span, counted from 1970.
 */
export const partitionSql = ({ partition: { column, everyMs } }: AnyTable): string => `intDiv(${column}, ${everyMs})`
