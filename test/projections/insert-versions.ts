import type { Database } from '../../infra/clickhouse/database.ts'
import { rowsOfSubjects, subjectRows } from '../../projections/subject-rows.ts'
import { type AnyTable, type AnyVersionTable, columnsOf } from '../../projections/table.ts'

type Version = Readonly<{ values: readonly unknown[]; knownAtMs: number; isWithdrawn?: boolean }>

type Inserted = Readonly<{
  table: AnyVersionTable
  topic: 'chain-a-derived' | 'chain-b-derived'
  /** In the order of the log. `values` has the own columns of the table. */
  rows: readonly Version[]
}>

/** Inserts versions of rows as the sink does: into their table, and into the table of subjects. */
export async function insertVersions(database: Database, { table, topic, rows }: Inserted): Promise<void> {
  const context = { topic, logKey: '', supersedesAtMs: null }
  const written = rows.flatMap(({ values, knownAtMs, isWithdrawn = false }, offset) => {
    const row = { table, values, ...(isWithdrawn ? { isWithdrawn } : {}) }
    const stamp = [knownAtMs, knownAtMs + 1, 0, offset, offset, isWithdrawn ? 1 : 0]
    return [row, ...rowsOfSubjects(row, context)].map((one) => ({
      ...{ table: one.table as AnyTable, values: [...one.values, ...stamp] },
    }))
  })
  for (const into of [table, subjectRows] as const) {
    const own = written.filter((one) => one.table === into)
    if (own.length === 0) continue
    await database.insert({ table: into.name, columns: columnsOf(into), rows: own.map(({ values }) => values) })
  }
}
