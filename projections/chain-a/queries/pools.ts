import assert from 'node:assert/strict'
import type { Database } from '../../../infra/clickhouse/database.ts'
import { type Tier, tiers } from '../../../schemas/chain-a/derived.ts'
import { type DurationMs, dayMs, type EpochMs, minuteMs } from '../../../schemas/units.ts'
import { atCut, type KeyCondition } from '../../at-cut.ts'
import type { StageCut } from '../../cuts.ts'
import { type RowOf, rowOf, type Selected, selectOf } from '../../select.ts'
import type { GapReading } from '../../trade-gaps/trade-gaps.ts'
import { bursts } from '../tables/bursts.ts'
import { poolMinutes } from '../tables/pool-minutes.ts'
import { pools } from '../tables/pools.ts'
import type { MinuteRow, PoolRow } from './chain-a-queries.ts'
import { ethOfWei } from './units.ts'

const flowMinutes = 60

/** The range `(cut.blockAtMs - durationMs, cut.blockAtMs]` of event time. */
export const since = (cut: StageCut, durationMs: DurationMs) => ({
  from: Math.floor(cut.blockAtMs - durationMs) + 1,
  to: cut.blockAtMs,
})

/** The start of the first of the 60 minutes in an answer. The current minute is the last of them. */
const firstMinuteAtMs = (cut: StageCut): EpochMs =>
  Math.floor(cut.blockAtMs / minuteMs) * minuteMs - (flowMinutes - 1) * minuteMs

/** The condition that a pool has a price. A v3 pool without a price cannot be traded yet, so it is not listed. */
const isPriced = 'WHERE px IS NOT NULL'

/** Selects the pools created in the range, youngest first, at most `limit`. Pools of one time are ordered by block and then by id. */
export async function selectPools(
  database: Database,
  cut: StageCut,
  { limit, ...range }: Readonly<{ from: number; to: number; limit: number }>,
): Promise<readonly PoolRow[]> {
  return withTrades(database, cut, {
    sql: `${atCut(pools, cut.atMs, { created_at_ms: range })} AS p ${isPriced} ORDER BY created_at_ms DESC, created_block DESC, pool LIMIT ${Math.floor(limit)}`,
    parameters: {},
  })
}

/** The pool, if it was created in the last 24 h and has a price. `pool` is text from outside. */
export async function selectPool(database: Database, cut: StageCut, pool: string): Promise<PoolRow | null> {
  const conditions = { created_at_ms: since(cut, dayMs), pool: { sql: '= {pool:String}' } }
  const sql = `${atCut(pools, cut.atMs, conditions)} AS p ${isPriced} ORDER BY created_at_ms DESC LIMIT 1`
  const [row] = await withTrades(database, cut, { sql, parameters: { pool } })
  return row ?? null
}

export async function countPools(database: Database, cut: StageCut): Promise<number> {
  const [row] = await database.query<{ count: string }>(
    `SELECT uniqExact(pool) AS count FROM ${atCut(pools, cut.atMs, { created_at_ms: since(cut, dayMs) })} ${isPriced}`,
  )
  return Number(row?.count ?? 0)
}

/** Counts the pools created in the last `durationMs`, including those that have no price yet. */
export async function countCreated(database: Database, cut: StageCut, durationMs: DurationMs): Promise<number> {
  const [row] = await database.query<{ count: string }>(
    `SELECT count() AS count FROM ${atCut(pools, cut.atMs, { created_at_ms: since(cut, durationMs) })}`,
  )
  return Number(row?.count ?? 0)
}

/** The trades of exactly 60 minutes up to the current minute, oldest first. A minute without a swap has zeros. */
export async function selectMinutes(
  { database, gaps }: GapReading,
  cut: StageCut,
  { token, pool }: Pick<PoolRow, 'token' | 'pool'>,
): Promise<readonly MinuteRow[]> {
  const from = firstMinuteAtMs(cut)
  const conditions = { pool: { sql: '= {pool:String}' }, minute_at_ms: { from, to: cut.blockAtMs } }
  const rows = await database.query<Selected>(
    `SELECT ${selectOf(poolMinutes, 'm')} FROM ${atCut(poolMinutes, cut.atMs, conditions)} AS m`,
    { pool },
  )
  const byMinute = new Map(
    rows.map((selected) => {
      const minute = rowOf(poolMinutes, 'm', selected)
      return [minute.minuteAtMs, minute] as const
    }),
  )
  const minutes = Array.from({ length: flowMinutes }, (_, index) => {
    const minuteAtMs = from + index * minuteMs
    return toMinuteRow(minuteAtMs, byMinute.get(minuteAtMs))
  })
  const traded = (minuteAtMs: EpochMs) => ({ afterMs: minuteAtMs - 1, toMs: minuteAtMs + minuteMs - 1 })
  return gaps.withGaps(cut, minutes, ({ minuteAtMs }) => ({ token, market: pool, ...traded(minuteAtMs) }))
}

const toMinuteRow = (minuteAtMs: EpochMs, row: RowOf<typeof poolMinutes> | undefined): Omit<MinuteRow, 'gaps'> => {
  const buyWei = BigInt(row?.buyWei ?? 0)
  const sellWei = BigInt(row?.sellWei ?? 0)
  return {
    minuteAtMs,
    netEth: ethOfWei(buyWei - sellWei),
    buyEth: ethOfWei(buyWei),
    sellEth: ethOfWei(sellWei),
    buys: row?.buys ?? 0,
    sells: row?.sells ?? 0,
  }
}

/** `sql` is a subquery for pools at a cut with the alias `p`, followed by conditions, order and limit. */
type PoolsSelection = Readonly<{ sql: string; parameters: Readonly<Record<string, string>> }>

/** The state of a pool at its last minute with a row, and its sums over the last 60 minutes. */
type SelectedTrades = Readonly<{
  pool: string
  last: readonly [px: number | null, swapAtMs: string | null, liqEth: number]
  netWei: string
  buys: string
  sells: string
}>

/** Selects the pools, and adds the values from their trades and bursts. */
async function withTrades(database: Database, cut: StageCut, { sql, parameters }: PoolsSelection): Promise<PoolRow[]> {
  const selected = await database.query<Selected>(`SELECT ${selectOf(pools, 'p')} FROM ${sql}`, parameters)
  const rows = selected.map((row) => rowOf(pools, 'p', row))
  const oldest = rows.at(-1)
  if (!oldest) return []
  const range = { from: oldest.createdAtMs, to: cut.blockAtMs }
  const among: KeyCondition =
    'pool' in parameters ? { sql: '= {pool:String}' } : { sql: `IN (SELECT pool FROM ${sql})` }
  const [trades, fired] = await Promise.all([
    database.query<SelectedTrades>(tradesSql(cut, range, among), parameters),
    database.query<{ pool: string; fired: readonly Tier[] }>(
      `SELECT pool, groupUniqArray(tier) AS fired
       FROM ${atCut(bursts, cut.atMs, { at_ms: range, pool: among })} GROUP BY pool`,
      parameters,
    ),
  ])
  const tradesByPool = new Map(trades.map((row) => [row.pool, row]))
  const firedByPool = new Map(fired.map((row) => [row.pool, row.fired]))
  return rows.map((row) => toPoolRow(row, tradesByPool.get(row.pool), firedByPool.get(row.pool) ?? []))
}

const tradesSql = (cut: StageCut, range: Readonly<{ from: number; to: number }>, among: KeyCondition): string => {
  const isRecent = `minute_at_ms >= ${firstMinuteAtMs(cut)}`
  const minutes = { from: Math.floor(range.from / minuteMs) * minuteMs, to: range.to }
  return `SELECT pool, argMax((last_px, last_swap_at_ms, liq_eth), minute_at_ms) AS last,
      sumIf(buy_wei, ${isRecent}) - sumIf(sell_wei, ${isRecent}) AS netWei,
      sumIf(buys, ${isRecent}) AS buys, sumIf(sells, ${isRecent}) AS sells
    FROM ${atCut(poolMinutes, cut.atMs, { minute_at_ms: minutes, pool: among })} GROUP BY pool`
}

/** Makes the row of a pool. Before the first swap, `lastPx` is the initial price and `lastSwapAtMs` is the creation time. */
function toPoolRow(pool: RowOf<typeof pools>, trades: SelectedTrades | undefined, fired: readonly Tier[]): PoolRow {
  const [px, swapAtMs, liqEth] = trades?.last ?? [null, null, 0]
  const lastPx = px ?? pool.px
  assert(lastPx !== null, 'only priced pools are selected')
  return {
    ...pool,
    lastPx,
    liqEth,
    lastSwapAtMs: Number(swapAtMs ?? pool.createdAtMs),
    net60mEth: ethOfWei(trades?.netWei ?? '0'),
    buys60m: Number(trades?.buys ?? 0),
    sells60m: Number(trades?.sells ?? 0),
    fired: tiers.filter((tier) => fired.includes(tier)),
  }
}
