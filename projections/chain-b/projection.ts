/** The tables of chain B: which record each shows. */
import type { ChainBTypes } from '../../schemas/chain-b/stage.ts'
import { chainBStage } from '../../schemas/chain-b/stage.ts'
import { chainBCallScores } from '../calls/tables/call-scores.ts'
import { chainBCalls } from '../calls/tables/calls.ts'
import { chainBScannerGrades } from '../calls/tables/scanner-grades.ts'
import { projectionOf } from '../projection.ts'
import { leaderLists } from './queries/leader-list.ts'
import { chainBAnatomies } from './tables/chain-b-anatomies.ts'
import { chainBBursts } from './tables/chain-b-bursts.ts'
import { chainBCopies } from './tables/chain-b-copies.ts'
import { chainBCopyResults } from './tables/chain-b-copy-results.ts'
import { chainBDesk } from './tables/chain-b-desk.ts'
import { chainBGraduationPosts } from './tables/chain-b-graduation-posts.ts'
import { chainBGraduations } from './tables/chain-b-graduations.ts'
import { chainBOutcomes } from './tables/chain-b-outcomes.ts'
import { chainBSafety } from './tables/chain-b-safety.ts'
import { chainBTradeGaps } from './tables/chain-b-trade-gaps.ts'

export const chainBProjection = projectionOf<ChainBTypes>({
  stage: chainBStage,
  migrations: new URL('./migrations/', import.meta.url),
  tables: {
    Burst: chainBBursts,
    BurstAnatomy: chainBAnatomies,
    BurstOutcome: chainBOutcomes,
    Graduation: chainBGraduations,
    GraduationPost: chainBGraduationPosts,
    CopyOpened: chainBCopies,
    CopyClosed: chainBCopyResults,
    TradeGap: chainBTradeGaps,
    Safety: chainBSafety,
    // No answer lists mints; bursts and graduations say themselves when theirs was launched. A question is answered by its anatomy or check.
    MintOpened: null,
    MintClosed: null,
    HoldersAsked: null,
    SafetyAsked: null,
    PriceAsked: null,
    Call: chainBCalls,
    CallScored: chainBCallScores,
    ScannerGrade: chainBScannerGrades,
    DeskOpened: chainBDesk.opens,
    DeskTrade: chainBDesk.trades,
    DeskTwin: chainBDesk.twins,
    DeskShadow: chainBDesk.shadows,
  },
  hourly: [leaderLists],
})
