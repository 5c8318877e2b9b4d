import type { Database } from '../../../infra/clickhouse/database.ts'
import { tablesOf } from '../../../projections/projection.ts'
import { projections } from '../../../projections/projections.ts'
import { watermarkTable } from '../../../projections/watermarks.ts'

/**
 * The engine keeps merged parts for 30 s, and removes them every half minute to five minutes. In this time, a
 * soak test writes hours of simulated data, so the disk would hold mostly copies. Here the parts are removed
 * after about a second.
 */
export async function dropMergedPartsSoon(database: Database): Promise<void> {
  const settings = [
    'old_parts_lifetime = 1',
    'cleanup_delay_period = 1',
    'cleanup_delay_period_random_add = 0',
    'max_cleanup_delay_period = 1',
  ]
  for (const table of [...tablesOf(projections).map(({ name }) => name), watermarkTable])
    await database.command(`ALTER TABLE ${table} MODIFY SETTING ${settings.join(', ')}`)
}
