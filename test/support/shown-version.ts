/**
 * Finds a stored row version that an answer contains. A test changes or removes this version, and then the
 * comparison of equal answers must fail.
 */
import type { Database } from '../../infra/clickhouse/database.ts'
import { atCut } from '../../projections/at-cut.ts'
import { poolMinutes } from '../../projections/chain-a/tables/pool-minutes.ts'
import { pools } from '../../projections/chain-a/tables/pools.ts'
import { chainBBursts } from '../../projections/chain-b/tables/chain-b-bursts.ts'
import type { AnyVersionTable } from '../../projections/table.ts'

export type ShownVersion = Readonly<{
  knownAtMs: number
  /** Sets the time at which the version was known. */
  stampAt(knownAtMs: number): Promise<void>
  remove(): Promise<void>
}>

/**
 * Returns the newest minute of any pool that the service knew at `cutAtMs`. An answer about all pools shows
 * this minute.
 */
export const versionShownAt = (database: Database, cutAtMs: number): Promise<ShownVersion> =>
  newestVersion(database, poolMinutes, {
    from: atCut(poolMinutes, cutAtMs),
    where: `pool IN (SELECT pool FROM ${atCut(pools, cutAtMs)})`,
  })

/**
 * Returns the newest burst of chain B that the service knew at `cutAtMs`, from the last four hours before
 * that time.
 */
export const burstShownAt = (database: Database, cutAtMs: number): Promise<ShownVersion> =>
  newestVersion(database, chainBBursts, {
    from: atCut(chainBBursts, cutAtMs),
    where: `at_ms > ${cutAtMs - 4 * 3_600_000}`,
  })

type Shown = Readonly<{ from: string; where: string }>

async function newestVersion(database: Database, { name }: AnyVersionTable, shown: Shown): Promise<ShownVersion> {
  const [version] = await database.query<Readonly<{ partition: number; offset: string; knownAtMs: string }>>(
    `SELECT log_partition AS partition, log_offset AS offset, known_at_ms AS knownAtMs
     FROM ${shown.from} WHERE ${shown.where} ORDER BY known_at_ms DESC, log_offset DESC LIMIT 1`,
  )
  if (!version) throw new TypeError(`no row of ${name} is shown`)
  const where = `WHERE log_partition = ${version.partition} AND log_offset = ${version.offset}`
  const change = (text: string) => database.command(`ALTER TABLE ${name} ${text} ${where} SETTINGS mutations_sync = 2`)
  return {
    knownAtMs: Number(version.knownAtMs),
    stampAt: (knownAtMs) => change(`UPDATE known_at_ms = ${knownAtMs}`),
    remove: () => change('DELETE'),
  }
}
