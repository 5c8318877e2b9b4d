/** Who holds the liquidity: the columns that bursts and profiles share, and the profiles of a token. */
import type { Database } from '../../../infra/clickhouse/database.ts'
import type { LpClass } from '../../../schemas/chain-a/derived.ts'
import { rugCheckPoolsMax } from '../../../schemas/chain-a/rug-check.ts'
import { atCut } from '../../at-cut.ts'
import type { Cut, LpRow, ProfileRow, RugCheckRow } from './chain-a-views.ts'
import { dayMs, since } from './pools.ts'

export type SelectedLp = Readonly<{
  class: LpClass
  insiderShare: number
  burnedShare: number
  contractShare: number
  otherShare: number
  unknownShare: number
  firstAddAtMs: string | null
  lpAdds: number
}>

export const lpSql = (alias: string): string =>
  `${alias}.class AS class, ${alias}.insider_share AS insiderShare, ${alias}.burned_share AS burnedShare,
      ${alias}.contract_share AS contractShare, ${alias}.other_share AS otherShare, ${alias}.unknown_share AS unknownShare,
      ${alias}.first_add_at_ms AS firstAddAtMs, ${alias}.lp_adds AS lpAdds`

export const lpOf = (row: SelectedLp): LpRow => ({
  class: row.class,
  insiderShare: row.insiderShare,
  burnedShare: row.burnedShare,
  contractShare: row.contractShare,
  otherShare: row.otherShare,
  unknownShare: row.unknownShare,
  firstAddAtMs: row.firstAddAtMs === null ? null : Number(row.firstAddAtMs),
  lpAdds: row.lpAdds,
})

type SelectedProfile = SelectedLp &
  Readonly<{ pool: string; createdAtMs: string; checkedAtMs: string; blockNumber: string; creator: string | null }>

type TokenPools = Pick<RugCheckRow, 'profiles' | 'v4PoolCount' | 'classes'>

/** The v4 pools of a token that were created in the last 24 h; `token` is foreign text. */
export async function selectProfiles(database: Database, cut: Cut, token: string): Promise<TokenPools> {
  const asked = atCut('pool_profiles', cut.atMs, {
    created_at_ms: since(cut, dayMs),
    token: { sql: '= {token:String}' },
  })
  const profiles = await query(database, `${profilesSql(asked)} LIMIT ${rugCheckPoolsMax + 1}`, token)
  return profiles.length <= rugCheckPoolsMax
    ? { profiles, v4PoolCount: profiles.length, classes: [...new Set(profiles.map((profile) => profile.class))] }
    : selectDeepest(database, cut, { asked, token })
}

/** Anybody can make pools of a token for the price of gas: of too many the largest are shown, and all are judged. */
async function selectDeepest(
  database: Database,
  cut: Cut,
  { asked, token }: Readonly<{ asked: string; token: string }>,
): Promise<TokenPools> {
  const [deepest, classes] = await Promise.all([
    query(database, `SELECT p.* FROM (${profilesSql(asked)}) ${byDepth(asked, cut)} LIMIT ${rugCheckPoolsMax}`, token),
    database.query<{ class: LpClass; count: string }>(
      `SELECT class, count() AS count FROM ${asked} GROUP BY class ORDER BY class`,
      { token },
    ),
  ])
  return {
    profiles: [...deepest].sort((a, b) => a.createdAtMs - b.createdAtMs || (a.pool < b.pool ? -1 : 1)),
    v4PoolCount: classes.reduce((sum, { count }) => sum + Number(count), 0),
    classes: classes.map((row) => row.class),
  }
}

/** Those with the most ETH at their last swap first; a pool without one has none to show. */
const byDepth = (asked: string, cut: Cut): string =>
  `AS p LEFT JOIN (
     SELECT pool, argMax(liq_eth, minute_at_ms) AS liqEth FROM ${atCut('pool_minutes', cut.atMs, {
       minute_at_ms: since(cut, dayMs),
       pool: { sql: `IN (SELECT pool FROM ${asked})` },
     })} GROUP BY pool
   ) AS m ON m.pool = p.pool ORDER BY m.liqEth DESC, p.createdAtMs, p.pool`

/** Oldest first. */
const profilesSql = (asked: string): string =>
  `SELECT p.pool AS pool, p.created_at_ms AS createdAtMs, p.checked_at_ms AS checkedAtMs, p.block_number AS blockNumber,
      p.creator AS creator, ${lpSql('p')}
    FROM ${asked} AS p ORDER BY p.created_at_ms, p.pool`

async function query(database: Database, sql: string, token: string): Promise<readonly ProfileRow[]> {
  const rows = await database.query<SelectedProfile>(sql, { token })
  return rows.map((row) => ({
    ...lpOf(row),
    pool: row.pool,
    createdAtMs: Number(row.createdAtMs),
    checkedAtMs: Number(row.checkedAtMs),
    blockNumber: Number(row.blockNumber),
    creator: row.creator,
  }))
}
