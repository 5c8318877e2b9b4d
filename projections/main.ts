/** The projections as a program: its own writing connection, closed when it stops. */
import type { DatabaseOptions } from '../infra/clickhouse/connect.ts'
import { createDatabase } from '../infra/clickhouse/database.ts'
import { createRetention } from './sink/retention.ts'
import { type ProjectionsOptions, runProjections } from './sink/run.ts'

export type ProjectionProgramOptions = Omit<ProjectionsOptions, 'database'> &
  Readonly<{ database: Omit<DatabaseOptions, 'role'>; retentionMs?: number }>

/** Runs until the signal aborts. The first to open the tables must be a writer: it makes them. */
export async function runProjectionProgram(options: ProjectionProgramOptions): Promise<void> {
  const database = await createDatabase({ ...options.database, role: 'writer' })
  const retention = createRetention({ ...options, database })
  const onProgress: ProjectionsOptions['onProgress'] = (progress) => {
    retention.reach(progress.knownAtMs)
    options.onProgress?.(progress)
  }
  try {
    await runProjections({ ...options, database, onProgress })
  } finally {
    await retention.settle()
    await database.close()
  }
}
