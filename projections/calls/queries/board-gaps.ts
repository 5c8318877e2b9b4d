/**
 * Counts the calls of each caller for which trades are missing in the hour after the anchor. The anchor is
 * the time of the price from which a call's return is measured. Only calls that count for the ranked list of
 * callers are included.
 */
import type { Database } from '../../../infra/clickhouse/database.ts'
import { callRules } from '../../../schemas/calls/rules.ts'
import type { EpochMs } from '../../../schemas/units.ts'
import { atCut } from '../../at-cut.ts'
import type { Cut } from '../../cuts.ts'
import { touchesSql } from '../../trade-gaps/missing-trades.ts'
import type { CalledChain } from '../called-chain.ts'
import type { CallerRow } from './calls-queries.ts'

type Counted = Readonly<{
  chains: readonly CalledChain[]
  /** A subquery for the counted calls, as rows of the table of scores. Each row contains the caller. */
  source: string
  /** All counted calls were posted at or after this time. */
  afterMs: EpochMs
}>

export type GapCallsOf = (caller: Pick<CallerRow, 'chat' | 'poster'>) => number

/**
 * SQL for the time of the anchor (the price from which the return of a call is measured). Older rows lack
 * this time. For these rows it is `anchorDelayMs` after the post, which is right for nearly all posts.
 */
const anchorSql = `ifNull(c.anchor_at_ms, c.posted_at_ms + ${callRules.anchorDelayMs})`

/**
 * Counts the calls with a gap in the recorded trades in the hour after the anchor, in any market of the
 * token. Calls with prices from lookups are left out, because these prices do not depend on recorded trades.
 */
export async function selectGapCalls(
  database: Database,
  cut: Cut,
  { chains, source, afterMs }: Counted,
): Promise<GapCallsOf> {
  const gaps = chains.flatMap(({ stage, gaps: { table } }) => {
    const stageCut = cut.stages[stage.name]
    return stageCut ? [`SELECT * FROM ${atCut(table, stageCut.atMs, { at_ms: { sql: `> ${afterMs}` } })}`] : []
  })
  const span = { afterMs: anchorSql, toMs: `${anchorSql} + ${callRules.scoreMs}` }
  const rows = await database.query<Readonly<{ chat: string; poster: string; gapCalls: string }>>(
    `SELECT c.chat AS chat, c.poster AS poster, uniqExact(c.token) AS gapCalls
     FROM ${source} AS c INNER JOIN (${gaps.join('\nUNION ALL\n')}) AS g ON g.token = c.token
     WHERE c.is_asked = 0 AND ${touchesSql('g', span)} GROUP BY chat, poster`,
  )
  const counts = new Map(rows.map(({ chat, poster, gapCalls }) => [`${chat} ${poster}`, Number(gapCalls)]))
  return ({ chat, poster }) => counts.get(`${chat} ${poster}`) ?? 0
}
