/** Drops what the tables hold and projects the log again: the same log gives the same answers. */

import type { DatabaseOptions } from '../../infra/clickhouse/connect.ts'
import { createDatabase, type Database } from '../../infra/clickhouse/database.ts'
import { crashPoint } from '../../infra/crash-points.ts'
import { versionTableNames, watermarkTable } from '../tables.ts'
import { migrate, readMigrations } from './migrate.ts'
import { type ProjectionsOptions, projectToEnd } from './run.ts'

export type RebuildOptions = Omit<ProjectionsOptions, 'database'> &
  Readonly<{ database: Omit<DatabaseOptions, 'role'> }>

/**
 * Projects into a second database, then exchanges the tables one by one, the watermarks last: a reader meanwhile sees
 * the old tables or the new, and both answer alike. No projection may run beside it. An abort before the exchange
 * leaves everything as it was. What the log no longer holds is no longer in the tables either.
 */
export async function rebuildProjections(options: RebuildOptions): Promise<void> {
  const live = await createDatabase({ ...options.database, role: 'writer' })
  try {
    const shadowName = `${live.name}_rebuild`
    await live.command(`DROP DATABASE IF EXISTS ${shadowName} SYNC`)
    const shadow = await createDatabase({ ...options.database, role: 'writer', name: shadowName })
    try {
      await projectToEnd({ ...options, database: shadow })
      if (!options.signal.aborted) await exchange(live, shadowName)
    } finally {
      await shadow.close()
    }
    await live.command(`DROP DATABASE IF EXISTS ${shadowName} SYNC`)
  } finally {
    await live.close()
  }
}

async function exchange(live: Database, shadowName: string): Promise<void> {
  await migrate(live, await readMigrations())
  for (const table of [...versionTableNames, watermarkTable]) {
    await live.command(`EXCHANGE TABLES ${live.name}.${table} AND ${shadowName}.${table}`)
    crashPoint('rebuild-exchanged')
  }
}
