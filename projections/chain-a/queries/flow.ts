/** Selects the data of the API's flow route: a pool, its trades per minute and its bursts. */
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { dayMs, type EpochMs, minuteMs } from '../../../schemas/units.ts'
import type { StageCut } from '../../cuts.ts'
import { selectSubject } from '../../rows-of-subject.ts'
import type { GapReading } from '../../trade-gaps/trade-gaps.ts'
import { burstBuyers } from '../tables/burst-buyers.ts'
import { burstLp } from '../tables/burst-lp.ts'
import { burstOutcomes } from '../tables/burst-outcomes.ts'
import { bursts } from '../tables/bursts.ts'
import { pools } from '../tables/pools.ts'
import { type BurstReading, completeBursts, joinBursts } from './bursts.ts'
import type { ChainAQueries, MinuteRow, PoolRow } from './chain-a-queries.ts'
import { firstMinuteAtMs, flowMinutes, type Minute, type PoolMinutes, tradesOf } from './pool-trades.ts'
import { pricedOf, since, toPoolRow } from './pools.ts'
import { ethOfWei } from './units.ts'

type FlowReading = BurstReading & Readonly<{ minutesOf: PoolMinutes }>

type Flow = Awaited<ReturnType<ChainAQueries['poolFlow']>>

/**
 * Selects the pool, its trades of the last 60 minutes and its bursts. Returns null if no priced pool with
 * this id was created in the last 24 h. `pool` is text from outside.
 */
export async function selectFlow(reading: FlowReading, cut: StageCut, pool: string): Promise<Flow> {
  const { database, minutesOf } = reading
  const lastDay = since(cut, dayMs)
  const [known, minutesByPool] = await Promise.all([
    selectSubject(database, {
      ...{ topic: chainAStage.derivedTopic.name, kind: 'pool', subjects: [pool], atMs: cut.atMs },
      tables: [pools, bursts, burstLp, burstOutcomes, burstBuyers].map((table) => [table, lastDay]),
    }),
    minutesOf(cut, [pool]),
  ])
  const opened = pricedOf((await known.of(pools)).rows)[0]
  if (!opened) return null
  const fired = await known.of(bursts)
  const [lps, outcomes, buyers] = await Promise.all([known.of(burstLp), known.of(burstOutcomes), known.of(burstBuyers)])
  const joined = joinBursts({ burst: fired.rows, lp: lps.rows, outcome: outcomes.rows, buyers: buyers.rows })
  const ofPool = fired.rows.filter(({ atMs }) => atMs >= opened.createdAtMs)
  const traded = minutesByPool.get(pool) ?? []
  const tiers = ofPool.map(({ tier }) => tier)
  const row = toPoolRow(opened, tradesOf(traded, cut, opened), tiers)
  const [minutes, shown] = await Promise.all([
    withMinutes(reading, cut, { row, traded }),
    tiers.length === 0 ? [] : completeBursts(reading, cut, { found: joined }),
  ])
  return { pool: row, minutes, bursts: shown }
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
