import type { Database } from '../../../infra/clickhouse/database.ts'
import { dayMs } from '../../../schemas/units.ts'
import { atCut } from '../../at-cut.ts'
import type { StageCut } from '../../cuts.ts'
import { selectOne } from '../../select-one.ts'
import { burstLp } from '../tables/burst-lp.ts'
import { burstOutcomes } from '../tables/burst-outcomes.ts'
import { bursts } from '../tables/bursts.ts'
import type { DayRow } from './chain-a-queries.ts'
import { since } from './pools.ts'

type Selected = Readonly<Record<Exclude<keyof DayRow, 'medianRet30m' | 'medianRuleRet'>, string>> &
  Readonly<{ medianRet30m: number | null; medianRuleRet: number | null }>

/**
 * Computes statistics of the bursts of the last 24 h: their returns, and the number of rugs in each liquidity
 * class.
 */
export async function selectLastDay(database: Database, cut: StageCut): Promise<DayRow> {
  const keys = { at_ms: since(cut, dayMs) }
  const on = (alias: string) => `${alias}.pool = b.pool AND ${alias}.tier = b.tier AND ${alias}.at_ms = b.at_ms`
  const classed = (name: 'held' | 'safe') =>
    `countIf(l.class = '${name}') AS ${name}, countIf(l.class = '${name}' AND isScored) AS ${name}Scored,
      countIf(l.class = '${name}' AND isScored AND o.rug_at_sec IS NOT NULL) AS ${name}Pulled`
  const row = await selectOne<Selected>(
    database,
    `SELECT count() AS bursts, countIf(o.known_at_ms > 0 AS isScored) AS scored,
      if(scored = 0, NULL, quantileExactInclusiveIf(0.5)(o.ret_30m, isScored)) AS medianRet30m,
      if(scored = 0, NULL, quantileExactInclusiveIf(0.5)(o.rule_ret, isScored)) AS medianRuleRet,
      countIf(l.known_at_ms > 0) AS checked, ${classed('held')}, ${classed('safe')}
    FROM ${atCut(bursts, cut.atMs, keys)} AS b
    LEFT JOIN ${atCut(burstOutcomes, cut.atMs, keys)} AS o ON ${on('o')}
    LEFT JOIN ${atCut(burstLp, cut.atMs, keys)} AS l ON ${on('l')}`,
  )
  return {
    bursts: Number(row.bursts),
    scored: Number(row.scored),
    medianRet30m: row.medianRet30m,
    medianRuleRet: row.medianRuleRet,
    checked: Number(row.checked),
    held: Number(row.held),
    heldScored: Number(row.heldScored),
    heldPulled: Number(row.heldPulled),
    safe: Number(row.safe),
    safeScored: Number(row.safeScored),
    safePulled: Number(row.safePulled),
  }
}
