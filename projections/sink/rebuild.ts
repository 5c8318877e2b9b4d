/** Drops what the tables hold and projects the log again: the same log gives the same answers. */

import type { DatabaseOptions } from '../../infra/clickhouse/connect.ts'
import { createDatabase, type Database } from '../../infra/clickhouse/database.ts'
import { crashPoint } from '../../infra/crash-points.ts'
import { type Projection, tablesOf } from '../projection.ts'
import { watermarkTable } from '../watermarks.ts'
import { migrate, readMigrations } from './migrate.ts'
import { type ProjectionsOptions, projectToEnd } from './run.ts'

export type RebuildOptions = Omit<ProjectionsOptions, 'database'> &
  Readonly<{ database: Omit<DatabaseOptions, 'role'> }>

/**
 * Projects all stages into a second database, then exchanges the tables one by one, the watermarks last: a reader
 * meanwhile sees the old tables or the new, and both answer alike. No projection may run beside it. An abort before the
 * exchange leaves everything as it was. What the log no longer holds is no longer in the tables either.
 */
export async function rebuildProjections(options: RebuildOptions): Promise<void> {
  const live = await createDatabase({ ...options.database, role: 'writer' })
  try {
    const shadowName = `${live.name}_rebuild`
    await live.command(`DROP DATABASE IF EXISTS ${shadowName} SYNC`)
    const shadow = await createDatabase({ ...options.database, role: 'writer', name: shadowName })
    try {
      await projectToEnd({ ...options, database: shadow })
      if (!options.signal.aborted) await exchange(live, shadowName, options.projections)
    } finally {
      await shadow.close()
    }
    await live.command(`DROP DATABASE IF EXISTS ${shadowName} SYNC`)
  } finally {
    await live.close()
  }
}

async function exchange(live: Database, shadowName: string, projections: readonly Projection[]): Promise<void> {
  await migrate(live, await readMigrations(projections))
  for (const name of [...tablesOf(projections).map((table) => table.name), watermarkTable]) {
    await live.command(`EXCHANGE TABLES ${live.name}.${name} AND ${shadowName}.${name}`)
    crashPoint('rebuild-exchanged')
  }
}
