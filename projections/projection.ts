/**
 * The definition of a projection as a value. A projection turns the derived records of one stage into table
 * rows.
 */
import assert from 'node:assert/strict'
import type { Stage, StageTypes } from '../schemas/stage.ts'
import type { RowContext } from './columns.ts'
import type { HourlyProduct } from './editions.ts'
import { restatements } from './restatements.ts'
import { subjectRows } from './subject-rows.ts'
import type { AnyTable, AnyVersionTable, VersionTable } from './table.ts'
import { ticks } from './ticks.ts'

/**
 * A row version without the stamp columns (the times and the place in the log). `values` are in the order of
 * the other columns of the table.
 */
export type Row = Readonly<{
  table: AnyVersionTable
  values: readonly unknown[]
  /**
   * True if this version withdraws the row. Such a version has only the key of the row, and defaults in the
   * other columns.
   */
  isWithdrawn?: true
}>

/**
 * Turns the records of one stage into table rows. `rowOf` and `withdrawnRow` are methods, so that a
 * projection of particular types is assignable to `Projection`.
 */
export type Projection<Types extends StageTypes = StageTypes> = Readonly<{
  stage: Stage<Types>
  tables: readonly AnyVersionTable[]
  hourly: readonly HourlyProduct[]
  /**
   * The folders of the `.sql` files that create the tables. The files of all projections share one sequence
   * of numbers.
   */
  migrations: readonly URL[]
  /** Returns the row of a record. Returns null if no table has records of this type. */
  rowOf(record: Types['derived'], context: RowContext): Row | null
  /**
   * Returns the version that withdraws the row with this key. Returns null if no table has rows of this
   * record type.
   */
  withdrawnRow(key: Types['key'], logKey: string): Row | null
}>

type DataOf<Types extends StageTypes, Type> = Extract<Types['derived'], { type: Type }>['data']

type ProjectionDefinition<Types extends StageTypes> = Pick<Projection<Types>, 'stage' | 'migrations'> &
  Readonly<{
    /** The results that are computed every hour. By default there are none. */
    hourly?: readonly HourlyProduct[]
    /** The table of each record type of the stage. Null if records of this type are in no table. */
    tables: Readonly<{
      [Type in Types['derived']['type']]: VersionTable<DataOf<Types, Type>, Types['key']> | null
    }>
  }>

/** Makes a projection in which each record is a version of one row. */
export function projectionOf<Types extends StageTypes>({
  stage,
  migrations,
  tables,
  hourly = [],
}: ProjectionDefinition<Types>): Projection<Types> {
  const tableOf = new Map<string, VersionTable<object, Types['key']>>()
  for (const [type, table] of Object.entries<VersionTable<object, Types['key']> | null>(tables))
    if (table) tableOf.set(type, table)
  return {
    stage,
    migrations,
    tables: [...tableOf.values()],
    hourly,
    rowOf({ type, data }, context) {
      const table = tableOf.get(type)
      return table ? { table, values: table.valuesOf(data, context) } : null
    },
    withdrawnRow(key, logKey) {
      const table = tableOf.get(key.recordType)
      return table ? { table, values: table.withdrawnValuesOf(key, logKey), isWithdrawn: true } : null
    },
  }
}

/** Returns the tables of a projection: the tables of its records, and the tables of its hourly results. */
export const ownTablesOf = ({ tables, hourly }: Pick<Projection, 'tables' | 'hourly'>): readonly AnyTable[] => [
  ...tables,
  ...hourly.map(({ table }) => table),
]

/** The tables to which every projection writes. */
const commonTables: readonly AnyTable[] = [ticks, restatements, subjectRows]

/** Returns whether several projections may write to the table. */
export const isShared = (table: AnyTable): boolean => commonTables.includes(table) || 'chain' in table.columns

/**
 * Returns all tables to which these projections write, each one time. These are the common tables and each
 * projection's own tables.
 */
export function tablesOf(projections: readonly Projection[]): readonly AnyTable[] {
  const byName = new Map<string, AnyTable>()
  for (const table of [...commonTables, ...projections.flatMap(ownTablesOf)]) {
    assert(isShared(table) || !byName.has(table.name), `two projections have the table ${table.name}`)
    byName.set(table.name, table)
  }
  return [...byName.values()]
}
