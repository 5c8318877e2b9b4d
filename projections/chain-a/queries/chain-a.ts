import type { Database } from '../../../infra/clickhouse/database.ts'
import { dayMs, hourMs, minuteMs } from '../../../schemas/units.ts'
import { atCut } from '../../at-cut.ts'
import type { StageCut } from '../../cuts.ts'
import { selectOne } from '../../select-one.ts'
import { createTradeGaps } from '../../trade-gaps/trade-gaps.ts'
import { bursts } from '../tables/bursts.ts'
import { chainATradeGaps } from '../tables/chain-a-trade-gaps.ts'
import { launchCurves } from '../tables/launch-curves.ts'
import { createRecentBursts, selectBursts } from './bursts.ts'
import type { ChainAQueries } from './chain-a-queries.ts'
import { selectCrews } from './crews.ts'
import { createChainADeskQueries } from './desk.ts'
import { selectFlow } from './flow.ts'
import { selectLastDay } from './last-day.ts'
import { createPoolMinutes } from './pool-trades.ts'
import { countPools, createPoolsInMemory, selectCountedPools, selectPools, since } from './pools.ts'
import { createBuyers } from './repeat-buyers.ts'
import { selectRugCheck } from './rug-check.ts'
import { selectTokenPrices } from './token-prices.ts'
import { createChainATracked } from './tracked.ts'
import { ethOfWei } from './units.ts'
import { selectVerdict } from './verdict.ts'

/** `database` has the reader role. */
export function createChainAQueries({ database }: Readonly<{ database: Database }>): ChainAQueries {
  const desk = createChainADeskQueries(database)
  const gaps = createTradeGaps({ database, table: chainATradeGaps, coinOf: ethOfWei })
  const { repeatBuyers, readBursts } = createBuyers(database)
  const reading = {
    database,
    gaps,
    repeatBuyers,
    ...createRecentBursts(database),
    poolsInMemory: createPoolsInMemory(database),
    minutesOf: createPoolMinutes(database),
  }
  return {
    desk,
    tracked: createChainATracked(database),
    burstsLive: (cut, { minutes, limit, ...filter }) =>
      selectBursts(reading, cut, {
        ...since(cut, minutes * minuteMs),
        filter,
        ...(limit === undefined ? {} : { limit }),
      }),
    async latestBurst(cut, filter) {
      // Usually the last hour has a burst. So the last hour is searched first, and the whole day only if the
      // hour has no burst.
      for (const spanMs of [hourMs, dayMs]) {
        const [latest] = await selectBursts(reading, cut, { ...since(cut, spanMs), filter, limit: 1 })
        if (latest) return latest
      }
      return null
    },
    burstsHistory: (cut, { hours, ...filter }) =>
      selectBursts(reading, cut, { ...since(cut, hours * hourMs), filter, isScoredOnly: true }),
    poolsNew: (cut, { hours, limit }) => selectPools(reading, cut, { ...since(cut, hours * hourMs), limit }),
    poolsNewCounted: (cut, { hours, limit }) =>
      selectCountedPools(reading, cut, { ...since(cut, hours * hourMs), limit }),
    poolFlow: (cut, pool) => selectFlow(reading, cut, pool),
    tokenPrices: (cut, question) => selectTokenPrices(reading, cut, question),
    rugCheck: (cut, token) => selectRugCheck(database, cut, token),
    verdict: (cut, token) => selectVerdict({ ...reading, desk }, cut, token),
    crews: (cut, options) => selectCrews(readBursts, cut, options),
    lastDay: (cut) => selectLastDay(reading, cut),
    gapCounts: async (cut) => {
      const [counts, unchecked] = await Promise.all([gaps.countLastDay(cut), countUnchecked(database, cut)])
      return { ...counts, unchecked }
    },
    counts: async (cut) => {
      const [bursts24h, poolsTracked] = await Promise.all([countBursts(database, cut), countPools(database, cut)])
      return { bursts24h, poolsTracked }
    },
  }
}

async function countBursts(database: Database, cut: StageCut): Promise<number> {
  const row = await selectOne<{ count: string }>(
    database,
    `SELECT count() AS count FROM ${atCut(bursts, cut.atMs, { at_ms: since(cut, dayMs) })}`,
  )
  return Number(row.count)
}

/** Counts the launchpad curves that opened in the last 24 h. Their trades are not checked for gaps. */
async function countUnchecked(database: Database, cut: StageCut): Promise<number> {
  const row = await selectOne<{ count: string }>(
    database,
    `SELECT count() AS count FROM ${atCut(launchCurves, cut.atMs, { launched_at_ms: since(cut, dayMs) })}`,
  )
  return Number(row.count)
}
