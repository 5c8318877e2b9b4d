/** The tables of chain A, by record type. */
import type { ChainATypes } from '../../schemas/chain-a/stage.ts'
import { chainAStage } from '../../schemas/chain-a/stage.ts'
import { callMigrations, callTablesOf, precallTablesOf } from '../calls/tables.ts'
import { deskMigrations, deskTablesOf } from '../desk/tables.ts'
import { projectionOf } from '../projection.ts'
import { tradeGapMigrations } from '../trade-gaps/trade-gap-table.ts'
import { burstBuyers } from './tables/burst-buyers.ts'
import { burstLp } from './tables/burst-lp.ts'
import { burstOutcomes } from './tables/burst-outcomes.ts'
import { bursts } from './tables/bursts.ts'
import { chainATradeGaps } from './tables/chain-a-trade-gaps.ts'
import { launchCurves } from './tables/launch-curves.ts'
import { poolMinutes } from './tables/pool-minutes.ts'
import { poolProfiles } from './tables/pool-profiles.ts'
import { pools } from './tables/pools.ts'

export const chainAProjection = projectionOf<ChainATypes>({
  stage: chainAStage,
  migrations: [new URL('./migrations/', import.meta.url), callMigrations, deskMigrations, tradeGapMigrations],
  tables: {
    PoolOpened: pools,
    PoolMinute: poolMinutes,
    Burst: bursts,
    BurstBuyers: burstBuyers,
    BurstLp: burstLp,
    PoolProfile: poolProfiles,
    LaunchCurve: launchCurves,
    BurstOutcome: burstOutcomes,
    TradeGap: chainATradeGaps,
    // These records have no table. Answers leave out old pools and curves by their age, so they do not need
    // `…Closed`. An `…Asked` record requests a lookup. The result of the lookup is in another record.
    PoolClosed: null,
    CurveClosed: null,
    SendersAsked: null,
    OwnersAsked: null,
    PrecallSendersAsked: null,
    PriceAsked: null,
    ...callTablesOf(chainAStage.name),
    ...precallTablesOf(chainAStage.name),
    ...deskTablesOf(chainAStage.name),
  },
})
