/** The holders of the liquidity of a token's pools. */

import type { Database } from '../../../infra/clickhouse/database.ts'
import type { LpClass } from '../../../schemas/chain-a/derived.ts'
import { rugCheckPoolsMax } from '../../../schemas/chain-a/rug-check.ts'
import { dayMs } from '../../../schemas/units.ts'
import { atCut } from '../../at-cut.ts'
import type { StageCut } from '../../cuts.ts'
import { rowOf, type Selected, selectOf } from '../../select.ts'
import { poolMinutes } from '../tables/pool-minutes.ts'
import { poolProfiles } from '../tables/pool-profiles.ts'
import type { ProfileRow, RugCheckRow } from './chain-a-queries.ts'
import { since } from './pools.ts'

type TokenPools = Pick<RugCheckRow, 'profiles' | 'v4PoolCount' | 'classes'>

/** The v4 pools of a token that were created in the last 24 h. `token` is text from outside. */
export async function selectProfiles(database: Database, cut: StageCut, token: string): Promise<TokenPools> {
  const source = atCut(poolProfiles, cut.atMs, {
    created_at_ms: since(cut, dayMs),
    token: { sql: '= {token:String}' },
  })
  const oldestFirst = `${profilesSql(source)} ORDER BY p.created_at_ms, p.pool LIMIT ${rugCheckPoolsMax + 1}`
  const profiles = await query(database, oldestFirst, token)
  return profiles.length <= rugCheckPoolsMax
    ? { profiles, v4PoolCount: profiles.length, classes: [...new Set(profiles.map((profile) => profile.class))] }
    : selectDeepest(database, cut, { source, token })
}

/**
 * Selects only the deepest pools of a token with too many pools. Anyone can create pools for the price of gas. The count and the classes
 * cover all pools.
 */
async function selectDeepest(
  database: Database,
  cut: StageCut,
  { source, token }: Readonly<{ source: string; token: string }>,
): Promise<TokenPools> {
  const [deepest, classes] = await Promise.all([
    query(database, `${profilesSql(source)} ${byDepth(source, cut)} LIMIT ${rugCheckPoolsMax}`, token),
    database.query<{ class: LpClass; count: string }>(
      `SELECT class, count() AS count FROM ${source} GROUP BY class ORDER BY class`,
      { token },
    ),
  ])
  return {
    profiles: [...deepest].sort((a, b) => a.createdAtMs - b.createdAtMs || (a.pool < b.pool ? -1 : 1)),
    v4PoolCount: classes.reduce((sum, { count }) => sum + Number(count), 0),
    classes: classes.map((row) => row.class),
  }
}

const profilesSql = (source: string): string => `SELECT ${selectOf(poolProfiles, 'p')} FROM ${source} AS p`

/** SQL that orders pools by the ETH in them at their last swap, most first. A pool without a swap counts as 0 ETH. */
const byDepth = (source: string, cut: StageCut): string =>
  `LEFT JOIN (
     SELECT pool, argMax(liq_eth, minute_at_ms) AS liqEth FROM ${atCut(poolMinutes, cut.atMs, {
       minute_at_ms: since(cut, dayMs),
       pool: { sql: `IN (SELECT pool FROM ${source})` },
     })} GROUP BY pool
   ) AS m ON m.pool = p.pool ORDER BY m.liqEth DESC, p.created_at_ms, p.pool`

async function query(database: Database, sql: string, token: string): Promise<readonly ProfileRow[]> {
  const rows = await database.query<Selected>(sql, { token })
  return rows.map((selected) => rowOf(poolProfiles, 'p', selected))
}
