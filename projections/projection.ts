/** A projection as a value: how the records of one stage become rows. The sink runs a list of projections. */
import assert from 'node:assert/strict'
import type { Stage, StageTypes } from '../schemas/stage.ts'
import type { RowContext } from './columns.ts'
import type { HourlyProduct } from './editions.ts'
import { restatements } from './restatements.ts'
import type { AnyTable, AnyVersionTable, VersionTable } from './table.ts'
import { ticks } from './ticks.ts'

/** A row without its stamp columns. `values` are in the order of the table's own columns. */
export type Row = Readonly<{
  table: AnyVersionTable
  values: readonly unknown[]
  /** True if the version withdraws the row. It then has only the key of the row, and defaults in the other columns. */
  isWithdrawn?: true
}>

/** `rowOf` and `withdrawnRow` are methods, so that a projection of particular types is assignable to `Projection`. */
export type Projection<Types extends StageTypes = StageTypes> = Readonly<{
  stage: Stage<Types>
  tables: readonly AnyVersionTable[]
  hourly: readonly HourlyProduct[]
  /** The folders of the `.sql` files that create the tables. The files of all projections have one numbering. */
  migrations: readonly URL[]
  /** Returns the row of a record. Null: no table has records of this type. */
  rowOf(record: Types['derived'], context: RowContext): Row | null
  /** Returns the version that withdraws the row of this key. Null: no table has rows of this record type. */
  withdrawnRow(key: Types['key'], logKey: string): Row | null
}>

type DataOf<Types extends StageTypes, Type> = Extract<Types['derived'], { type: Type }>['data']

type ProjectionDefinition<Types extends StageTypes> = Pick<Projection<Types>, 'stage' | 'migrations'> &
  Readonly<{
    /** The hourly products. Default: none. */
    hourly?: readonly HourlyProduct[]
    /** The table of each record type of the stage. Null: no table has records of this type. */
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

/** The tables of a projection: the tables of its records, and the tables of its hourly products. */
export const ownTablesOf = ({ tables, hourly }: Pick<Projection, 'tables' | 'hourly'>): readonly AnyTable[] => [
  ...tables,
  ...hourly.map(({ table }) => table),
]

/** The tables to which every projection writes. */
const commonTables: readonly AnyTable[] = [ticks, restatements]

/** Whether several projections may write to the table. */
export const isShared = (table: AnyTable): boolean => commonTables.includes(table) || 'chain' in table.columns

/** All tables to which these projections write, each once: the common tables, and the own tables of each projection. */
export function tablesOf(projections: readonly Projection[]): readonly AnyTable[] {
  const byName = new Map<string, AnyTable>()
  for (const table of [...commonTables, ...projections.flatMap(ownTablesOf)]) {
    assert(isShared(table) || !byName.has(table.name), `${table.name} belongs to one projection`)
    byName.set(table.name, table)
  }
  return [...byName.values()]
}
