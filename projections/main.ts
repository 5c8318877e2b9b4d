/** Projecting as a program: all projections of the service into one database. */
import type { Database } from '../infra/clickhouse/database.ts'
import type { OpenLog } from '../infra/log/open-log.ts'
import type { ProgramContext } from '../infra/program.ts'
import { runAgain } from '../infra/run-again.ts'
import { projections } from './projections.ts'
import { type AppliedMigration, compareMigrations, readMigrations } from './sink/migrate.ts'
import { type RebuildOptions, rebuildProjections } from './sink/rebuild.ts'
import type { ProjectionsProgress } from './sink/run.ts'
import { runSink } from './sink/run-sink.ts'

const nowMs = () => Date.now()

/** Runs until the signal aborts, again after a failure that may pass. */
export async function runProjectionProgram(
  { config, logger, signal, report }: ProgramContext,
  { log, registry }: Pick<OpenLog, 'log' | 'registry'>,
): Promise<void> {
  const database = { url: config.CLICKHOUSE_URL, dataDir: config.DATA_DIR }
  const behind = new Set<string>()
  const onProgress = ({ projection, knownAtMs, rowCount, isAtEnd }: ProjectionsProgress) => {
    const { name } = projection.stage
    if (isAtEnd) behind.delete(name)
    else behind.add(name)
    const text = `${name}: ${rowCount} rows to ${new Date(knownAtMs).toISOString()}`
    report({ program: 'project', text, isLive: behind.size === 0 })
  }
  const runOnce = () => runSink({ projections, log, registry, database, logger, signal, onProgress })
  await runAgain(runOnce, { name: 'project', signal, nowMs, logger })
}

export const rebuildTables = (options: Omit<RebuildOptions, 'projections'>): Promise<void> =>
  rebuildProjections({ ...options, projections })

/** How each migration stands in a database that has been migrated before. */
export const appliedMigrations = async (database: Pick<Database, 'query'>): Promise<readonly AppliedMigration[]> =>
  compareMigrations(database, await readMigrations(projections))
