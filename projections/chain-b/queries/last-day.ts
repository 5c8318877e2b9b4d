import type { Database } from '../../../infra/clickhouse/database.ts'
import { dayMs } from '../../../schemas/units.ts'
import { atCut } from '../../at-cut.ts'
import type { StageCut } from '../../cuts.ts'
import { selectOne } from '../../select-one.ts'
import { chainBBursts } from '../tables/chain-b-bursts.ts'
import { chainBOutcomes } from '../tables/chain-b-outcomes.ts'
import type { DayRow } from './chain-b-queries.ts'
import { since } from './since.ts'

/**
 * Counts the bursts of the last 24 h in three ways: all bursts, the bursts with an outcome, and the bursts
 * whose curve was completed.
 */
export async function selectLastDay(database: Database, cut: StageCut): Promise<DayRow> {
  const keys = { at_ms: since(cut, dayMs) }
  const row = await selectOne<Readonly<Record<keyof DayRow, string>>>(
    database,
    `SELECT count() AS bursts, countIf(o.known_at_ms > 0) AS scored,
      countIf(o.completed_at_ms IS NOT NULL) AS graduated
    FROM ${atCut(chainBBursts, cut.atMs, keys)} AS b
    LEFT JOIN ${atCut(chainBOutcomes, cut.atMs, keys)} AS o ON o.mint = b.mint AND o.at_ms = b.at_ms`,
  )
  return { bursts: Number(row.bursts), scored: Number(row.scored), graduated: Number(row.graduated) }
}
