/** The projection program: writes the derived records of all stages as rows into one ClickHouse database. */
import { createDatabase, type Database } from '../infra/clickhouse/database.ts'
import type { OpenLog } from '../infra/log/open-log.ts'
import { noMetrics } from '../infra/metrics/metrics.ts'
import { behindText, type ProgramContext } from '../infra/program.ts'
import { runAgain } from '../infra/run-again.ts'
import { projections } from './projections.ts'
import { measureProjections } from './sink/measure-projections.ts'
import { type AppliedMigration, compareMigrations, readMigrations } from './sink/migrate.ts'
import { type RebuildOptions, rebuildProjections } from './sink/rebuild.ts'
import { type ProjectionsOptions, type ProjectionsProgress, projectToEnd } from './sink/run.ts'
import { runSink } from './sink/run-sink.ts'

const nowMs = () => Date.now()

/** Runs until the signal aborts. Restarts after a temporary failure. */
export async function runProjectionProgram(
  { config, logger, signal, report, metrics = noMetrics }: ProgramContext,
  { log, registry }: Pick<OpenLog, 'log' | 'registry'>,
): Promise<void> {
  const database = { url: config.CLICKHOUSE_URL, dataDir: config.DATA_DIR }
  const measure = measureProjections(metrics, nowMs)
  const onProgress = (progress: ProjectionsProgress) => {
    const { projection, blockAtMs, rowCount, isAtEnd } = progress
    measure(progress, projection.stage.name)
    const { state, behind } = behindText(blockAtMs, nowMs())
    const text = `${behind}, ${rowCount} rows at once`
    report({ program: 'project', stage: projection.stage.name, state, hasCaughtUp: isAtEnd, text })
  }
  const runOnce = () => runSink({ projections, log, registry, database, logger, signal, onProgress })
  await runAgain(runOnce, { name: 'project', signal, nowMs, logger })
}

/**
 * Writes all derived records that are in the log at the time of the call into the tables of the given
 * database. Then returns.
 */
export async function projectHeld(
  options: Omit<ProjectionsOptions, 'projections' | 'database'> & Pick<RebuildOptions, 'database'>,
): Promise<void> {
  const database = await createDatabase({ ...options.database, role: 'writer' })
  try {
    await projectToEnd({ ...options, database, projections })
  } finally {
    await database.close()
  }
}

export const rebuildTables = (options: Omit<RebuildOptions, 'projections'>): Promise<void> =>
  rebuildProjections({ ...options, projections })

/**
 * Returns, for each migration, whether it is applied, missing or changed. The database must have been
 * migrated before.
 */
export const appliedMigrations = async (database: Pick<Database, 'query'>): Promise<readonly AppliedMigration[]> =>
  compareMigrations(database, await readMigrations(projections))
