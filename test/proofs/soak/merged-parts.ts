import type { Database } from '../../../infra/clickhouse/database.ts'
import { tablesOf } from '../../../projections/projection.ts'
import { projections } from '../../../projections/projections.ts'
import { watermarkTable } from '../../../projections/watermarks.ts'

/**
 * The engine keeps what it has merged for 30 s of the machine's time, and goes to look for it every half minute to every five.
 * A soak writes half an hour to half a day of the market in these: the disk of its tables would be their copies for the most
 * part, more or less as the machine is busy. Here it is about a second, which is still more of the market than in service.
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
