/**
 * A table as a value, written once: the rows of the sink, the column lists and row types of the queries, the retention and
 * the check against the migrations are made of it.
 */
import type { DurationMs } from '../schemas/units.ts'
import { type Column, type Columns, label, type RowContext } from './columns.ts'

/** What every row carries beside its own columns: when it was known, and where in the log it stands. */
export const stampColumns = {
  known_at_ms: 'Int64',
  published_at_ms: 'Int64',
  log_partition: 'UInt16',
  log_offset: 'Int64',
  tick_seq: 'Int64',
  withdrawn: 'UInt8',
} as const

type StampColumn = keyof typeof stampColumns

/** A column, or what a column is divided into: whole spans of time, numbered from 1970. */
export type OrderPart = string | Readonly<{ column: string; everyMs: DurationMs }>

type Described<OwnColumns> = Readonly<{
  name: string
  /** Whole partitions are dropped when they are old; each covers so much time of this column. */
  partition: Readonly<{ column: (keyof OwnColumns & string) | StampColumn; everyMs: DurationMs }>
  columns: OwnColumns
}>

export type Table<Source = never, OwnColumns extends Columns<Source> = Columns<Source>> = Described<OwnColumns> &
  Readonly<{
    /** The order on disk. */
    order: readonly OrderPart[]
    /** What a record puts in the table's own columns, in their order. */
    valuesOf(source: Source, context: RowContext): readonly unknown[]
  }>

/**
 * A table of versions. `naturalKey` names the row that later versions replace. A row whose key moves (a pool's creation
 * time, a burst's signal) is withdrawn under the old key and written under the new one.
 */
export type VersionTable<
  Source = never,
  Key = never,
  OwnColumns extends Columns<Source> = Columns<Source>,
  Natural extends string = string,
> = Table<Source, OwnColumns> &
  Readonly<{
    naturalKey: readonly Natural[]
    /** Queries see the rows of this chain only. Null: all rows are of one stage. */
    chain: string | null
    /** What the version of a row that never happened holds: its natural key, and the columns' defaults made of nulls. */
    withdrawnValuesOf(key: Key, logKey: string): readonly unknown[]
    /** The natural key among a row's values. */
    keyOf(values: readonly unknown[]): readonly unknown[]
    /** The same, as text. */
    keyTextOf(values: readonly unknown[]): string
  }>

/** Called twice, because TypeScript infers either all type parameters of a call or none. */
export const table =
  <Source>() =>
  <const OwnColumns extends Columns<Source>>(
    definition: Described<OwnColumns> & Readonly<{ order: readonly OrderPart[] }>,
  ): Table<Source, OwnColumns> => {
    const columns: readonly Column<Source>[] = Object.values(definition.columns)
    return {
      ...definition,
      valuesOf: (source, context) => columns.map((column) => column.storedOf(source, context)),
    }
  }

type VersionDefinition<OwnColumns, Natural extends string, Key> = Described<OwnColumns> &
  Readonly<{
    naturalKey: readonly Natural[]
    /** The table's order up to the offset: read along it, the versions of a row come one after the other and need no sort. */
    order: readonly OrderPart[]
    withdrawn(key: Key, logKey: string): Readonly<Record<Natural, unknown> & Partial<Record<keyof OwnColumns, unknown>>>
  }>

/** `Source`: the data of the records that are its rows. */
export const versionTable =
  <Source>() =>
  <const OwnColumns extends Columns<Source>, Natural extends keyof OwnColumns & string, Key>(
    definition: VersionDefinition<OwnColumns, Natural, Key>,
  ): VersionTable<Source, Key, OwnColumns, Natural> => {
    const { withdrawn, ...described } = definition
    const names = Object.keys(definition.columns)
    const keyIndexes = definition.naturalKey.map((column) => names.indexOf(column))
    return {
      ...table<Source>()({ ...described, order: [...definition.order, 'log_offset'] }),
      naturalKey: definition.naturalKey,
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

/** A table that holds the rows of several chains, told apart by its column `chain`: `of` gives the part of one chain. */
type TableOfChains<Of extends AnyVersionTable> = Readonly<{ of(chain: string): Of }>

type ChainColumn = Readonly<{ chain: Column<never, string> }>

/** `chain` leads the order, so that a question about one chain reads its rows alone. A natural key is unique within a chain. */
export const tableOfChains =
  <Source>() =>
  <const OwnColumns extends Columns<Source>, Natural extends keyof OwnColumns & string, Key>(
    definition: VersionDefinition<OwnColumns, Natural, Key>,
  ): TableOfChains<VersionTable<Source, Key, ChainColumn & OwnColumns, Natural>> => {
    const make = (chain: string): VersionTable<Source, Key, ChainColumn & OwnColumns, Natural> => {
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

/** A table of the sink, whatever its records are. */
export type AnyTable = Table<never>
export type AnyVersionTable = VersionTable<never, never>

/** All columns, in the order of a stamped row. */
export const columnsOf = ({ columns }: AnyTable): readonly string[] => [
  ...Object.keys(columns),
  ...Object.keys(stampColumns),
]

/** As ClickHouse writes it. */
export const orderSql = (part: OrderPart): string =>
  typeof part === 'string' ? part : `intDiv(${part.column}, ${part.everyMs})`
