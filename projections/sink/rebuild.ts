/**
 * Replaces the tables with new tables that are made from the log. The same log always gives the same answers.
 */

import type { DatabaseOptions } from '../../infra/clickhouse/connect.ts'
import { createDatabase, type Database } from '../../infra/clickhouse/database.ts'
import { crashPoint } from '../../infra/crash-points.ts'
import { type Projection, tablesOf } from '../projection.ts'
import { watermarkTable } from '../watermarks.ts'
import { migrationTable } from './migrate.ts'
import { type ProjectionsOptions, projectToEnd } from './run.ts'

export type RebuildOptions = Omit<ProjectionsOptions, 'database'> &
  Readonly<{ database: Omit<DatabaseOptions, 'role'> }>

/**
 * Writes the records of all stages into the tables of another database. Then exchanges the tables with the
 * live tables one by one, the watermarks last. During the exchange a reader sees some old and some new
 * tables, but both give the same answers. No other program may write to the tables. An abort before the
 * exchange changes nothing. Rows whose records are no longer in the log are lost.
 */
export async function rebuildProjections(options: RebuildOptions): Promise<void> {
  const live = await createDatabase({ ...options.database, role: 'writer' })
  try {
    const shadowName = `${live.name}_rebuild`
    await live.command(`DROP DATABASE IF EXISTS ${shadowName} SYNC`)
    const shadow = await createDatabase({ ...options.database, role: 'writer', name: shadowName })
    try {
      await projectToEnd({ ...options, database: shadow })
      if (!options.signal.aborted) await exchangeTables(live, shadowName, options.projections)
    } finally {
      await shadow.close()
    }
    await live.command(`DROP DATABASE IF EXISTS ${shadowName} SYNC`)
  } finally {
    await live.close()
  }
}

/**
 * Exchanges each rebuilt table with the live table of the same name. The live table may be missing, or may
 * have been made by other migrations. The watermarks are exchanged after the rows, and the table of migrations
 * last. So after a crash, no watermark is ahead of the rows, and no table lacks a migration that is noted as
 * applied. At its next start, the program that writes the tables applies missing migrations and inserts missing rows.
 */
export async function exchangeTables(
  live: Pick<Database, 'name' | 'query' | 'command'>,
  shadowName: string,
  projections: readonly Projection[],
): Promise<void> {
  const found = await live.query<{ name: string }>('SELECT name FROM system.tables WHERE database = currentDatabase()')
  const isLive = new Set(found.map(({ name }) => name))
  for (const name of [...tablesOf(projections).map((table) => table.name), watermarkTable, migrationTable]) {
    const [old, rebuilt] = [`${live.name}.${name}`, `${shadowName}.${name}`]
    await live.command(isLive.has(name) ? `EXCHANGE TABLES ${old} AND ${rebuilt}` : `RENAME TABLE ${rebuilt} TO ${old}`)
    crashPoint('rebuild-exchanged')
  }
}
