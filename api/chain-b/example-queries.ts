/** Queries that return fixed example rows for the API documents, whatever the parameters are. */
import type { ChainBQueries } from '../../projections/chain-b/queries/chain-b-queries.ts'
import { exampleTracked } from '../example.ts'
import { exampleDeskOf } from '../example-desk.ts'
import { exampleBurst, exampleCopies, exampleGraduation, exampleList, exampleVerdict } from './example-rows.ts'

export const exampleQueries: ChainBQueries = {
  desk: exampleDeskOf({ token: exampleBurst.mint, market: '0x', lane: 'burst' }),
  tracked: { wallets: exampleTracked, mints: exampleTracked },
  burstsLive: async () => [exampleBurst],
  latestBurst: async () => exampleBurst,
  burstsHistory: async () => [exampleBurst],
  graduationsLive: async () => [exampleGraduation],
  graduationsHistory: async () => ({
    graduations: [exampleGraduation],
    stats: {
      ...{ n: 8, medianGradMin: 41.5, afterBurst: 2, medianRet1: 0.125, medianRet5: -0.25, medianRet15: -0.5 },
      ...{ known15: 4, up15: 1 },
    },
  }),
  newCurves: async () => [],
  fullestCurves: async () => [],
  mintMinutes: async () => null,
  lastDay: async () => ({ bursts: 9, scored: 6, graduated: 2 }),
  gapCounts: async () => ({ open: 0, givenUp: 0, late: 1, unchecked: 23 }),
  leaderList: async () => exampleList,
  copyStats: async () => exampleCopies,
  verdict: async () => exampleVerdict,
}
