/** The content of tables as lines: every column of every row, ordered by all columns. */
import type { Database } from '../../../infra/clickhouse/database.ts'
import type { Item } from './verdict.ts'

export const oldName = 'launch_data'

/** Progress: a later row of a partition takes the place of an earlier one. */
const replacing = new Set(['watermarks'])

export async function tableNames(database: Database, name: string): Promise<readonly string[]> {
  const rows = await database.query<Readonly<{ name: string }>>(
    `SELECT name FROM system.tables WHERE database = '${name}' ORDER BY name`,
  )
  return rows.map((row) => row.name)
}

/** A table that was dropped and made again, or exchanged, has another one. */
export async function tableIds(database: Database): Promise<string> {
  const rows = await database.query<Readonly<{ name: string; uuid: string }>>(
    `SELECT name, toString(uuid) AS uuid FROM system.tables WHERE database = '${oldName}' ORDER BY name`,
  )
  return rows.map(({ name, uuid }) => `${name} ${uuid}`).join('\n')
}

/** Columns, engine, order and settings of each table, without its database's name. */
export async function* definitionsOf(database: Database, name: string): AsyncGenerator<Item> {
  const rows = await database.query<Readonly<{ name: string; sql: string }>>(
    `SELECT name, create_table_query AS sql FROM system.tables WHERE database = '${name}' ORDER BY name`,
  )
  for (const row of rows)
    yield { name: `the definition of ${row.name}`, bytes: Buffer.from(row.sql.replace(`${name}.`, '')) }
}

type TableOf = Readonly<{ database: Database; name: string; table: string }>

const rowsPerPage = 50_000

/** `where`: SQL; default all rows. */
export async function* rowsOf({ database, name, table }: TableOf, where = '1'): AsyncGenerator<Item> {
  const final = replacing.has(table) ? 'FINAL' : ''
  for (let offset = 0; ; offset += rowsPerPage) {
    const rows = await database.query<Readonly<{ line: string }>>(
      `SELECT toString(tuple(*)) AS line FROM ${name}.${table} ${final} WHERE ${where}
       ORDER BY line LIMIT ${rowsPerPage} OFFSET ${offset}`,
    )
    for (const [at, { line }] of rows.entries())
      yield { name: `row ${offset + at} of ${table}`, bytes: Buffer.from(line) }
    if (rows.length < rowsPerPage) return
  }
}

export type Progress = Readonly<{ partition: number; state: string; seq: number; nextOffset: number }>

export async function progressOf(database: Database): Promise<readonly Progress[]> {
  const rows = await database.query<Readonly<{ partition: number; state: string; seq: string; nextOffset: string }>>(
    `SELECT log_partition AS partition, state, seq, next_offset AS nextOffset FROM ${oldName}.watermarks FINAL
     ORDER BY state, log_partition`,
  )
  return rows.map((row) => ({ ...row, seq: Number(row.seq), nextOffset: Number(row.nextOffset) }))
}
