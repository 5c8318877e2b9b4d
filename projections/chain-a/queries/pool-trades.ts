/**
 * The trades of pools in the last 60 minutes, and their last trades before. They are kept in memory, because nearly
 * every answer about pools needs them, and new ones come all the time.
 */
import type { Database } from '../../../infra/clickhouse/database.ts'
import { dayMs, type EpochMs, hourMs, minuteMs } from '../../../schemas/units.ts'
import { fewAtCut } from '../../at-cut.ts'
import type { StageCut } from '../../cuts.ts'
import { joinQuestions, oneOf } from '../../join-questions.ts'
import { advanceMsMax, type KeptState, keepAtCut } from '../../keep-at-cut.ts'
import { whole } from '../../key-conditions.ts'
import { type RowAtCut, type RowsAt, selectChangedRows, selectRowsAt } from '../../rows-at-cut.ts'
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

/** Which minutes are selected. `pools`: null for all pools. */
type MinutesQuestion = Readonly<{ pools: readonly string[] | null; fromMs: EpochMs; toMs: EpochMs; limit?: number }>

/**
 * Selects the minutes of the range of each pool, and the last minute of the 24 h before of each pool that has none in the
 * range. `isAll` is false if the limit left some out.
 */
async function selectMinutes(
  database: Pick<Database, 'query'>,
  cut: StageCut,
  question: MinutesQuestion,
): Promise<RowsAt<typeof poolMinutes>> {
  const { pools, fromMs, toMs, limit } = question
  const { condition, parameters } = amongPools(pools)
  const { rows, isAll } = await selectRowsAt(database, poolMinutes, {
    ...{ atMs: cut.atMs, parameters, ...(limit === undefined ? {} : { limit }) },
    conditions: { ...condition, minute_at_ms: { from: fromMs, to: toMs } },
  })
  const traded = new Set(rows.map(({ pool }) => pool))
  const silent = pools?.filter((pool) => !traded.has(pool)) ?? null
  if (silent?.length === 0) return { rows, isAll }
  const last = await selectLastMinutes(database, cut, { ...question, pools: silent })
  return {
    rows: [...rows, ...last.filter(({ pool }) => !traded.has(pool))],
    isAll: isAll && (limit === undefined || last.length < limit),
  }
}

/** Selects the newest minute of each pool, among those of the last 24 h before the range. */
async function selectLastMinutes(
  database: Pick<Database, 'query'>,
  cut: StageCut,
  { pools, fromMs, limit }: MinutesQuestion,
): Promise<readonly Minute[]> {
  const { condition, parameters } = amongPools(pools)
  const conditions = { ...condition, minute_at_ms: { from: dayFromMs(cut), to: fromMs - 1 } }
  const rows = await database.query<Selected>(
    `SELECT ${selectOf(poolMinutes, 'm')} FROM ${fewAtCut(poolMinutes, cut.atMs, conditions)} AS m
     ORDER BY m.minute_at_ms DESC LIMIT 1 BY m.pool${limit === undefined ? '' : ` LIMIT ${whole(limit)}`}`,
    parameters,
  )
  return rows.map((selected) => stampedRowOf(poolMinutes, 'm', selected))
}

/** ClickHouse plans a parameter for each of a few pools quickly, but not for each of a thousand. */
function amongPools(pools: readonly string[] | null) {
  if (pools === null) return { condition: {}, parameters: {} }
  const { sql, parameters } =
    pools.length <= 32 ? oneOf(pools) : { sql: 'IN {pools:Array(String)}', parameters: { pools } }
  return { condition: { pool: { sql } }, parameters }
}

/** Returns the start of the first minute of the last 24 h. */
const dayFromMs = ({ blockAtMs }: Pick<StageCut, 'blockAtMs'>): EpochMs =>
  Math.floor((blockAtMs - dayMs + 1) / minuteMs) * minuteMs

/** Returns the minutes that `tradesOf` needs, by pool. */
export type PoolMinutes = (cut: StageCut, pools: readonly string[]) => Promise<ReadonlyMap<string, readonly Minute[]>>

/**
 * `byPool` has, for each pool that traded in the last 24 h, all minutes from `fromMs` on. If a pool has none, it has at
 * least the newest minute before. `blockAtMs` is the latest time of all blocks and minutes so far. `count` is the number
 * of minutes. `byPool` is null if the limits were exceeded.
 */
type Memory = {
  readonly loadedAtMs: EpochMs
  fromMs: EpochMs
  blockAtMs: EpochMs
  count: number
  byPool: Map<string, readonly Minute[]> | null
}

/** If more pools traded in the last 24 h, or more minutes of the last hour have a swap, nothing is kept for an hour. */
const limitsDefault = { poolsMax: 20_000, minutesMax: 30_000 }

/** `database` has the reader role. Minutes that are not in the memory are selected. */
export function createPoolMinutes(database: Database, { poolsMax, minutesMax } = limitsDefault): PoolMinutes {
  const load = async (cut: StageCut): Promise<Memory> => {
    const fromMs = firstMinuteAtMs(cut)
    const { rows, isAll } = await selectMinutes(database, cut, {
      ...{ pools: null, fromMs, toMs: Number.MAX_SAFE_INTEGER, limit: minutesMax },
    })
    const byPool = isAll ? groupByPool(rows) : null
    const memory: Memory = { loadedAtMs: cut.atMs, fromMs, blockAtMs: cut.blockAtMs, count: rows.length, byPool }
    for (const row of rows) memory.blockAtMs = Math.max(memory.blockAtMs, row.minuteAtMs)
    return limit(memory)
  }

  const limit = (memory: Memory): Memory => {
    // The minutes of two hours can be in memory.
    if ((memory.byPool?.size ?? 0) > poolsMax || memory.count > 3 * minutesMax) memory.byPool = null
    return memory
  }

  const selectSince = async (cut: StageCut, pools: readonly string[], fromMs: EpochMs) =>
    groupByPool(
      pools.length === 0
        ? []
        : (await selectMinutes(database, cut, { pools, fromMs, toMs: Number.MAX_SAFE_INTEGER })).rows,
    )

  const advance = async (kept: KeptState<Memory> | null, cut: StageCut): Promise<Memory> => {
    if (kept === null || cut.atMs - kept.cut.atMs > advanceMsMax) return load(cut)
    const memory = kept.state
    const { byPool, fromMs } = memory
    if (byPool === null) return cut.atMs - memory.loadedAtMs > advanceMsMax ? load(cut) : memory
    const changed = await selectChangedRows(database, poolMinutes, {
      ...{ afterMs: kept.cut.atMs, toMs: cut.atMs },
      conditions: { minute_at_ms: { sql: `>= ${dayFromMs(cut)}` } },
    })
    const lost = poolsThatLost(byPool, { changed, fromMs })
    const again = await selectSince(cut, lost, fromMs)
    memory.blockAtMs = Math.max(memory.blockAtMs, cut.blockAtMs)
    for (const version of changed) put(memory, byPool, version)
    for (const pool of lost) byPool.set(pool, again.get(pool) ?? [])
    if (firstMinuteAtMs(cut) - fromMs > hourMs) forget(memory, byPool, cut)
    return limit(memory)
  }

  const memoryAt = keepAtCut<Memory>({ database, tables: [poolMinutes], advance })
  return async (cut, pools) => {
    const memory = await memoryAt(cut)
    const byPool = memory?.byPool
    // After a reorg, the memory can have minutes after the newest block.
    if (!memory || !byPool || cut.blockAtMs < memory.blockAtMs) return selectByPool(database, cut, pools)
    return new Map(pools.map((pool) => [pool, byPool.get(pool) ?? []]))
  }
}

async function selectByPool(
  database: Database,
  cut: StageCut,
  pools: readonly string[],
): Promise<ReadonlyMap<string, readonly Minute[]>> {
  const [pool] = pools
  if (pool !== undefined && pools.length === 1) return new Map([[pool, await minutesOfPool(database, cut, pool)]])
  return groupByPool((await selectMinutes(database, cut, { pools, ...lastHour(cut) })).rows)
}

/** Questions about one pool are joined, because many clients ask for the flow of a pool at the same time. */
const minutesOfPool = joinQuestions<StageCut, readonly Minute[]>({
  kindOf: ({ atMs, blockAtMs }) => `${atMs} ${blockAtMs}`,
  async askAll(database, cut, pools) {
    const byPool = groupByPool((await selectMinutes(database, cut, { pools, ...lastHour(cut) })).rows)
    return (pool) => byPool.get(pool) ?? []
  },
})

const lastHour = (cut: StageCut) => ({ fromMs: firstMinuteAtMs(cut), toMs: cut.blockAtMs })

function groupByPool(rows: readonly Minute[]): Map<string, readonly Minute[]> {
  const byPool = new Map<string, Minute[]>()
  for (const row of rows) {
    const minutes = byPool.get(row.pool) ?? []
    byPool.set(row.pool, minutes)
    minutes.push(row)
  }
  return byPool
}

type ChangedMinute = Readonly<{ row: Minute; isWithdrawn: boolean }>

function put(memory: Memory, byPool: Map<string, readonly Minute[]>, { row, isWithdrawn }: ChangedMinute): void {
  const minutes = byPool.get(row.pool) ?? []
  const others = minutes.filter(({ minuteAtMs }) => minuteAtMs !== row.minuteAtMs)
  const changed = isWithdrawn ? others : [...others, row]
  byPool.set(row.pool, changed)
  memory.count += changed.length - minutes.length
  memory.blockAtMs = Math.max(memory.blockAtMs, row.minuteAtMs)
}

/**
 * Returns the pools of which a minute was withdrawn, and that keep no minute from `fromMs` on. Earlier minutes may have
 * gone from memory, so the newest of them must be selected.
 */
function poolsThatLost(
  byPool: ReadonlyMap<string, readonly Minute[]>,
  { changed, fromMs }: Readonly<{ changed: readonly ChangedMinute[]; fromMs: EpochMs }>,
): readonly string[] {
  const keyOf = ({ pool, minuteAtMs }: Minute) => `${pool} ${minuteAtMs}`
  const changedKeys = new Set(changed.map(({ row }) => keyOf(row)))
  const withdrawn = new Set(changed.flatMap(({ row, isWithdrawn }) => (isWithdrawn ? row.pool : [])))
  return [...withdrawn].filter((pool) => {
    const minutes = byPool.get(pool) ?? []
    const stays = (minute: Minute) => minute.minuteAtMs >= fromMs && !changedKeys.has(keyOf(minute))
    return minutes.length > 0 && !minutes.some(stays)
  })
}

/** Removes the minutes that no later answer needs. */
function forget(memory: Memory, byPool: Map<string, readonly Minute[]>, cut: StageCut): void {
  memory.fromMs = firstMinuteAtMs(cut)
  for (const [pool, minutes] of byPool) {
    const newestAtMs = Math.max(...minutes.map(({ minuteAtMs }) => minuteAtMs))
    if (newestAtMs < dayFromMs(cut)) byPool.delete(pool)
    else
      byPool.set(
        pool,
        minutes.filter(({ minuteAtMs }) => minuteAtMs >= memory.fromMs || minuteAtMs === newestAtMs),
      )
  }
  memory.count = 0
  for (const { length } of byPool.values()) memory.count += length
}
