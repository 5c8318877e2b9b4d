/** Collects the records about a token of chain A, from all tables, for the rules of its verdict. */

import type { Database } from '../../../infra/clickhouse/database.ts'
import { callRules } from '../../../schemas/calls/rules.ts'
import { dayMs } from '../../../schemas/units.ts'
import { atCut, keysWhere } from '../../at-cut.ts'
import type { StageCut } from '../../cuts.ts'
import { type DeskQueries, selectTokenDesk } from '../../desk/queries/desk.ts'
import { burstOutcomes } from '../tables/burst-outcomes.ts'
import { bursts } from '../tables/bursts.ts'
import { launchCurves } from '../tables/launch-curves.ts'
import { poolProfiles } from '../tables/pool-profiles.ts'
import { pools } from '../tables/pools.ts'
import type { VerdictRow } from './chain-a-queries.ts'
import { since } from './pools.ts'
import { selectRugCheck } from './rug-check.ts'
import { selectVerdictPrecall } from './verdict-precall.ts'

const isToken = '= {token:String}'

type Source = Readonly<{ database: Database; desk: DeskQueries }>

/** Selects the records for the verdict. Null in the same cases as the rug check of the token. `token` is text from outside. */
export async function selectVerdict(
  { database, desk: queries }: Source,
  cut: StageCut,
  token: string,
): Promise<VerdictRow | null> {
  // The rug check runs first. If the token is not tracked, the other queries are not needed.
  const rugCheck = await selectRugCheck(database, cut, token)
  if (rugCheck === null) return null
  const [liquidity, isRugged, bornAtMs, precall, desk] = await Promise.all([
    selectLiquidity(database, cut, token),
    wasRugged(database, cut, token),
    selectBirth(database, cut, token),
    selectVerdictPrecall(database, cut, token),
    selectTokenDesk(queries, cut, { token, sinceMs: since(cut, callRules.watchMs).from }),
  ])
  const { classes, v4PoolCount, v3PoolCount, curve } = rugCheck
  return { token, classes, v4PoolCount, v3PoolCount, curve, ...liquidity, isRugged, bornAtMs, precall, ...desk }
}

/** Reads all v4 pools of the last 24 h, including pools that the rug check does not list. */
async function selectLiquidity(
  database: Database,
  cut: StageCut,
  token: string,
): Promise<Pick<VerdictRow, 'insiderShare' | 'checkedAtMs'>> {
  const conditions = { created_at_ms: since(cut, dayMs), token: { sql: isToken } }
  const [row] = await database.query<{ insiderShare: number; checkedAtMs: string }>(
    `SELECT max(insider_share) AS insiderShare, max(checked_at_ms) AS checkedAtMs
     FROM ${atCut(poolProfiles, cut.atMs, conditions)}`,
    { token },
  )
  const checkedAtMs = Number(row?.checkedAtMs ?? 0)
  return { insiderShare: row?.insiderShare ?? 0, checkedAtMs: checkedAtMs === 0 ? null : checkedAtMs }
}

/** Whether the outcome of a burst of the last 24 h contains a rug. */
async function wasRugged(database: Database, cut: StageCut, token: string): Promise<boolean> {
  const conditions = { at_ms: keysWhere(bursts, 'at_ms', { column: 'token', sql: isToken, range: since(cut, dayMs) }) }
  const on = ['at_ms', 'pool', 'tier'].map((column) => `o.${column} = b.${column}`).join(' AND ')
  const [row] = await database.query<{ count: string }>(
    `SELECT count() AS count FROM ${atCut(bursts, cut.atMs, conditions)} AS b
     INNER JOIN ${atCut(burstOutcomes, cut.atMs, conditions)} AS o ON ${on}
     WHERE b.token ${isToken} AND o.rug_at_sec IS NOT NULL`,
    { token },
  )
  return Number(row?.count ?? 0) > 0
}

/** The creation of the token's oldest pool of the last 24 h, or its launch if that is earlier. Null: neither time is known. */
async function selectBirth(database: Database, cut: StageCut, token: string): Promise<number | null> {
  const [row] = await database.query<{ atMs: string }>(
    `SELECT min(atMs) AS atMs FROM (
       SELECT created_at_ms AS atMs FROM ${atCut(pools, cut.atMs, { created_at_ms: since(cut, dayMs) })} AS p
       WHERE p.token ${isToken}
       UNION ALL
       SELECT launched_at_ms AS atMs FROM ${atCut(launchCurves, cut.atMs, { token: { sql: isToken } })} AS c
       WHERE c.launched_at_ms > 0
     )`,
    { token },
  )
  const atMs = Number(row?.atMs ?? 0)
  return atMs === 0 ? null : atMs
}
