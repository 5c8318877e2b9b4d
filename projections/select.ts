/** Makes the column list of a query from the definition of a table, and converts the result into typed rows. */

import type { EpochMs } from '../schemas/units.ts'
import type { Column, RowContext } from './columns.ts'
import type { AnyTable, AnyVersionTable, Table } from './table.ts'

type HasColumns = Pick<AnyTable, 'columns'>

/**
 * A row as ClickHouse returned it. The row has the columns of `selectOf`, and any other columns of the query.
 */
export type Selected = Readonly<Record<string, unknown>>

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name

type RowOfColumns<OwnColumns> = {
  readonly [Name in keyof OwnColumns & string as CamelCase<Name>]: OwnColumns[Name] extends Column<never, infer Value>
    ? Value
    : never
}

/** A row of the table with its column names in camelCase: `at_ms` becomes `atMs`. */
export type RowOf<Of extends HasColumns> = RowOfColumns<Of['columns']>

/** The columns of a row that are not in its natural key. */
export type DetailsOf<Of extends AnyVersionTable> = RowOfColumns<
  Omit<Of['columns'], Of['naturalKey'][number] | 'chain'>
>

/** The time when the shown row version became known, and the time when its record was published. */
export type Stamp = Readonly<{ knownAtMs: EpochMs; publishedAtMs: EpochMs }>

/**
 * The times at which later parts of a row became known and were published. `seconds` is for parts that come
 * from a lookup within seconds. `outcome` is for the measured result. A value is null as long as the row does
 * not have this part.
 */
export type Filled = Readonly<{ seconds: Stamp | null; outcome: Stamp | null }>

export const notFilled: Filled = { seconds: null, outcome: null }

export const newestStamp = (stamps: readonly (Stamp | null)[]): Stamp | null =>
  stamps.reduce(
    (newest, one) => (one === null || (newest !== null && newest.knownAtMs >= one.knownAtMs) ? newest : one),
    null,
  )

/** Makes the column list of a SELECT. `alias` is the name of the table in the query. */
export const selectOf = ({ columns }: HasColumns, alias: string): string =>
  [...Object.keys(columns), 'known_at_ms', 'published_at_ms']
    .map((column) => `${alias}.${column} AS ${alias}_${column}`)
    .join(', ')

/**
 * Makes a row from selected values. If `alias` is null, the names in `selected` are the names of the columns.
 */
export function rowOf<Of extends HasColumns>({ columns }: Of, alias: string | null, selected: Selected): RowOf<Of> {
  const row: Record<string, unknown> = {}
  for (const { name, key, read } of readersOf(columns))
    row[key] = read(selected[alias === null ? name : `${alias}_${name}`])
  return row as RowOf<Of>
}

type Reader = Readonly<{ name: string; key: string; read: Column['read'] }>

const readers = new WeakMap<object, readonly Reader[]>()

/**
 * Returns the functions that convert the column values of a row. They are made only one time per table,
 * because a result can have many rows.
 */
function readersOf(columns: HasColumns['columns']): readonly Reader[] {
  const known = readers.get(columns)
  if (known) return known
  const made = Object.entries<Column>(columns).map(([name, { read }]) => ({ name, key: camelCase(name), read }))
  readers.set(columns, made)
  return made
}

/** Returns the row of a record in the form in which a query would return it. */
export const rowOfRecord = <Source, Of extends Table<Source>>(
  { columns, valuesOf }: Of & Pick<Table<Source>, 'valuesOf'>,
  source: Source,
  context: RowContext,
): RowOf<Of> => {
  const values = valuesOf(source, context)
  return Object.fromEntries(
    Object.entries<Column>(columns).map(([name, { read }], index) => [camelCase(name), read(values[index])]),
  ) as RowOf<Of>
}

export const stampOf = (alias: string, selected: Selected): Stamp => ({
  knownAtMs: Number(selected[`${alias}_known_at_ms`]),
  publishedAtMs: Number(selected[`${alias}_published_at_ms`]),
})

/** Makes a row with its stamp. It adds the stamp to the new row, because a copy of many fields takes long. */
export const stampedRowOf = <Of extends HasColumns>(table: Of, alias: string, selected: Selected): RowOf<Of> & Stamp =>
  Object.assign(rowOf(table, alias, selected), stampOf(alias, selected))

export const camelCase = (column: string): string =>
  column.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
