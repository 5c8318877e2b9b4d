/** Queries that return fixed example rows for the API documents, whatever the parameters are. */
import type { ChainAQueries } from '../../projections/chain-a/queries/chain-a-queries.ts'
import { exampleTracked } from '../example.ts'
import { exampleDeskOf } from '../example-desk.ts'
import {
  exampleBurst,
  exampleCrew,
  exampleDay,
  exampleMinutes,
  examplePool,
  examplePoolRow,
  exampleProfile,
  exampleToken,
  exampleVerdict,
} from './example-rows.ts'

export const exampleQueries: ChainAQueries = {
  desk: exampleDeskOf({ token: exampleToken, market: examplePool, lane: 'burst-spread' }),
  tracked: { pools: exampleTracked, tokens: exampleTracked },
  burstsLive: async () => [exampleBurst],
  latestBurst: async () => exampleBurst,
  burstsHistory: async () => [exampleBurst],
  poolsNew: async () => [examplePoolRow],
  poolsNewCounted: async () => ({ pools: [examplePoolRow], created: 1 }),
  poolFlow: async () => ({ pool: examplePoolRow, minutes: exampleMinutes, bursts: [exampleBurst] }),
  tokenPrices: async () => null,
  rugCheck: async () => ({
    ...{ profiles: [exampleProfile], v4PoolCount: 1, classes: ['held'], v3PoolCount: 0, curve: null },
  }),
  verdict: async () => exampleVerdict,
  crews: async () => ({ walletsTracked: 17, crews: [exampleCrew] }),
  lastDay: async () => exampleDay,
  gapCounts: async () => ({ open: 0, givenUp: 0, late: 0, unchecked: 14 }),
  counts: async () => ({ bursts24h: exampleDay.bursts, poolsTracked: 1 }),
}
