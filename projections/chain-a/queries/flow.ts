/** Selects the data of the API's flow route: a pool, its trades per minute and its bursts. */
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { dayMs, type EpochMs, minuteMs } from '../../../schemas/units.ts'
import type { StageCut } from '../../cuts.ts'
import type { RowAtCut } from '../../rows-at-cut.ts'
import { selectSubject } from '../../rows-of-subject.ts'
import type { GapReading } from '../../trade-gaps/trade-gaps.ts'
import { burstBuyers } from '../tables/burst-buyers.ts'
import { burstLp } from '../tables/burst-lp.ts'
import { burstOutcomes } from '../tables/burst-outcomes.ts'
import { bursts } from '../tables/bursts.ts'
import { pools } from '../tables/pools.ts'
import { type BurstReading, completeBursts, type JoinedBurst, joinBursts } from './bursts.ts'
import type { ChainAQueries, MinuteRow, PoolRow } from './chain-a-queries.ts'
import { firstMinuteAtMs, flowMinutes, type Minute, type PoolMinutes, tradesOf } from './pool-trades.ts'
import { type PoolsInMemory, pricedOf, since, toPoolRow } from './pools.ts'
import { ethOfWei } from './units.ts'

type FlowReading = BurstReading & Readonly<{ poolsInMemory: PoolsInMemory; minutesOf: PoolMinutes }>

type Flow = Awaited<ReturnType<ChainAQueries['poolFlow']>>

/**
 * Selects the pool, its trades of the last 60 minutes and its bursts. Returns null if no priced pool with
 * this id was created in the last 24 h. `pool` is text from outside.
 */
export async function selectFlow(reading: FlowReading, cut: StageCut, pool: string): Promise<Flow> {
  const [known, minutesByPool] = await Promise.all([findPool(reading, cut, pool), reading.minutesOf(cut, [pool])])
  const opened = pricedOf(known.pools)[0]
  if (!opened) return null
  const tiers = known.fired.filter(({ burst }) => burst.atMs >= opened.createdAtMs).map(({ burst }) => burst.tier)
  const traded = minutesByPool.get(pool) ?? []
  const row = toPoolRow(opened, tradesOf(traded, cut, opened), tiers)
  const [minutes, shown] = await Promise.all([
    withMinutes(reading, cut, { row, traded }),
    tiers.length === 0 ? [] : completeBursts(reading, cut, { found: known.fired }),
  ])
  return { pool: row, minutes, bursts: shown }
}

type OfPool = Readonly<{ pools: readonly RowAtCut<typeof pools>[]; fired: readonly JoinedBurst[] }>

/** Finds the pools with this id that were created in the last 24 h, and the bursts of the last 24 h, in memory if possible. */
async function findPool(reading: FlowReading, cut: StageCut, pool: string): Promise<OfPool> {
  const { database, poolsInMemory, burstsInMemory } = reading
  const lastDay = since(cut, dayMs)
  const [created, fired] = await Promise.all([poolsInMemory(cut, lastDay), burstsInMemory(cut, lastDay)])
  if (created !== null && fired !== null)
    return {
      pools: created.map((row) => row.pool).filter((row) => row.pool === pool),
      fired: fired.filter(({ burst }) => burst.pool === pool),
    }
  const known = await selectSubject(database, {
    ...{ topic: chainAStage.derivedTopic.name, kind: 'pool', subjects: [pool], atMs: cut.atMs },
    tables: [pools, bursts, burstLp, burstOutcomes, burstBuyers].map((table) => [table, lastDay]),
  })
  const [opened, burst] = await Promise.all([known.of(pools), known.of(bursts)])
  const [lp, outcome, buyers] = await Promise.all([known.of(burstLp), known.of(burstOutcomes), known.of(burstBuyers)])
  const rows = { burst: burst.rows, lp: lp.rows, outcome: outcome.rows, buyers: buyers.rows }
  return { pools: opened.rows, fired: joinBursts(rows) }
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
