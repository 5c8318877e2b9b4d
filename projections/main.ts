/** The projections as a program: its own writing connection, closed when it stops. */
import type { DatabaseOptions } from '../infra/clickhouse/connect.ts'
import { createDatabase, type Database } from '../infra/clickhouse/database.ts'
import { projections as all } from './projections.ts'
import { type AppliedMigration, compareMigrations, readMigrations } from './sink/migrate.ts'
import { type RebuildOptions, rebuildProjections } from './sink/rebuild.ts'
import { createRetention } from './sink/retention.ts'
import { type ProjectionsOptions, runProjections } from './sink/run.ts'

/** `projections`: default those of the service. */
type Program<Options extends Pick<ProjectionsOptions, 'projections'>> = Omit<Options, 'projections'> &
  Partial<Pick<Options, 'projections'>>

export type ProjectionProgramOptions = Program<Omit<ProjectionsOptions, 'database'>> &
  Readonly<{ database: Omit<DatabaseOptions, 'role'>; retentionMs?: number }>

/** Runs until the signal aborts. The writer must open the tables before any reader: it creates them. */
export async function runProjectionProgram(options: ProjectionProgramOptions): Promise<void> {
  const database = await createDatabase({ ...options.database, role: 'writer' })
  const retention = createRetention({ ...options, database })
  const onProgress: ProjectionsOptions['onProgress'] = (progress) => {
    retention.reach(progress.projection, progress.knownAtMs)
    options.onProgress?.(progress)
  }
  try {
    await runProjections({ projections: all, ...options, database, onProgress })
  } finally {
    await retention.settle()
    await database.close()
  }
}

export const rebuildTables = (options: Program<RebuildOptions>): Promise<void> =>
  rebuildProjections({ projections: all, ...options })

/** How each migration stands in a database that has been migrated before. */
export const appliedMigrations = async (database: Pick<Database, 'query'>): Promise<readonly AppliedMigration[]> =>
  compareMigrations(database, await readMigrations(all))
