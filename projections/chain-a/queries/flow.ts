/** Selects the data of the API's flow route: a pool, its trades per minute and its bursts. */
import type { Database } from '../../../infra/clickhouse/database.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { dayMs, type EpochMs, minuteMs } from '../../../schemas/units.ts'
import { fewAtCut } from '../../at-cut.ts'
import type { StageCut } from '../../cuts.ts'
import { joinQuestions, oneOf } from '../../join-questions.ts'
import { type RowAtCut, selectRowsAt } from '../../rows-at-cut.ts'
import { selectSubject } from '../../rows-of-subject.ts'
import { type Selected, selectOf, stampedRowOf } from '../../select.ts'
import type { GapReading } from '../../trade-gaps/trade-gaps.ts'
import { burstBuyers } from '../tables/burst-buyers.ts'
import { burstLp } from '../tables/burst-lp.ts'
import { burstOutcomes } from '../tables/burst-outcomes.ts'
import { bursts } from '../tables/bursts.ts'
import { poolMinutes } from '../tables/pool-minutes.ts'
import { pools } from '../tables/pools.ts'
import { type BurstReading, completeBursts, joinBursts } from './bursts.ts'
import type { ChainAQueries, MinuteRow, PoolRow } from './chain-a-queries.ts'
import { firstMinuteAtMs, flowMinutes, pricedOf, since, type Trades, toPoolRow } from './pools.ts'
import { ethOfWei } from './units.ts'

type Flow = Awaited<ReturnType<ChainAQueries['poolFlow']>>

/**
 * Selects the pool, its trades of the last 60 minutes and its bursts. Returns null if no priced pool with
 * this id was created in the last 24 h. `pool` is text from outside.
 */
export async function selectFlow(reading: BurstReading, cut: StageCut, pool: string): Promise<Flow> {
  const { database } = reading
  const lastDay = since(cut, dayMs)
  const [known, traded] = await Promise.all([
    selectSubject(database, {
      ...{ topic: chainAStage.derivedTopic.name, kind: 'pool', subjects: [pool], atMs: cut.atMs },
      tables: [pools, bursts, burstLp, burstOutcomes, burstBuyers].map((table) => [table, lastDay]),
    }),
    minutesOf(database, cut, pool),
  ])
  const opened = pricedOf((await known.of(pools)).rows)[0]
  if (!opened) return null
  const fired = await known.of(bursts)
  const [lps, outcomes, buyers] = await Promise.all([known.of(burstLp), known.of(burstOutcomes), known.of(burstBuyers)])
  const joined = joinBursts({ burst: fired.rows, lp: lps.rows, outcome: outcomes.rows, buyers: buyers.rows })
  const ofPool = fired.rows.filter(({ atMs }) => atMs >= opened.createdAtMs)
  const tiers = ofPool.map(({ tier }) => tier)
  const row = toPoolRow(opened, tradesOf(traded, cut, opened), tiers)
  const [minutes, shown] = await Promise.all([
    withMinutes(reading, cut, { row, traded }),
    tiers.length === 0 ? [] : completeBursts(reading, cut, { found: joined }),
  ])
  return { pool: row, minutes, bursts: shown }
}

type Minute = RowAtCut<typeof poolMinutes>

/**
 * Returns the rows of the last 60 minutes of a pool. If there are none, returns at least one earlier row if there is
 * one. The newest row is first.
 */
const minutesOf = joinQuestions<StageCut, readonly Minute[]>({
  kindOf: ({ atMs, blockAtMs }) => `${atMs} ${blockAtMs}`,
  async askAll(database, cut, pools) {
    if (pools.length === 1) return (pool) => selectNewestMinutes(database, cut, pool)
    const { sql, parameters } = oneOf(pools)
    const { rows } = await selectRowsAt(database, poolMinutes, {
      atMs: cut.atMs,
      conditions: { pool: { sql }, minute_at_ms: { from: firstMinuteAtMs(cut), to: cut.blockAtMs } },
      parameters,
      order: 'minute_at_ms DESC',
    })
    const traded = new Set(rows.map(({ pool }) => pool))
    const silent = pools.filter((pool) => !traded.has(pool))
    const all = silent.length === 0 ? rows : [...rows, ...(await selectLastMinutes(database, cut, silent))]
    return (asked) => all.filter(({ pool }) => pool === asked)
  },
})

/** Selects the newest row of each pool among the rows before the last 60 minutes. */
async function selectLastMinutes(
  database: Pick<Database, 'query'>,
  cut: StageCut,
  pools: readonly string[],
): Promise<readonly Minute[]> {
  const { sql, parameters } = oneOf(pools)
  const span = { from: dayOfMinutes(cut).from, to: firstMinuteAtMs(cut) - 1 }
  const rows = await database.query<Selected>(
    `SELECT ${selectOf(poolMinutes, 'm')} FROM ${fewAtCut(poolMinutes, cut.atMs, { pool: { sql }, minute_at_ms: span })} AS m
     ORDER BY m.minute_at_ms DESC LIMIT 1 BY m.pool`,
    parameters,
  )
  return rows.map((selected) => stampedRowOf(poolMinutes, 'm', selected))
}

/** Returns the range of the minutes of the last 24 h. */
function dayOfMinutes(cut: StageCut) {
  const { from, to } = since(cut, dayMs)
  return { from: Math.floor(from / minuteMs) * minuteMs, to }
}

/** Selects the rows of the last 60 minutes, and at least one earlier row if there is one. The newest row is first. */
async function selectNewestMinutes(
  database: Pick<Database, 'query'>,
  cut: StageCut,
  pool: string,
): Promise<readonly Minute[]> {
  const { sql, parameters } = oneOf([pool])
  const question = {
    atMs: cut.atMs,
    conditions: { pool: { sql }, minute_at_ms: dayOfMinutes(cut) },
    parameters,
    order: 'minute_at_ms DESC',
  }
  const { rows, isAll } = await selectRowsAt(database, poolMinutes, { ...question, limit: flowMinutes + 1 })
  // If a reorg withdrew all selected minutes, no row is left. An earlier minute is then the newest one, so
  // all minutes are read.
  return rows.length > 0 || isAll ? rows : (await selectRowsAt(database, poolMinutes, question)).rows
}

/**
 * Returns the pool's state at its newest minute with a swap, and the sums of the last 60 minutes. Minutes
 * before the creation of the pool do not count.
 */
function tradesOf(
  minutes: readonly Minute[],
  cut: StageCut,
  { pool, createdAtMs }: Pick<PoolRow, 'pool' | 'createdAtMs'>,
): Trades | undefined {
  const own = minutes.filter(({ minuteAtMs }) => minuteAtMs >= Math.floor(createdAtMs / minuteMs) * minuteMs)
  const [newest] = own
  if (!newest) return undefined
  const recent = own.filter(({ minuteAtMs }) => minuteAtMs >= firstMinuteAtMs(cut))
  return {
    pool,
    last: [newest.lastPx, newest.lastSwapAtMs, newest.liqEth],
    netWei: recent.reduce((sum, { buyWei, sellWei }) => sum + BigInt(buyWei) - BigInt(sellWei), 0n),
    buys: recent.reduce((sum, { buys }) => sum + buys, 0),
    sells: recent.reduce((sum, { sells }) => sum + sells, 0),
  }
}

/**
 * Makes exactly 60 rows, one for each minute up to the current minute, oldest first. A minute without a swap
 * has zeros.
 */
async function withMinutes(
  { gaps }: GapReading,
  cut: StageCut,
  { row: { token, pool }, traded }: Readonly<{ row: PoolRow; traded: readonly Minute[] }>,
): Promise<readonly MinuteRow[]> {
  const byMinute = new Map(traded.map((minute) => [minute.minuteAtMs, minute]))
  const minutes = Array.from({ length: flowMinutes }, (_, index) => {
    const minuteAtMs = firstMinuteAtMs(cut) + index * minuteMs
    return toMinuteRow(minuteAtMs, byMinute.get(minuteAtMs))
  })
  const spanOf = (minuteAtMs: EpochMs) => ({ afterMs: minuteAtMs - 1, toMs: minuteAtMs + minuteMs - 1 })
  return gaps.withGaps(cut, minutes, ({ minuteAtMs }) => ({ token, market: pool, ...spanOf(minuteAtMs) }))
}

const toMinuteRow = (minuteAtMs: EpochMs, row: Minute | undefined): Omit<MinuteRow, 'gaps'> => {
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
