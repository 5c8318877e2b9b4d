/**
 * The trades of pools in the last 60 minutes, and their last trades before. They are kept in memory, because nearly
 * every answer about pools needs them, and new ones come all the time.
 */
import type { Database } from '../../../infra/clickhouse/database.ts'
import { dayMs, type EpochMs, hourMs, minuteMs } from '../../../schemas/units.ts'
import { fewAtCut } from '../../at-cut.ts'
import type { StageCut } from '../../cuts.ts'
import { oneOf } from '../../join-questions.ts'
import { type KeptState, keepAtCut } from '../../keep-at-cut.ts'
import { type RowAtCut, selectChangedRows, selectRowsAt } from '../../rows-at-cut.ts'
import { type Selected, selectOf, stampedRowOf } from '../../select.ts'
import { poolMinutes } from '../tables/pool-minutes.ts'
import type { PoolRow } from './chain-a-queries.ts'

export const flowMinutes = 60

/**
 * Returns the start of the first of the 60 minutes that the API's flow route shows. The last of these minutes
 * is the current minute.
 */
export const firstMinuteAtMs = (cut: Pick<StageCut, 'blockAtMs'>): EpochMs =>
  Math.floor(cut.blockAtMs / minuteMs) * minuteMs - (flowMinutes - 1) * minuteMs

/** The row of a minute in which the pool had a swap. */
export type Minute = RowAtCut<typeof poolMinutes>

/** The trades of a pool: its state at the newest minute with a swap, and the sums of the last 60 minutes. */
export type Trades = Readonly<{ newest: Minute; netWei: bigint; buys: number; sells: number }>

/**
 * Returns the trades of a pool, or undefined if it has none. `minutes` has all its minutes with a swap of the last 60
 * minutes, and the newest one. Minutes before the creation of the pool do not count.
 */
export function tradesOf(
  minutes: readonly Minute[],
  cut: StageCut,
  { createdAtMs }: Pick<PoolRow, 'createdAtMs'>,
): Trades | undefined {
  const createdMinuteAtMs = Math.floor(createdAtMs / minuteMs) * minuteMs
  const recentFromMs = Math.max(firstMinuteAtMs(cut), createdMinuteAtMs)
  let newest: Minute | undefined
  let [netWei, buys, sells] = [0n, 0, 0]
  for (const minute of minutes) {
    if (minute.minuteAtMs < createdMinuteAtMs) continue
    if (newest === undefined || minute.minuteAtMs > newest.minuteAtMs) newest = minute
    if (minute.minuteAtMs < recentFromMs) continue
    netWei += BigInt(minute.buyWei) - BigInt(minute.sellWei)
    buys += minute.buys
    sells += minute.sells
  }
  return newest && { newest, netWei, buys, sells }
}

/** Selects the rows of the last 60 minutes of each pool, and the last row before of each pool that has none. */
async function selectMinutes(
  database: Pick<Database, 'query'>,
  cut: StageCut,
  pools: readonly string[],
): Promise<readonly Minute[]> {
  const { sql, parameters } = amongPools(pools)
  const { rows } = await selectRowsAt(database, poolMinutes, {
    atMs: cut.atMs,
    conditions: { pool: { sql }, minute_at_ms: { from: firstMinuteAtMs(cut), to: cut.blockAtMs } },
    parameters,
  })
  const traded = new Set(rows.map(({ pool }) => pool))
  const silent = pools.filter((pool) => !traded.has(pool))
  return silent.length === 0 ? rows : [...rows, ...(await selectLastMinutes(database, cut, silent))]
}

/**
 * Selects the newest row of each pool, among the rows of the last 24 h before the last 60 minutes. `pools`: null for all
 * pools.
 */
async function selectLastMinutes(
  database: Pick<Database, 'query'>,
  cut: StageCut,
  pools: readonly string[] | null,
): Promise<readonly Minute[]> {
  const { sql, parameters } = pools === null ? { sql: null, parameters: {} } : amongPools(pools)
  const conditions = {
    ...(sql === null ? {} : { pool: { sql } }),
    minute_at_ms: { from: minutesOfDay(cut).from, to: firstMinuteAtMs(cut) - 1 },
  }
  const rows = await database.query<Selected>(
    `SELECT ${selectOf(poolMinutes, 'm')} FROM ${fewAtCut(poolMinutes, cut.atMs, conditions)} AS m
     ORDER BY m.minute_at_ms DESC LIMIT 1 BY m.pool`,
    parameters,
  )
  return rows.map((selected) => stampedRowOf(poolMinutes, 'm', selected))
}

/** ClickHouse plans a parameter for each of a few pools quickly, but not for each of a thousand. */
const amongPools = (pools: readonly string[]) =>
  pools.length <= 32 ? oneOf(pools) : { sql: 'IN {pools:Array(String)}', parameters: { pools } }

/** Returns the range of the minutes of the last 24 h. */
const minutesOfDay = ({ blockAtMs }: Pick<StageCut, 'blockAtMs'>) => ({
  from: Math.floor((blockAtMs - dayMs + 1) / minuteMs) * minuteMs,
  to: blockAtMs,
})

/** Returns the minutes that `tradesOf` needs, by pool. */
export type PoolMinutes = (cut: StageCut, pools: readonly string[]) => Promise<ReadonlyMap<string, readonly Minute[]>>

/**
 * `byPool` has, for each pool that traded in the last 24 h, all minutes from `fromMs` on, and at least the newest.
 * `blockAtMs` is the latest time of all blocks and minutes so far.
 */
type Memory = { fromMs: EpochMs; blockAtMs: EpochMs; byPool: Map<string, Minute[]> }

/** If the memory is this old, in ms, it is built again. To select what changed in a long time costs as much. */
const advanceMsMax = hourMs

/** The maximum number of pools in memory. If more pools traded in the last 24 h, nothing is kept. */
const poolsMax = 20_000

/** `database` has the reader role. Minutes that are not in the memory are selected. */
export function createPoolMinutes(database: Database, limits = { poolsMax }): PoolMinutes {
  const load = async (cut: StageCut): Promise<Memory> => {
    const [recent, last] = await Promise.all([
      selectRowsAt(database, poolMinutes, {
        atMs: cut.atMs,
        conditions: { minute_at_ms: { sql: `>= ${firstMinuteAtMs(cut)}` } },
      }),
      selectLastMinutes(database, cut, null),
    ])
    const memory: Memory = { fromMs: firstMinuteAtMs(cut), blockAtMs: cut.blockAtMs, byPool: new Map() }
    for (const row of [...last, ...recent.rows]) put(memory, row)
    return memory
  }

  const advance = async (kept: KeptState<Memory> | null, cut: StageCut): Promise<Memory> => {
    if (kept === null || cut.atMs - kept.cut.atMs > advanceMsMax) return load(cut)
    const memory = kept.state
    const changed = await selectChangedRows(database, poolMinutes, {
      ...{ afterMs: kept.cut.atMs, toMs: cut.atMs },
      conditions: { minute_at_ms: { sql: `>= ${minutesOfDay(cut).from}` } },
    })
    if (isAnyEmptied(memory, changed)) return load(cut)
    for (const { row, isWithdrawn } of changed) {
      remove(memory, row)
      if (!isWithdrawn) put(memory, row)
    }
    memory.blockAtMs = Math.max(memory.blockAtMs, cut.blockAtMs)
    if (firstMinuteAtMs(cut) - memory.fromMs > hourMs) forget(memory, cut)
    return memory
  }

  const memoryAt = keepAtCut<Memory>({ database, tables: [poolMinutes], advance })
  return async (cut, pools) => {
    const memory = await memoryAt(cut)
    // After a reorg, the memory can have minutes after the newest block.
    if (memory === null || cut.blockAtMs < memory.blockAtMs || memory.byPool.size > limits.poolsMax)
      return groupByPool(await selectMinutes(database, cut, pools))
    return new Map(pools.map((pool) => [pool, [...(memory.byPool.get(pool) ?? [])]]))
  }
}

function groupByPool(rows: readonly Minute[]): ReadonlyMap<string, readonly Minute[]> {
  const byPool = new Map<string, Minute[]>()
  for (const row of rows) {
    const minutes = byPool.get(row.pool) ?? []
    byPool.set(row.pool, minutes)
    minutes.push(row)
  }
  return byPool
}

function put(memory: Memory, row: Minute): void {
  const { byPool } = memory
  const minutes = byPool.get(row.pool) ?? []
  byPool.set(row.pool, minutes)
  minutes.push(row)
  memory.blockAtMs = Math.max(memory.blockAtMs, row.minuteAtMs)
}

function remove({ byPool }: Memory, { pool, minuteAtMs }: Minute): void {
  const minutes = byPool.get(pool) ?? []
  const index = minutes.findIndex((minute) => minute.minuteAtMs === minuteAtMs)
  if (index >= 0) minutes.splice(index, 1)
}

/**
 * Returns whether all minutes of a pool change and one of them is withdrawn. Its earlier minutes may have gone from
 * memory, so the newest of them must be selected again.
 */
function isAnyEmptied(
  { byPool }: Memory,
  changed: readonly Readonly<{ row: Minute; isWithdrawn: boolean }>[],
): boolean {
  const keyOf = ({ pool, minuteAtMs }: Minute) => `${pool} ${minuteAtMs}`
  const changedKeys = new Set(changed.map(({ row }) => keyOf(row)))
  return changed.some(({ row: { pool }, isWithdrawn }) => {
    const minutes = byPool.get(pool) ?? []
    return isWithdrawn && minutes.length > 0 && minutes.every((minute) => changedKeys.has(keyOf(minute)))
  })
}

/** Removes the minutes that no later answer needs. */
function forget(memory: Memory, cut: StageCut): void {
  const { byPool } = memory
  memory.fromMs = firstMinuteAtMs(cut)
  for (const [pool, minutes] of byPool) {
    const newestAtMs = Math.max(...minutes.map(({ minuteAtMs }) => minuteAtMs))
    if (newestAtMs < minutesOfDay(cut).from) byPool.delete(pool)
    else
      byPool.set(
        pool,
        minutes.filter(({ minuteAtMs }) => minuteAtMs >= memory.fromMs || minuteAtMs === newestAtMs),
      )
  }
}
