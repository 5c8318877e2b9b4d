import type { Database } from '../../../infra/clickhouse/database.ts'
import { dayMs, hourMs, minuteMs } from '../../../schemas/units.ts'
import { atCut } from '../../at-cut.ts'
import type { StageCut } from '../../cuts.ts'
import { selectOne } from '../../select-one.ts'
import { createTradeGaps } from '../../trade-gaps/trade-gaps.ts'
import { chainBGraduations } from '../tables/chain-b-graduations.ts'
import { chainBTradeGaps } from '../tables/chain-b-trade-gaps.ts'
import { createRecentBursts, selectBursts } from './bursts.ts'
import type { ChainBQueries } from './chain-b-queries.ts'
import { createCopyStats } from './copy-stats.ts'
import { selectFullestCurves, selectMintMinutes, selectNewCurves } from './curves.ts'
import { createChainBDeskQueries } from './desk.ts'
import { createRecentGraduations, selectGraduations, selectGraduationsWithStats } from './graduations.ts'
import { selectLastDay } from './last-day.ts'
import { createLeaderListInForce } from './leader-list.ts'
import { createRepeatBuyers } from './repeat-buyers.ts'
import { since } from './since.ts'
import { createChainBTracked } from './tracked.ts'
import { solOfLamports } from './units.ts'
import { selectVerdict } from './verdict.ts'
import { createMintCallers } from './verdict-callers.ts'

/** `database` has the reader role. */
export function createChainBQueries({ database }: Readonly<{ database: Database }>): ChainBQueries {
  const leaderList = createLeaderListInForce(database)
  const gaps = createTradeGaps({ database, table: chainBTradeGaps, coinOf: solOfLamports })
  const recentBursts = createRecentBursts(database)
  const recentGraduations = createRecentGraduations(database)
  const reading = { database, gaps, repeatBuyers: createRepeatBuyers(database), recentBursts, recentGraduations }
  const copyStats = createCopyStats(reading)
  const desk = createChainBDeskQueries(database)
  const callersAt = createMintCallers(database)
  return {
    desk,
    tracked: createChainBTracked(database, leaderList),
    burstsLive: (cut, { minutes, ...limit }) =>
      selectBursts(reading, cut, { ...since(cut, minutes * minuteMs), ...limit }),
    async latestBurst(cut) {
      // Usually the last hour has a burst. So the last hour is searched first, and the whole day only if the
      // hour has no burst.
      for (const spanMs of [hourMs, dayMs]) {
        const [latest] = await selectBursts(reading, cut, { ...since(cut, spanMs), limit: 1 })
        if (latest) return latest
      }
      return null
    },
    burstsHistory: (cut, { hours }) =>
      selectBursts(reading, cut, { ...since(cut, hours * hourMs), isScoredOnly: true }),
    graduationsLive: (cut, { minutes }) => selectGraduations(reading, cut, since(cut, minutes * minuteMs)),
    graduationsHistory: (cut, { hours, limit }) =>
      selectGraduationsWithStats(reading, cut, { ...since(cut, hours * hourMs), limit }),
    newCurves: (cut, question) => selectNewCurves(reading, cut, question),
    fullestCurves: (cut, question) => selectFullestCurves(reading, cut, question),
    mintMinutes: (cut, question) => selectMintMinutes(reading, cut, question),
    lastDay: (cut) => selectLastDay(recentBursts, cut),
    async gapCounts(cut) {
      const [counts, unchecked] = await Promise.all([gaps.countLastDay(cut), countUnchecked(database, cut)])
      return { ...counts, unchecked }
    },
    leaderList,
    async copyStats(cut, wallet) {
      const list = await leaderList(cut)
      return list && copyStats({ list, cut }, wallet)
    },
    verdict: (cut, mint) => selectVerdict({ database, desk, callersAt }, cut, mint),
  }
}

/**
 * Counts the graduations of the last 24 h. Gaps in the trades of their pools cannot be detected, because these trades contain no reserves.
 */
async function countUnchecked(database: Database, cut: StageCut): Promise<number> {
  const row = await selectOne<{ count: string }>(
    database,
    `SELECT count() AS count FROM ${atCut(chainBGraduations, cut.atMs, { grad_at_ms: since(cut, dayMs) })}`,
  )
  return Number(row.count)
}
