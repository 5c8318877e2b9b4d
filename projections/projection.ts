/** A projection as a value: how the records of one stage become rows. The sink runs any list of them. */
import assert from 'node:assert/strict'
import type { Stage, StageTypes } from '../schemas/stage.ts'
import type { RowContext } from './columns.ts'
import type { HourlyProduct } from './editions.ts'
import { restatements } from './restatements.ts'
import type { AnyTable, AnyVersionTable, VersionTable } from './table.ts'
import { ticks } from './ticks.ts'

/** A row without its stamp: values in the order of the table's own columns. */
export type Row = Readonly<{
  table: AnyVersionTable
  values: readonly unknown[]
  /** The version says that the row never happened; all but what names it is the columns' defaults. */
  isWithdrawn?: true
}>

/** Methods, not properties: a projection of particular types stands where the sink wants any projection. */
export type Projection<Types extends StageTypes = StageTypes> = Readonly<{
  stage: Stage<Types>
  tables: readonly AnyVersionTable[]
  hourly: readonly HourlyProduct[]
  /** The folders of the `.sql` files that make its tables. Names are one sequence with those of the other projections. */
  migrations: readonly URL[]
  /** Null: no table shows such records. */
  rowOf(record: Types['derived'], context: RowContext): Row | null
  /** The version that withdraws the row of this key. Null: no table shows such rows. */
  withdrawnRow(key: Types['key'], logKey: string): Row | null
}>

type DataOf<Types extends StageTypes, Type> = Extract<Types['derived'], { type: Type }>['data']

type ProjectionDefinition<Types extends StageTypes> = Pick<Projection<Types>, 'stage' | 'migrations'> &
  Readonly<{
    /** Default: none. */
    hourly?: readonly HourlyProduct[]
    /** Every record type of the stage, and the table that shows it. Null: none does. */
    tables: Readonly<{
      [Type in Types['derived']['type']]: VersionTable<DataOf<Types, Type>, Types['key']> | null
    }>
  }>

/** A projection in which each record is a version of one row. */
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

/** The tables of a projection: those of its records, and those of its hourly products. */
export const ownTablesOf = ({ tables, hourly }: Pick<Projection, 'tables' | 'hourly'>): readonly AnyTable[] => [
  ...tables,
  ...hourly.map(({ table }) => table),
]

/** The tables that every projection writes to. */
const commonTables: readonly AnyTable[] = [ticks, restatements]

/** Whether several projections may write to the table. */
export const isShared = (table: AnyTable): boolean => commonTables.includes(table) || 'chain' in table.columns

/** All tables with rows of the log, each once: those that all projections write to, and those of each. */
export function tablesOf(projections: readonly Projection[]): readonly AnyTable[] {
  const byName = new Map<string, AnyTable>()
  for (const table of [...commonTables, ...projections.flatMap(ownTablesOf)]) {
    assert(isShared(table) || !byName.has(table.name), `${table.name} belongs to one projection`)
    byName.set(table.name, table)
  }
  return [...byName.values()]
}
