/** Queries for the holders of the liquidity of a token's pools. */

import type { Database } from '../../../infra/clickhouse/database.ts'
import type { LpClass } from '../../../schemas/chain-a/derived.ts'
import { rugCheckPoolsMax } from '../../../schemas/chain-a/rug-check.ts'
import { dayMs, type EpochMs } from '../../../schemas/units.ts'
import { atCut } from '../../at-cut.ts'
import type { StageCut } from '../../cuts.ts'
import { compareText } from '../../rows-at-cut.ts'
import type { SubjectRows } from '../../rows-of-subject.ts'
import { rowOf, type Selected, selectOf } from '../../select.ts'
import { poolMinutes } from '../tables/pool-minutes.ts'
import { poolProfiles } from '../tables/pool-profiles.ts'
import type { ProfileRow, RugCheckRow } from './chain-a-queries.ts'
import { since } from './pools.ts'

export type TokenPools = Pick<RugCheckRow, 'profiles' | 'v4PoolCount' | 'classes'> &
  Readonly<{
    /** The largest share of the liquidity that insiders hold in one v4 pool. 0 if the token has no v4 pool. */
    insiderShare: number
    /** The time of the newest check of the liquidity holders. Null if the token has no v4 pool. */
    checkedAtMs: EpochMs | null
  }>

/** A token, which is text from outside, and its rows. */
export type TokenInRows = Readonly<{ token: string; rows: SubjectRows }>

const isToken = { sql: '= {token:String}' } as const

/**
 * Returns the v4 pools of a token that were created in the last 24 h, with the holders of their liquidity.
 */
export async function selectProfiles(
  database: Database,
  cut: StageCut,
  { token, rows: known }: TokenInRows,
): Promise<TokenPools> {
  const { rows, isAll } = await known.of(poolProfiles, rugCheckPoolsMax + 1)
  if (!isAll) return selectManyProfiles(database, cut, token)
  const profiles = rows.map(({ knownAtMs: _, publishedAtMs: __, ...profile }) => profile).sort(oldestFirst)
  return {
    profiles,
    v4PoolCount: profiles.length,
    classes: [...new Set(profiles.map((profile) => profile.class))],
    insiderShare: Math.max(0, ...profiles.map(({ insiderShare }) => insiderShare)),
    checkedAtMs: profiles.length === 0 ? null : Math.max(...profiles.map(({ checkedAtMs }) => checkedAtMs)),
  }
}

const oldestFirst = (left: ProfileRow, right: ProfileRow): number =>
  left.createdAtMs - right.createdAtMs || compareText(left.pool, right.pool)

/**
 * Does the same as `selectProfiles` for a token with many pools. ClickHouse then selects the pools that the
 * answer lists.
 */
async function selectManyProfiles(database: Database, cut: StageCut, token: string): Promise<TokenPools> {
  const source = atCut(poolProfiles, cut.atMs, { created_at_ms: since(cut, dayMs), token: isToken })
  const sql = `${profilesSql(source)} ORDER BY p.created_at_ms, p.pool LIMIT ${rugCheckPoolsMax + 1}`
  const [profiles, [all]] = await Promise.all([
    query(database, sql, token),
    database.query<{ insiderShare: number; checkedAtMs: string }>(
      `SELECT max(insider_share) AS insiderShare, max(checked_at_ms) AS checkedAtMs FROM ${source}`,
      { token },
    ),
  ])
  const listed =
    profiles.length <= rugCheckPoolsMax
      ? { profiles, v4PoolCount: profiles.length, classes: [...new Set(profiles.map((profile) => profile.class))] }
      : await selectDeepest(database, cut, { source, token })
  return { ...listed, insiderShare: all?.insiderShare ?? 0, checkedAtMs: Number(all?.checkedAtMs ?? 0) || null }
}

/**
 * Selects only the pools with the most ETH, because anyone can create pools of a token for the price of gas.
 * The pool count and the liquidity classes still cover all pools of the token.
 */
async function selectDeepest(
  database: Database,
  cut: StageCut,
  { source, token }: Readonly<{ source: string; token: string }>,
): Promise<Omit<TokenPools, 'insiderShare' | 'checkedAtMs'>> {
  const [deepest, classes] = await Promise.all([
    query(database, `${profilesSql(source)} ${byDepth(source, cut)} LIMIT ${rugCheckPoolsMax}`, token),
    database.query<{ class: LpClass; count: string }>(
      `SELECT class, count() AS count FROM ${source} GROUP BY class ORDER BY class`,
      { token },
    ),
  ])
  return {
    profiles: [...deepest].sort(oldestFirst),
    v4PoolCount: classes.reduce((sum, { count }) => sum + Number(count), 0),
    classes: classes.map((row) => row.class),
  }
}

const profilesSql = (source: string): string => `SELECT ${selectOf(poolProfiles, 'p')} FROM ${source} AS p`

/**
 * SQL that orders pools by the ETH that they held at their last swap, most first. A pool without a swap
 * counts as 0 ETH.
 */
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
