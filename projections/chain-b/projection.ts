/** The tables of chain B, by record type. */
import type { ChainBTypes } from '../../schemas/chain-b/stage.ts'
import { chainBStage } from '../../schemas/chain-b/stage.ts'
import { callMigrations, callTablesOf } from '../calls/tables.ts'
import { deskMigrations, deskTablesOf } from '../desk/tables.ts'
import { projectionOf } from '../projection.ts'
import { tradeGapMigrations } from '../trade-gaps/trade-gap-table.ts'
import { leaderLists } from './queries/leader-list.ts'
import { chainBAnatomies } from './tables/chain-b-anatomies.ts'
import { chainBBursts } from './tables/chain-b-bursts.ts'
import { chainBCopies } from './tables/chain-b-copies.ts'
import { chainBCopyResults } from './tables/chain-b-copy-results.ts'
import { chainBGraduationPosts } from './tables/chain-b-graduation-posts.ts'
import { chainBGraduations } from './tables/chain-b-graduations.ts'
import { chainBMints } from './tables/chain-b-mints.ts'
import { chainBMinutes } from './tables/chain-b-minutes.ts'
import { chainBOutcomes } from './tables/chain-b-outcomes.ts'
import { chainBSafety } from './tables/chain-b-safety.ts'
import { chainBTradeGaps } from './tables/chain-b-trade-gaps.ts'

export const chainBProjection = projectionOf<ChainBTypes>({
  stage: chainBStage,
  migrations: [new URL('./migrations/', import.meta.url), callMigrations, deskMigrations, tradeGapMigrations],
  tables: {
    MintOpened: chainBMints,
    MintMinute: chainBMinutes,
    Burst: chainBBursts,
    BurstAnatomy: chainBAnatomies,
    BurstOutcome: chainBOutcomes,
    Graduation: chainBGraduations,
    GraduationPost: chainBGraduationPosts,
    CopyOpened: chainBCopies,
    CopyClosed: chainBCopyResults,
    TradeGap: chainBTradeGaps,
    Safety: chainBSafety,
    // The following records have no table. An `…Asked` record requests a lookup. The result of the lookup is in
    // another record, for example the anatomy.
    MintClosed: null,
    HoldersAsked: null,
    SafetyAsked: null,
    PriceAsked: null,
    ...callTablesOf(chainBStage.name),
    ...deskTablesOf(chainBStage.name),
  },
  hourly: [leaderLists],
})
