/**
 * `launch-data doctor`: checks the sources, the log, the tables and the other things that the configuration
 * names. It changes nothing.
 */
import { checkServing } from '../../../api/main.ts'
import { checkIngest } from '../../../ingest/main.ts'
import { appliedMigrations } from '../../../projections/main.ts'
import { type Check, isOk, textOfChecks } from '../../check.ts'
import { checkTables } from '../../clickhouse/check-tables.ts'
import type { Config } from '../../config.ts'
import { logChoiceOf } from '../../log/open-log.ts'
import { checkDataDir } from './check-data-dir.ts'

/**
 * Runs all checks at the same time, so that the slowest check determines the total time. The results are in
 * the order of the data flow.
 */
export async function examineAll(config: Config): Promise<readonly Check[]> {
  const checks = await Promise.all([
    checkIngest(config),
    logChoiceOf(config).checks(),
    Promise.all([checkTables(config, appliedMigrations), checkDataDir(config), ...checkServing(config)]),
  ])
  return checks.flat()
}

/** Prints one line for each check. Returns false if something is wrong. */
export async function runDoctor(config: Config, { isJson }: Readonly<{ isJson: boolean }>): Promise<boolean> {
  const checks = await examineAll(config)
  process.stdout.write(isJson ? `${JSON.stringify(checks, null, 2)}\n` : textOfChecks(checks))
  return checks.every(isOk)
}
