/**
 * The questions the API asks of the chain B tables. Every answer is a function of (question, cut): asked again at the same
 * cut it is the same, whatever has happened since. A row is a table's row and what the query adds to it.
 */
import type { GradeRow } from '../../calls/queries/calls-views.ts'
import type { StageCut } from '../../cuts.ts'

import type { DeskViews, TokenDeskRow } from '../../desk/queries/desk.ts'
import type { DetailsOf, Filled, RowOf, Stamp } from '../../select.ts'
import type { Tracked } from '../../tracked.ts'
import type { GapCounts, MissingTrades } from '../../trade-gaps/missing-trades.ts'
import type { chainBAnatomies } from '../tables/chain-b-anatomies.ts'
import type { chainBBursts } from '../tables/chain-b-bursts.ts'
import type { chainBCopies } from '../tables/chain-b-copies.ts'
import type { chainBCopyResults } from '../tables/chain-b-copy-results.ts'
import type { chainBGraduationPosts } from '../tables/chain-b-graduation-posts.ts'
import type { chainBGraduations } from '../tables/chain-b-graduations.ts'
import type { LeaderList, LeaderRow } from '../tables/chain-b-leader-lists.ts'
import type { chainBOutcomes } from '../tables/chain-b-outcomes.ts'
import type { chainBSafety } from '../tables/chain-b-safety.ts'
import type { CopyMetrics } from './copy-metrics.ts'

/**
 * `knownAtMs`: knowledge time of the version shown, that of the reorg where one has changed the row. `supersedesAtMs`: a
 * reorg moved the signal here from that instant; the row there is withdrawn.
 */
export type BurstRow = RowOf<typeof chainBBursts> &
  Stamp &
  Readonly<{
    inflowSol: number
    tokenAgeMin: number
    /** Once known, and no earlier than 5 s after the signal. */
    anatomy: AnatomyRow | null
    outcome: OutcomeRow | null
    filled: Filled
    /** The missing trades of the window, and once it is scored of the outcome too. */
    gaps: MissingTrades | null
  }>

/** `buyers`: distinct wallets; `repeatBuyers`: of these, seen in an earlier burst of the last 30 days; null: not known yet. */
export type AnatomyRow = Omit<DetailsOf<typeof chainBAnatomies>, 'wallets'> &
  Readonly<{ buyers: number; repeatBuyers: number | null }>

/** `scoredAtMs`: knowledge time of the outcome record. */
export type OutcomeRow = DetailsOf<typeof chainBOutcomes> & Readonly<{ scoredAtMs: number }>

type GraduationColumns = RowOf<typeof chainBGraduations>

/** `knownAtMs` and `supersedesAtMs` as of a burst. */
export type GraduationRow = Omit<GraduationColumns, 'burstAtMs' | 'burstInflowLamports' | 'burstFillAt'> &
  Stamp &
  Readonly<{
    /** From the launch to the graduation; null: nobody knows when the mint was launched. */
    gradMin: number | null
    /** The last burst before. */
    burst: Readonly<{ atMs: number; inflowSol: number; fillAt: number }> | null
    /** Null: its pool has not opened. */
    post: DetailsOf<typeof chainBGraduationPosts> | null
    filled: Filled
    /** Trades of the curve from the path or the burst’s window, whichever begins first, to 15 minutes after the pool opened. */
    gaps: MissingTrades | null
  }>

/** The statistics of the graduations of some hours. A median counts the values that are known; null without any. */
export type GraduationStatsRow = Readonly<{
  n: number
  medianGradMin: number | null
  afterBurst: number
  medianRet1: number | null
  medianRet5: number | null
  medianRet15: number | null
  /** How many have a return after 15 minutes, and how many of these a positive one. */
  known15: number
  up15: number
}>

/** Of the bursts of the last 24 h; `graduated`: of those that are scored. */
export type DayRow = Readonly<{ bursts: number; scored: number; graduated: number }>

/**
 * `rebuiltAtMs`: the instant up to which the list tells all. `knownAtMs`: when that was known. `gapBuys`: of the `shadowed`
 * buys, those in whose hour trades are missing.
 */
export type LeaderListRow = Omit<LeaderList, 'leaders'> &
  Readonly<{
    rebuiltAtMs: number
    knownAtMs: number
    leaders: readonly (LeaderRow & Readonly<{ gapBuys: number }>)[]
  }>

/** A buy that others can copy. */
export type CopyBuyRow = RowOf<typeof chainBCopies> &
  Stamp &
  Readonly<{
    leaderSol: number
    tokenAgeMin: number | null
    /** How many other leaders of the list in force at the buy had bought the mint by then; null: no list was in force. */
    otherLeaders: number | null
    /** Null until the hour after it is over. */
    result: DetailsOf<typeof chainBCopyResults> | null
    filled: Filled
    /** The missing trades of the hour after the buy, and of the time before it that its sale or its completion depends on. */
    gaps: MissingTrades | null
  }>

/** `buys`: the newest of all that the summary counts. */
export type CopyStatsRow = Readonly<{
  rebuiltAtMs: number
  buys: readonly CopyBuyRow[]
  summary: CopyMetrics & Readonly<{ buys: number; evShrunk: number; prior: number; rank: number | null }>
}>

/** What was recorded about a mint in the last 48 h. */
export type VerdictRow = TokenDeskRow &
  Readonly<{
    mint: string
    /** The newest check that said something. `hasPool`: the curve was complete when it was checked. */
    safety: (Omit<RowOf<typeof chainBSafety>, 'hasPool'> & Readonly<{ hasPool: boolean }>) | null
    /** The newest. */
    burst: Readonly<{
      atMs: number
      inflowSol: number
      fillFrom: number
      fillAt: number
      anatomy: Pick<AnatomyRow, 'bundledShare' | 'holdersTop10'> | null
    }> | null
    grade: GradeRow | null
    /** The mean rate of those who called it. Null: nobody did, or nothing is scored yet. */
    callersWin35: number | null
  }>

export type ChainBViews = Readonly<{
  desk: DeskViews
  /** Whether `copyStats` or `verdict` can find something, known without a query at most cuts. */
  tracked: Readonly<{ wallets: Pick<Tracked, 'mayHold'>; mints: Pick<Tracked, 'mayHold'> }>
  /** Signals in `(cut.blockAtMs - minutes, cut.blockAtMs]`, newest first. */
  burstsLive(cut: StageCut, options: Readonly<{ minutes: number; limit?: number }>): Promise<readonly BurstRow[]>
  /** The newest burst of the last 24 h. */
  latestBurst(cut: StageCut): Promise<BurstRow | null>
  /** Scored bursts with signals of the last `hours`, newest first. */
  burstsHistory(cut: StageCut, options: Readonly<{ hours: number }>): Promise<readonly BurstRow[]>
  /** Graduations of the last `minutes`, newest first. */
  graduationsLive(cut: StageCut, options: Readonly<{ minutes: number }>): Promise<readonly GraduationRow[]>
  /** Graduations of the last `hours`, newest first; the statistics are of all of them, whatever the limit. */
  graduationsHistory(
    cut: StageCut,
    options: Readonly<{ hours: number; limit: number }>,
  ): Promise<Readonly<{ graduations: readonly GraduationRow[]; stats: GraduationStatsRow }>>
  lastDay(cut: StageCut): Promise<DayRow>
  /** Gaps of the last 24 h. */
  gapCounts(cut: StageCut): Promise<GapCounts>
  /** The list in force. Null: none has been made yet. */
  leaderList(cut: StageCut): Promise<LeaderListRow | null>
  /** As of the list in force. Null: there is none, or no buy of the wallet is known in its window. */
  copyStats(cut: StageCut, wallet: string): Promise<CopyStatsRow | null>
  /** Null: no burst, call, card, check or signal of the desk in the last 48 h. */
  verdict(cut: StageCut, mint: string): Promise<VerdictRow | null>
}>
