/** Writes the records of all stages to the tables with an own database connection, and drops old rows. */
import type { DatabaseOptions } from '../../infra/clickhouse/connect.ts'
import { createDatabase } from '../../infra/clickhouse/database.ts'
import type { DurationMs } from '../../schemas/units.ts'
import { createBatchSignal } from '../batch-signal.ts'
import { createRetention } from './retention.ts'
import { type ProjectionsOptions, runProjections } from './run.ts'

export type SinkOptions = Omit<ProjectionsOptions, 'database'> &
  Readonly<{ database: Omit<DatabaseOptions, 'role'>; retentionMs?: DurationMs }>

/**
 * Runs until the signal aborts. This function creates the tables, so it must open the database before any
 * reader does.
 */
export async function runSink(options: SinkOptions): Promise<void> {
  const database = await createDatabase({ ...options.database, role: 'writer' })
  const retention = createRetention({ ...options, database })
  const batchSignal = createBatchSignal()
  const onProgress: ProjectionsOptions['onProgress'] = (progress) => {
    const { projection, knownAtMs } = progress
    retention.reach(projection, knownAtMs)
    batchSignal.announce({ stage: projection.stage.name })
    options.onProgress?.(progress)
  }
  try {
    await runProjections({ ...options, database, onProgress })
  } finally {
    batchSignal.close()
    await retention.settle()
    await database.close()
  }
}
