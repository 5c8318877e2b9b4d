/**
 * Deletes old rows, always as whole partitions of the ClickHouse tables. No paid answer needs the deleted
 * rows.
 */

import type { Database } from '../../infra/clickhouse/database.ts'
import { type DurationMs, dayMs, type EpochMs, hourMs } from '../../schemas/units.ts'
import { isShared, type Projection, tablesOf } from '../projection.ts'
import type { AnyTable } from '../table.ts'

export type Retention = Readonly<{
  /**
   * Reports that the tables of a stage contain everything known until `knownAtMs`. Old partitions are then
   * dropped in the background, at most one time per hour of `knownAtMs`. The age of rows is also measured by
   * `knownAtMs`, so a later rebuild keeps the same rows.
   */
  reach(projection: Projection, knownAtMs: EpochMs): void
  /** Waits until no drop is running. */
  settle(): Promise<void>
}>

export type RetentionOptions = Readonly<{
  /** The database connection with the writer role. */
  database: Pick<Database, 'query' | 'command'>
  /**
   * All projections that write to these tables. Rows of a shared table are kept until each of these
   * projections has called `reach`.
   */
  projections: readonly Projection[]
  logger: Readonly<{ warn(context: object, message: string): void }>
  /**
   * The age at which partitions are dropped, counted from the end of the partition. The default is 35 days,
   * the retention of the derived topic.
   */
  retentionMs?: DurationMs
}>

const retentionMsDefault = 35 * dayMs

export function createRetention(options: RetentionOptions): Retention {
  const { database, projections, logger, retentionMs = retentionMsDefault } = options
  const nextAtMs = new Map<Projection, number>()
  const reachedAtMs = new Map<Projection, number>()
  let running: Promise<void> | null = null

  const drop = async (projection: Projection, knownAtMs: EpochMs) => {
    const beforeMs = knownAtMs - retentionMs
    // All stages write to the shared tables. So the stage that is furthest behind decides what is dropped
    // there.
    const reached = projections.map((each) => reachedAtMs.get(each) ?? Number.NEGATIVE_INFINITY)
    const sharedBeforeMs = Math.min(...reached) - retentionMs
    try {
      const old = tablesOf([projection]).map((table) => ({
        ...{ table, beforeMs: isShared(table) ? sharedBeforeMs : beforeMs },
      }))
      await dropOld(database, old)
    } catch (error) {
      // The failure is only logged, because old rows cost disk space but change no answer.
      logger.warn(
        { err: error, stage: projection.stage.name },
        'old rows could not be dropped. The next attempt is in an hour',
      )
    } finally {
      running = null
    }
  }
  return {
    reach(projection, knownAtMs) {
      reachedAtMs.set(projection, knownAtMs)
      if (running || knownAtMs < (nextAtMs.get(projection) ?? Number.NEGATIVE_INFINITY)) return
      nextAtMs.set(projection, knownAtMs + hourMs)
      running = drop(projection, knownAtMs)
    },
    async settle() {
      await running
    },
  }
}

/** Drops the table partitions that ended at or before `beforeMs`, which is given for each table. */
async function dropOld(
  database: RetentionOptions['database'],
  old: readonly Readonly<{ table: AnyTable; beforeMs: EpochMs }>[],
): Promise<void> {
  const parts = await database.query<{ name: string; partition: string }>(
    'SELECT DISTINCT table AS name, partition FROM system.parts WHERE database = currentDatabase() AND active',
  )
  for (const { name, partition } of parts) {
    const found = old.find(({ table }) => table.name === name)
    if (!found || (Number(partition) + 1) * found.table.partition.everyMs > found.beforeMs) continue
    await database.command(`ALTER TABLE ${name} DROP PARTITION ${Number(partition)}`)
  }
}
