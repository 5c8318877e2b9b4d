/** What leaves the tables: whole partitions, by the day of their events. Nothing that is sold looks further back. */
import type { Database } from '../../infra/clickhouse/database.ts'
import type { VersionTable } from '../tables.ts'

export type Retention = Readonly<{
  /**
   * To be told how far the tables know. At most once in an hour of that time it drops what is old, behind the back of
   * whoever writes; time is that of the log, so that a log projected again years later keeps what a live one kept.
   */
  reach(knownAtMs: number): void
  /** Waits for the drop that is running. */
  settle(): Promise<void>
}>

export type RetentionOptions = Readonly<{
  /** The writer of the tables. */
  database: Pick<Database, 'query' | 'command'>
  logger: Readonly<{ warn(context: object, message: string): void }>
  /** Rows whose partition ended longer ago may go. Default 35 days, as long as the derived topic is kept. */
  retentionMs?: number
}>

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const retentionMsDefault = 35 * dayMs

/** How much time a partition of each table covers, as `PARTITION BY` in `tables/*.sql` says. */
const partitionMs: Readonly<Record<VersionTable, number>> = {
  ticks: dayMs,
  pools: dayMs,
  pool_minutes: dayMs,
  bursts: 30 * dayMs,
  burst_buyers: 30 * dayMs,
  burst_lp: 30 * dayMs,
  pool_profiles: dayMs,
  launch_curves: dayMs,
  burst_outcomes: 30 * dayMs,
}

export function createRetention(options: RetentionOptions): Retention {
  let nextAtMs = Number.NEGATIVE_INFINITY
  let running: Promise<void> | null = null

  const drop = async (knownAtMs: number) => {
    try {
      await dropBefore(options.database, knownAtMs - (options.retentionMs ?? retentionMsDefault))
    } catch (error) {
      // Old rows cost disk, not answers.
      options.logger.warn({ err: error }, 'old rows were not dropped; it is tried again in an hour')
    } finally {
      running = null
    }
  }
  return {
    reach(knownAtMs) {
      if (running || knownAtMs < nextAtMs) return
      nextAtMs = knownAtMs + hourMs
      running = drop(knownAtMs)
    },
    async settle() {
      await running
    },
  }
}

/** Drops the partitions that ended at or before the instant. */
async function dropBefore(database: RetentionOptions['database'], beforeMs: number): Promise<void> {
  const parts = await database.query<{ table: string; partition: string }>(
    'SELECT DISTINCT table, partition FROM system.parts WHERE database = currentDatabase() AND active',
  )
  for (const { table, partition } of parts) {
    if (!isVersionTable(table) || (Number(partition) + 1) * partitionMs[table] > beforeMs) continue
    await database.command(`ALTER TABLE ${table} DROP PARTITION ${Number(partition)}`)
  }
}

const isVersionTable = (table: string): table is VersionTable => Object.hasOwn(partitionMs, table)
