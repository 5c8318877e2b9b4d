/** In how many of the counted calls of each caller trades are missing. */
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
  /** SQL: the calls that count, each with its caller, as rows of the tables of scores. */
  source: string
  /** All counted calls were posted after this instant. */
  afterMs: EpochMs
}>

export type GapCallsOf = (caller: Pick<CallerRow, 'chat' | 'poster'>) => number

/** Older rows do not tell the anchor. For nearly all posts it is this long after the post. */
const anchorSql = `ifNull(c.anchor_at_ms, c.posted_at_ms + ${callRules.anchorDelayMs})`

/** The hour after the anchor, in all markets of the token. Prices that were asked for are not of the trades. */
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
