/** The contents of the tables behind a cluster's log, without offsets and append times. */
import { createDatabase, type Database } from '../../../../infra/clickhouse/database.ts'
import type { SchemaRegistry } from '../../../../infra/codec/schema-codec.ts'
import type { Log } from '../../../../infra/log/log.ts'
import { tablesOf } from '../../../../projections/projection.ts'
import { projections } from '../../../../projections/projections.ts'
import { projectToEnd } from '../../../../projections/sink/run.ts'
import { columnsOf } from '../../../../projections/table.ts'
import { watermarkColumns, watermarkTable } from '../../../../projections/watermarks.ts'
import { silentLogger } from '../../../replay/stage-log.ts'
import type { Contents } from '../../crash/contents.ts'

/** A ClickHouse server and a database on it. */
export type TablesAddress = Readonly<{ url: string; name: string }>

export const openTables = ({ url, name }: TablesAddress): Promise<Database> =>
  createDatabase({ url, name, role: 'writer', dataDir: '' })

/** With a `source`, it first projects the log to its end. */
export async function tableContents(
  address: TablesAddress,
  source?: Readonly<{ log: Log; registry: SchemaRegistry }>,
): Promise<Contents> {
  const database = await openTables(address)
  const { signal } = new AbortController()
  try {
    if (source) await projectToEnd({ projections, ...source, database, logger: silentLogger, signal })
    return await readTables(database)
  } finally {
    await database.close()
  }
}

/**
 * Offsets differ between logs, but the order of the offsets does not. So each offset is replaced by its place
 * in the order.
 */
async function readTables(database: Database): Promise<Contents> {
  const contents: Record<string, string[]> = {}
  const read = async (table: string, columns: readonly string[]) => {
    const rows = await database.query<object>(`SELECT ${columns.join(', ')} FROM ${table} ORDER BY ALL`)
    contents[table] = rows.map((row) => JSON.stringify(row))
  }
  const place = 'dense_rank() OVER (PARTITION BY log_partition ORDER BY log_offset) AS place'
  const isEqual = (column: string) => !['log_offset', 'published_at_ms', 'next_offset'].includes(column)
  for (const table of tablesOf(projections)) await read(table.name, [...columnsOf(table).filter(isEqual), place])
  await read(`${watermarkTable} FINAL`, watermarkColumns.filter(isEqual))
  return contents
}
