/** A version that an answer about every pool shows, and what somebody could do to it: a proof of equal answers must see it. */
import type { Database } from '../../infra/clickhouse/database.ts'
import { atCut } from '../../projections/at-cut.ts'
import { poolMinutes } from '../../projections/chain-a/tables/pool-minutes.ts'
import { pools } from '../../projections/chain-a/tables/pools.ts'

export type ShownVersion = Readonly<{
  knownAtMs: number
  /** Known only after this instant. */
  stampAt(knownAtMs: number): Promise<void>
  remove(): Promise<void>
}>

/** The newest minute of any pool at the cut. */
export async function versionShownAt(database: Database, cutAtMs: number): Promise<ShownVersion> {
  const [version] = await database.query<Readonly<{ partition: number; offset: string; knownAtMs: string }>>(
    `SELECT log_partition AS partition, log_offset AS offset, known_at_ms AS knownAtMs
     FROM ${atCut(poolMinutes, cutAtMs)} WHERE pool IN (SELECT pool FROM ${atCut(pools, cutAtMs)})
     ORDER BY known_at_ms DESC, log_offset DESC LIMIT 1`,
  )
  if (!version) throw new TypeError(`no minute is shown at ${cutAtMs}`)
  const where = `WHERE log_partition = ${version.partition} AND log_offset = ${version.offset}`
  const change = (text: string) =>
    database.command(`ALTER TABLE ${poolMinutes.name} ${text} ${where} SETTINGS mutations_sync = 2`)
  return {
    knownAtMs: Number(version.knownAtMs),
    stampAt: (knownAtMs) => change(`UPDATE known_at_ms = ${knownAtMs}`),
    remove: () => change('DELETE'),
  }
}
