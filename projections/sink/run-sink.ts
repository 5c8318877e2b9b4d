/** The sink as it stands in service: its own writing connection, and old rows dropped beside the new ones. */
import type { DatabaseOptions } from '../../infra/clickhouse/connect.ts'
import { createDatabase } from '../../infra/clickhouse/database.ts'
import { createRetention } from './retention.ts'
import { type ProjectionsOptions, runProjections } from './run.ts'

export type SinkOptions = Omit<ProjectionsOptions, 'database'> &
  Readonly<{ database: Omit<DatabaseOptions, 'role'>; retentionMs?: number }>

/** Runs until the signal aborts. The writer must open the tables before any reader: it creates them. */
export async function runSink(options: SinkOptions): Promise<void> {
  const database = await createDatabase({ ...options.database, role: 'writer' })
  const retention = createRetention({ ...options, database })
  const onProgress: ProjectionsOptions['onProgress'] = (progress) => {
    retention.reach(progress.projection, progress.knownAtMs)
    options.onProgress?.(progress)
  }
  try {
    await runProjections({ ...options, database, onProgress })
  } finally {
    await retention.settle()
    await database.close()
  }
}
