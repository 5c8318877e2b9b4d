/** Who holds the liquidity: the columns that bursts and profiles share, and the profiles of a token. */
import type { Database } from '../../infra/clickhouse/database.ts'
import type { LpClass } from '../../schemas/chain-a/derived.ts'
import { atCut } from '../at-cut.ts'
import type { Cut, LpRow, ProfileRow } from './chain-a-views.ts'
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

/** The v4 pools of a token that were created in the last 24 h, oldest first; `token` is foreign text. */
export async function selectProfiles(database: Database, cut: Cut, token: string): Promise<readonly ProfileRow[]> {
  const conditions = { created_at_ms: since(cut, dayMs), token: { sql: '= {token:String}' } }
  const rows = await database.query<SelectedProfile>(
    `SELECT p.pool AS pool, p.created_at_ms AS createdAtMs, p.checked_at_ms AS checkedAtMs, p.block_number AS blockNumber,
      p.creator AS creator, ${lpSql('p')}
     FROM ${atCut('pool_profiles', cut.atMs, conditions)} AS p ORDER BY p.created_at_ms, p.pool`,
    { token },
  )
  return rows.map((row) => ({
    ...lpOf(row),
    pool: row.pool,
    createdAtMs: Number(row.createdAtMs),
    checkedAtMs: Number(row.checkedAtMs),
    blockNumber: Number(row.blockNumber),
    creator: row.creator,
  }))
}
