import type { Database, QueryParameters } from '../../../infra/clickhouse/database.ts'
import { atCut, type KeyCondition } from '../../at-cut.ts'
import type { BurstFilter, BurstRow, Cut, OutcomeRow } from './chain-a-views.ts'
import { lpOf, lpSql, type SelectedLp } from './liquidity.ts'
import { repeatBuyers } from './repeat-buyers.ts'
import { ethOfWei } from './units.ts'

/** Signals `[from, to]`; `pool` is foreign text and goes in as a parameter. */
export type BurstQuestion = Readonly<{
  from: number
  to: number
  filter: BurstFilter
  pool?: string
  isScoredOnly?: boolean
  limit?: number
}>

type Selected = SelectedLp &
  Readonly<{
    token: string
    pool: string
    tier: BurstRow['tier']
    atMs: string
    dex: BurstRow['dex']
    shape: BurstRow['shape']
    inflowWei: string
    buys: number
    sells: number
    windowSec: number
    poolCreatedAtMs: string
    sameSizeMax: number
    top3Share: number
    sizeCv: number
    supersedesAtMs: string | null
    knownAtMs: string
    publishedAtMs: string
    buyerCount: string
    buyersKnownAtMs: string
    lpKnownAtMs: string
    scoredAtMs: string
    ret30m: number
    peakRet: number
    ruleRet: number
    exits: OutcomeRow['exits']
    rugAtSec: number | null
    rugLpRemoved: number | null
  }>

/** Bursts newest first, ties by pool and tier. */
export async function selectBursts(
  database: Database,
  cut: Cut,
  question: BurstQuestion,
): Promise<readonly BurstRow[]> {
  const { sql, parameters } = burstsSql(cut, question)
  const rows = await database.query<Selected>(sql, parameters)
  const shown = rows.filter(hasShownBuyers).map((row) => Number(row.atMs))
  const repeats = shown.length > 0 ? await repeatBuyers(database, cut, rangeOf(shown)) : new Map<string, number>()
  return rows.map((row) => toBurstRow(row, repeats))
}

/** The SQL of a question and its parameters. Without a pool there are none. */
function burstsSql(
  cut: Cut,
  { from, to, filter, pool, isScoredOnly = false, limit }: BurstQuestion,
): Readonly<{ sql: string; parameters: QueryParameters }> {
  const keys: Readonly<{ at_ms: KeyCondition; pool?: KeyCondition; tier?: KeyCondition }> = {
    at_ms: { from, to },
    ...(pool === undefined ? {} : { pool: { sql: '= {pool:String}' } }),
    ...(filter.tier === 'all' ? {} : { tier: { sql: `= '${filter.tier}'` } }),
  }
  const sql = `SELECT b.token AS token, b.pool AS pool, b.tier AS tier, b.at_ms AS atMs, b.dex AS dex, b.shape AS shape,
      b.inflow_wei AS inflowWei, b.buys AS buys, b.sells AS sells, b.window_sec AS windowSec,
      b.pool_created_at_ms AS poolCreatedAtMs, b.same_size_max AS sameSizeMax, b.top3_share AS top3Share,
      b.size_cv AS sizeCv, b.supersedes_at_ms AS supersedesAtMs, b.known_at_ms AS knownAtMs, b.published_at_ms AS publishedAtMs,
      ${lpSql('l')}, l.known_at_ms AS lpKnownAtMs,
      length(arrayDistinct(y.wallets)) AS buyerCount, if(y.is_known = 1, y.known_at_ms, 0) AS buyersKnownAtMs,
      o.known_at_ms AS scoredAtMs, o.ret_30m AS ret30m, o.peak_ret AS peakRet, o.rule_ret AS ruleRet, o.exits AS exits,
      o.rug_at_sec AS rugAtSec, o.rug_lp_removed AS rugLpRemoved
    FROM ${atCut('bursts', cut.atMs, keys)} AS b
    LEFT JOIN ${atCut('burst_buyers', cut.atMs, keys)} AS y ON y.pool = b.pool AND y.tier = b.tier AND y.at_ms = b.at_ms
    ${filter.lp === 'all' ? 'LEFT' : 'INNER'} JOIN ${atCut('burst_lp', cut.atMs, keys)} AS l ON l.pool = b.pool AND l.tier = b.tier AND l.at_ms = b.at_ms
    ${isScoredOnly ? 'INNER' : 'LEFT'} JOIN ${atCut('burst_outcomes', cut.atMs, keys)} AS o
      ON o.pool = b.pool AND o.tier = b.tier AND o.at_ms = b.at_ms
    ${filter.lp === 'all' ? '' : `WHERE l.class = '${filter.lp}'`}
    ORDER BY b.at_ms DESC, b.pool, b.tier${limit === undefined ? '' : ` LIMIT ${limit}`}`
  return { sql, parameters: pool === undefined ? {} : { pool } }
}

/** Buyers of the other tiers are kept for who comes back, and not shown. */
const hasShownBuyers = ({ tier, buyersKnownAtMs }: Selected): boolean => tier === 'main' && Number(buyersKnownAtMs) > 0

const rangeOf = (values: readonly number[]) => ({ from: Math.min(...values), to: Math.max(...values) })

function toBurstRow(row: Selected, repeats: ReadonlyMap<string, number>): BurstRow {
  const atMs = Number(row.atMs)
  const hasBuyers = hasShownBuyers(row)
  return {
    token: row.token,
    pool: row.pool,
    tier: row.tier,
    atMs,
    dex: row.dex,
    shape: row.shape,
    inflowEth: ethOfWei(row.inflowWei),
    buys: row.buys,
    sells: row.sells,
    windowSec: row.windowSec,
    poolAgeMin: (atMs - Number(row.poolCreatedAtMs)) / 60_000,
    sameSizeMax: row.sameSizeMax,
    top3Share: row.top3Share,
    sizeCv: row.sizeCv,
    buyers: hasBuyers ? Number(row.buyerCount) : null,
    repeatBuyers: hasBuyers ? (repeats.get(`${row.pool} ${row.atMs}`) ?? 0) : null,
    lp: Number(row.lpKnownAtMs) === 0 ? null : lpOf(row),
    outcome: outcomeOf(row),
    supersedesAtMs: row.supersedesAtMs === null ? null : Number(row.supersedesAtMs),
    knownAtMs: Number(row.knownAtMs),
    publishedAtMs: Number(row.publishedAtMs),
  }
}

function outcomeOf(row: Selected): OutcomeRow | null {
  const scoredAtMs = Number(row.scoredAtMs)
  if (scoredAtMs === 0) return null
  const { ret30m, peakRet, ruleRet, exits, rugAtSec, rugLpRemoved } = row
  const rug = rugAtSec === null || rugLpRemoved === null ? null : { atSec: rugAtSec, lpRemoved: rugLpRemoved }
  return { scoredAtMs, ret30m, peakRet, ruleRet, exits, rug }
}
