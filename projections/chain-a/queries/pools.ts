import assert from 'node:assert/strict'
import type { Database } from '../../../infra/clickhouse/database.ts'
import { type Tier, tiers } from '../../../schemas/chain-a/derived.ts'
import { type DurationMs, dayMs, type EpochMs, hourMs } from '../../../schemas/units.ts'
import { atCut } from '../../at-cut.ts'
import type { StageCut } from '../../cuts.ts'
import { createRowsInMemory, type RowsInMemory } from '../../recent-rows.ts'
import { compareText, type RowAtCut, selectRowsAt } from '../../rows-at-cut.ts'
import { selectOne } from '../../select-one.ts'
import { pools } from '../tables/pools.ts'
import type { BurstReading } from './bursts.ts'
import type { PoolRow } from './chain-a-queries.ts'
import { type PoolMinutes, type Trades, tradesOf } from './pool-trades.ts'
import { ethOfWei } from './units.ts'

/** Returns the range `(cut.blockAtMs - durationMs, cut.blockAtMs]` of event times. */
export const since = (cut: StageCut, durationMs: DurationMs) => ({
  from: Math.floor(cut.blockAtMs - durationMs) + 1,
  to: cut.blockAtMs,
})

/** The condition that a pool has a price. A v3 pool without a price cannot be traded yet, so it is not listed. */
const isPriced = 'WHERE px IS NOT NULL'

const recentTables = { pool: pools }

export type PoolsInMemory = RowsInMemory<typeof recentTables, 'pool'>

/** Answers about the last 24 h need the rows of this time. The block time can fall a little in a reorg. */
const keptMs = 25 * hourMs

export const createPoolsInMemory = (database: Database): PoolsInMemory =>
  createRowsInMemory({ database, tables: recentTables, first: 'pool', time: 'created_at_ms', keptMs, rowsMax: 20_000 })

type PoolReading = Pick<BurstReading, 'recentBursts'> &
  Readonly<{ database: Database; poolsInMemory: PoolsInMemory; minutesOf: PoolMinutes }>

type Range = Readonly<{ from: number; to: number }>
type PoolsQuestion = Range & Readonly<{ limit: number }>

/**
 * Selects at most `limit` pools that were created in the range, newest first. Pools with equal creation times
 * are ordered by block, then by id.
 */
export async function selectPools(
  reading: PoolReading,
  cut: StageCut,
  question: PoolsQuestion,
): Promise<readonly PoolRow[]> {
  return withTrades(reading, cut, (await newestPools(reading, cut, question)).newest)
}

/**
 * Selects the same pools, and the number of all pools that were created in the range, including those that have no
 * price yet.
 */
export async function selectCountedPools(
  reading: PoolReading,
  cut: StageCut,
  question: PoolsQuestion,
): Promise<Readonly<{ pools: readonly PoolRow[]; created: number }>> {
  const { newest, created } = await newestPools(reading, cut, question)
  const [rows, count] = await Promise.all([
    withTrades(reading, cut, newest),
    created ?? countCreated(reading.database, cut, question),
  ])
  return { pools: rows, created: count }
}

/** The pools without their trades. `created` is null if not all pools of the range were read. */
type Newest = Readonly<{ newest: readonly RowAtCut<typeof pools>[]; created: number | null }>

async function newestPools(
  { database, poolsInMemory }: PoolReading,
  cut: StageCut,
  { limit, from, to }: PoolsQuestion,
): Promise<Newest> {
  const rowsMax = Math.floor(limit)
  const kept = await poolsInMemory(cut, { from, to })
  if (kept !== null) return { newest: pricedOf(kept.map(({ pool }) => pool)).slice(0, rowsMax), created: kept.length }
  const question = { atMs: cut.atMs, conditions: { created_at_ms: { from, to } }, order: 'created_at_ms DESC' }
  // Some of the newest pools have no price or are withdrawn, so the query reads more rows than `rowsMax`.
  const some = await selectRowsAt(database, pools, { ...question, limit: 2 * rowsMax + 50 })
  const youngest = pricedOf(some.isAll ? some.rows : withoutOldest(some.rows))
  if (!some.isAll && youngest.length >= rowsMax) return { newest: youngest.slice(0, rowsMax), created: null }
  const { rows } = some.isAll ? some : await selectRowsAt(database, pools, question)
  return { newest: pricedOf(rows).slice(0, rowsMax), created: rows.length }
}

export async function countPools(database: Database, cut: StageCut): Promise<number> {
  const row = await selectOne<{ count: string }>(
    database,
    `SELECT uniqExact(pool) AS count FROM ${atCut(pools, cut.atMs, { created_at_ms: since(cut, dayMs) })} ${isPriced}`,
  )
  return Number(row.count)
}

/** Counts the pools created in the range, including those that have no price yet. */
async function countCreated(database: Database, cut: StageCut, { from, to }: Range): Promise<number> {
  const row = await selectOne<{ count: string }>(
    database,
    `SELECT count() AS count FROM ${atCut(pools, cut.atMs, { created_at_ms: { from, to } })}`,
  )
  return Number(row.count)
}

/**
 * Adds to each pool the values from its trades and bursts. `rows` must be ordered by creation time, newest
 * first.
 */
async function withTrades(
  { minutesOf, recentBursts }: PoolReading,
  cut: StageCut,
  rows: readonly RowAtCut<typeof pools>[],
): Promise<readonly PoolRow[]> {
  const oldest = rows.at(-1)
  if (!oldest) return []
  const range = { from: oldest.createdAtMs, to: cut.blockAtMs }
  const ids = rows.map(({ pool }) => pool)
  const [minutes, fired] = await Promise.all([minutesOf(cut, ids), recentBursts(cut, range)])
  const tiersByPool = new Map<string, Tier[]>()
  for (const { burst } of fired) {
    const ofPool = tiersByPool.get(burst.pool) ?? []
    tiersByPool.set(burst.pool, ofPool)
    ofPool.push(burst.tier)
  }
  return rows.map((row) =>
    toPoolRow(row, tradesOf(minutes.get(row.pool) ?? [], cut, row), tiersByPool.get(row.pool) ?? []),
  )
}

/** Makes the row of a pool. Before the first swap, `lastPx` is the initial price and `lastSwapAtMs` is the creation time. */
export function toPoolRow(
  { knownAtMs: _, publishedAtMs: __, ...pool }: RowAtCut<typeof pools>,
  trades: Trades | undefined,
  fired: readonly Tier[],
): PoolRow {
  const lastPx = trades?.newest.lastPx ?? pool.px
  assert(lastPx !== null, 'a pool without a price was selected')
  return {
    lastPx,
    liqEth: trades?.newest.liqEth ?? 0,
    lastSwapAtMs: trades?.newest.lastSwapAtMs ?? pool.createdAtMs,
    net60mEth: ethOfWei(trades?.netWei ?? 0n),
    buys60m: trades?.buys ?? 0,
    sells60m: trades?.sells ?? 0,
    fired: tiers.filter((tier) => fired.includes(tier)),
    ...pool,
  }
}

type Pool = RowAtCut<typeof pools>

export const pricedOf = (rows: readonly Pool[]): readonly Pool[] =>
  rows.filter(({ px }) => px !== null).sort(youngestFirst)

/**
 * Leaves out all pools with the oldest creation time in `rows`. Other pools of that time may be missing
 * because of the query limit.
 */
function withoutOldest(rows: readonly Pool[]): readonly Pool[] {
  const oldestAtMs = rows.at(-1)?.createdAtMs ?? 0
  return rows.filter(({ createdAtMs }) => createdAtMs > oldestAtMs)
}

type Created = Readonly<{ createdAtMs: EpochMs; createdBlock: number; pool: string }>

const youngestFirst = (left: Created, right: Created): number =>
  right.createdAtMs - left.createdAtMs || right.createdBlock - left.createdBlock || compareText(left.pool, right.pool)
