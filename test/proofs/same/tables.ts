/**
 * The contents of tables as lines. A line has every column of a row by name, so the engine, the order and the types do not matter.
 */
import type { Database } from '../../../infra/clickhouse/database.ts'
import type { Item } from './verdict.ts'

export const oldName = 'launch_data'

/** Tables in which a later row of a partition replaces an earlier one. */
const replacing = new Set(['watermarks'])

export async function tableNames(database: Database, name: string): Promise<readonly string[]> {
  const rows = await database.query<Readonly<{ name: string }>>(
    `SELECT name FROM system.tables WHERE database = '${name}' ORDER BY name`,
  )
  return rows.map((row) => row.name)
}

/** The ids of the tables. A table that was dropped and created again, or exchanged, has a new id. */
export async function tableIds(database: Database): Promise<string> {
  const rows = await database.query<Readonly<{ name: string; uuid: string }>>(
    `SELECT name, toString(uuid) AS uuid FROM system.tables WHERE database = '${oldName}' ORDER BY name`,
  )
  return rows.map(({ name, uuid }) => `${name} ${uuid}`).join('\n')
}

/** `columns` are those of the lines. Default: all columns of the table. */
type TableOf = Readonly<{ database: Database; name: string; table: string; columns?: readonly string[] | undefined }>

const rowsPerPage = 50_000

/** `where` is SQL. Default: all rows. */
export async function* rowsOf({ database, name, table, ...of }: TableOf, where = '1'): AsyncGenerator<Item> {
  const final = replacing.has(table) ? 'FINAL' : ''
  const columns = of.columns ?? (await columnsOf({ database, name, table }))
  const content = columns.map((column) => `'${column} ', ifNull(toString(${column}), 'null')`).join(", ' ', ")
  for (let offset = 0; ; offset += rowsPerPage) {
    const rows = await database.query<Readonly<{ line: string }>>(
      `SELECT concat(${content}) AS line FROM ${name}.${table} ${final} WHERE ${where}
       ORDER BY line LIMIT ${rowsPerPage} OFFSET ${offset}`,
    )
    for (const [at, { line }] of rows.entries())
      yield { name: `row ${offset + at} of ${table}`, bytes: Buffer.from(line) }
    if (rows.length < rowsPerPage) return
  }
}

export async function columnsOf({ database, name, table }: TableOf): Promise<readonly string[]> {
  const rows = await database.query<Readonly<{ name: string }>>(
    `SELECT name FROM system.columns WHERE database = '${name}' AND table = '${table}' ORDER BY name`,
  )
  return rows.map((row) => row.name)
}

export type Progress = Readonly<{ topic: string; partition: number; state: string; seq: number; nextOffset: number }>

export async function progressOf(database: Database): Promise<readonly Progress[]> {
  type ProgressRow = Readonly<{ topic: string; partition: number; state: string; seq: string; nextOffset: string }>
  const rows = await database.query<ProgressRow>(
    `SELECT topic, log_partition AS partition, state, seq, next_offset AS nextOffset FROM ${oldName}.watermarks FINAL
     ORDER BY topic, state, log_partition`,
  )
  return rows.map((row) => ({ ...row, seq: Number(row.seq), nextOffset: Number(row.nextOffset) }))
}
