/**
 * The queries of the API on the tables of chain B. A result depends only on the parameters and the cut (a
 * time, and what the service knew then). A `…Row` type is a row of a table, with values that the query adds.
 */

import type { EpochMs } from '../../../schemas/units.ts'
import type { GradeRow } from '../../calls/queries/calls-queries.ts'
import type { StageCut } from '../../cuts.ts'
import type { DeskQueries, TokenDeskRow } from '../../desk/queries/desk.ts'
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
import type { chainBMinutes } from '../tables/chain-b-minutes.ts'
import type { chainBOutcomes } from '../tables/chain-b-outcomes.ts'
import type { chainBSafety } from '../tables/chain-b-safety.ts'
import type { CopyMetrics } from './copy-metrics.ts'

/**
 * `knownAtMs` is the time at which the service knew the shown version. If a reorg changed the row, this is
 * the time at which the service knew of the reorg. `supersedesAtMs` is the former time of a signal that a
 * reorg moved. The row with the former time is withdrawn.
 */
export type BurstRow = RowOf<typeof chainBBursts> &
  Stamp &
  Readonly<{
    inflowSol: number
    tokenAgeMin: number
    /**
     * The anatomy of the burst: its buyers and holders, as found by a lookup. Null in the first 5 s after the
     * signal, and until the lookup has an answer.
     */
    anatomy: AnatomyRow | null
    outcome: OutcomeRow | null
    filled: Filled
    /**
     * The missing trades in the window of the burst. If the burst has an outcome, missing trades until the
     * time of the outcome are included.
     */
    gaps: MissingTrades | null
  }>

/**
 * `buyers` is the number of distinct wallets. `repeatBuyers` counts those of them that bought in an earlier
 * burst of the last 30 days. `repeatBuyers` is null until it is known.
 */
export type AnatomyRow = Omit<DetailsOf<typeof chainBAnatomies>, 'wallets'> &
  Readonly<{ buyers: number; repeatBuyers: number | null }>

/** The outcome of a burst. `scoredAtMs` is the time at which the service knew the outcome. */
export type OutcomeRow = DetailsOf<typeof chainBOutcomes> & Readonly<{ scoredAtMs: EpochMs }>

type GraduationColumns = RowOf<typeof chainBGraduations>

/** `knownAtMs` and `supersedesAtMs` have the same meaning as in `BurstRow`. */
export type GraduationRow = Omit<GraduationColumns, 'burstAtMs' | 'burstInflowLamports' | 'burstFillAt'> &
  Stamp &
  Readonly<{
    /** The minutes from the launch to the graduation. Null if the launch time is not known. */
    gradMin: number | null
    /** The last burst before the graduation. Null if there was no burst. */
    burst: Readonly<{ atMs: EpochMs; inflowSol: number; fillAt: number }> | null
    /** The returns after the curve's liquidity moved to a pool. Null if the pool has not opened yet. */
    post: DetailsOf<typeof chainBGraduationPosts> | null
    filled: Filled
    /**
     * The missing trades around the graduation. The time span begins with the path (the fill of the curve at
     * each minute before the graduation) or with the burst window, whichever is earlier. It ends 15 minutes
     * after the pool opened. Until the pool opens, it ends with the graduation.
     */
    gaps: MissingTrades | null
  }>

/**
 * Statistics of the graduations of the requested hours. A median covers only the graduations with a known
 * value. A median is null if no value is known.
 */
export type GraduationStatsRow = Readonly<{
  n: number
  medianGradMin: number | null
  afterBurst: number
  medianRet1: number | null
  medianRet5: number | null
  medianRet15: number | null
  /**
   * `known15` counts the graduations with a known return after 15 minutes. `up15` counts those with a
   * positive return after 15 minutes.
   */
  known15: number
  up15: number
}>

/**
 * Counts of the bursts of the last 24 h. `scored` is the number of bursts with an outcome. `graduated` is the
 * number of these bursts whose curve was completed.
 */
export type DayRow = Readonly<{ bursts: number; scored: number; graduated: number }>

/**
 * The ranked list of leaders (wallets worth copying). It covers events up to `rebuiltAtMs`, all of which were
 * known at `knownAtMs`. Each leader's `gapBuys` counts the `shadowed` buys that have missing trades in the
 * hour after the buy.
 */
export type LeaderListRow = Omit<LeaderList, 'leaders'> &
  Readonly<{
    rebuiltAtMs: EpochMs
    knownAtMs: EpochMs
    leaders: readonly (LeaderRow & Readonly<{ gapBuys: number }>)[]
  }>

/** A followed buy, and its result. */
export type CopyBuyRow = RowOf<typeof chainBCopies> &
  Stamp &
  Readonly<{
    leaderSol: number
    tokenAgeMin: number | null
    /**
     * The number of other wallets on the list of leaders that bought the mint at or before this buy. The list
     * is the one valid at the time of this buy. Null if there was no list then.
     */
    otherLeaders: number | null
    /** The result of copying the buy. Null until one hour after the buy. */
    result: DetailsOf<typeof chainBCopyResults> | null
    filled: Filled
    /**
     * The missing trades in the hour after the buy. Earlier missing trades also count if the sold share or
     * the completion of the curve depends on them.
     */
    gaps: MissingTrades | null
  }>

/**
 * The results of copying one wallet. `buys` are its newest followed buys. `summary.buys` is the number of all
 * its followed buys in the window.
 */
export type CopyStatsRow = Readonly<{
  rebuiltAtMs: EpochMs
  buys: readonly CopyBuyRow[]
  summary: CopyMetrics & Readonly<{ buys: number; evShrunk: number; prior: number; rank: number | null }>
}>

/** The data about a mint of the last 48 h from which its verdict is made. */
export type VerdictRow = TokenDeskRow &
  Readonly<{
    mint: string
    /**
     * The newest rug check of the mint. `hasPool` is true if the log or the provider of the check showed a
     * pool of the mint at that time.
     */
    safety: (Omit<RowOf<typeof chainBSafety>, 'hasPool'> & Readonly<{ hasPool: boolean }>) | null
    /** The newest burst. */
    burst: Readonly<{
      atMs: EpochMs
      inflowSol: number
      fillFrom: number
      fillAt: number
      anatomy: Pick<AnatomyRow, 'bundledShare' | 'holdersTop10'> | null
    }> | null
    grade: GradeRow | null
    /**
     * The mean win rate of the callers (chat posters) that named the mint. Null if the mint has no callers,
     * or if none of their calls has a score yet.
     */
    callersWin35: number | null
  }>

/**
 * What is known of a mint from its launch. Null: not known. Anyone can give a mint any `name` and `symbol`, of any
 * length.
 */
export type LaunchRow = Readonly<{
  mint: string
  name: string | null
  symbol: string | null
  launchAtMs: EpochMs | null
}>

/** A mint with its trades of the last hour. `gaps` are the missing trades of the last hour. */
export type CurveRow = LaunchRow &
  Readonly<{
    /** The newest minute with a trade. Its fill is null in the pool that replaced the curve. Null: the hour has no trade. */
    last: Readonly<{ minuteAtMs: EpochMs; fill: number | null }> | null
    buys60m: number
    sells60m: number
    gaps: MissingTrades | null
  }>

export type NewCurveRow = CurveRow & Readonly<{ launchAtMs: EpochMs }>
export type TradedCurveRow = CurveRow & Readonly<{ last: Readonly<{ minuteAtMs: EpochMs; fill: number }> }>

/** A mint with its minutes, oldest first. `gaps` are the missing trades of the same time. */
export type MintRow = LaunchRow &
  Readonly<{
    minutes: readonly Pick<RowOf<typeof chainBMinutes>, 'minuteAtMs' | 'lastPx' | 'fill'>[]
    gaps: MissingTrades | null
  }>

export type ChainBQueries = Readonly<{
  desk: DeskQueries
  /**
   * Show whether `copyStats` may find a given wallet, and whether `verdict` may find a given mint. Most of
   * these checks need no query.
   */
  tracked: Readonly<{ wallets: Tracked; mints: Tracked }>
  /** Returns the bursts with signals in `(cut.blockAtMs - minutes, cut.blockAtMs]`, newest first. */
  burstsLive(cut: StageCut, options: Readonly<{ minutes: number; limit?: number }>): Promise<readonly BurstRow[]>
  /** The newest burst of the last 24 h. */
  latestBurst(cut: StageCut): Promise<BurstRow | null>
  /** Returns the bursts with an outcome whose signals are in the last `hours`, newest first. */
  burstsHistory(cut: StageCut, options: Readonly<{ hours: number }>): Promise<readonly BurstRow[]>
  /** Returns the graduations of the last `minutes`, newest first. */
  graduationsLive(cut: StageCut, options: Readonly<{ minutes: number }>): Promise<readonly GraduationRow[]>
  /**
   * Returns at most `limit` graduations of the last `hours`, newest first. The statistics cover all
   * graduations of these hours, not only those within the limit.
   */
  graduationsHistory(
    cut: StageCut,
    options: Readonly<{ hours: number; limit: number }>,
  ): Promise<Readonly<{ graduations: readonly GraduationRow[]; stats: GraduationStatsRow }>>
  /** Returns at most `limit` mints that were launched in the last hour, newest first. */
  newCurves(cut: StageCut, options: Readonly<{ limit: number }>): Promise<readonly NewCurveRow[]>
  /** Returns at most `limit` curves with a trade in the last hour that are not complete, the fullest first. */
  fullestCurves(cut: StageCut, options: Readonly<{ limit: number }>): Promise<readonly TradedCurveRow[]>
  /**
   * Returns the minutes with trades of the last `hours` of one mint. Returns null if nothing is known about the mint.
   * `mint` is text from outside.
   */
  mintMinutes(cut: StageCut, question: Readonly<{ mint: string; hours: number }>): Promise<MintRow | null>
  lastDay(cut: StageCut): Promise<DayRow>
  /** Returns the number of gaps in the recorded trades of the last 24 h, by state of the gap. */
  gapCounts(cut: StageCut): Promise<GapCounts>
  /** Returns the valid list of leaders (wallets worth copying), or null if no list has been made yet. */
  leaderList(cut: StageCut): Promise<LeaderListRow | null>
  /**
   * Returns the results of copying the wallet, at the time of the valid list of leaders. Returns null if
   * there is no list, or if no buy of the wallet is known in the window of the list.
   */
  copyStats(cut: StageCut, wallet: string): Promise<CopyStatsRow | null>
  /**
   * Returns the data for the verdict about the mint. Returns null if no table has a row about the mint in the
   * last 48 h: no burst, call, scanner card, rug check or simulated trade.
   */
  verdict(cut: StageCut, mint: string): Promise<VerdictRow | null>
}>
