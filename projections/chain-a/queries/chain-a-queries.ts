/**
 * The queries of the API on the tables of chain A. A result depends only on the parameters and the cut (a
 * time, and what the service knew then). A `…Row` type is a row of a table, with values that the query adds.
 */

import type { PrecallFlag } from '../../../schemas/calls/derived.ts'
import type { LpClass, Tier } from '../../../schemas/chain-a/derived.ts'
import type { DurationMs, EpochMs } from '../../../schemas/units.ts'
import type { StageCut } from '../../cuts.ts'
import type { DeskQueries, TokenDeskRow } from '../../desk/queries/desk.ts'
import type { DetailsOf, Filled, RowOf, Stamp } from '../../select.ts'
import type { Tracked } from '../../tracked.ts'
import type { GapCounts, MissingTrades } from '../../trade-gaps/missing-trades.ts'
import type { burstLp } from '../tables/burst-lp.ts'
import type { burstOutcomes } from '../tables/burst-outcomes.ts'
import type { bursts } from '../tables/bursts.ts'
import type { launchCurves } from '../tables/launch-curves.ts'
import type { poolProfiles } from '../tables/pool-profiles.ts'
import type { pools } from '../tables/pools.ts'

/**
 * `knownAtMs` is the time at which the service knew the shown version. If a reorg changed the row, this is
 * the time at which the service knew of the reorg. `supersedesAtMs` is the former time of a signal that a
 * reorg moved. The row with the former time is withdrawn.
 */
export type BurstRow = RowOf<typeof bursts> &
  Stamp &
  Readonly<{
    inflowEth: number
    poolAgeMin: number
    /**
     * The number of buyers. Null in the first 5 s after the signal, and until the buyers are known. Also null
     * for tiers whose buyers are not shown.
     */
    buyers: number | null
    /**
     * The number of these buyers that bought in an earlier burst of the last 30 days. Null if `buyers` is null or the buyers of an earlier
     * burst are unknown.
     */
    repeatBuyers: number | null
    /**
     * The holders of the liquidity of a v4 pool. Null in the first 5 s after the signal, and for tiers
     * without this value.
     */
    lp: LpRow | null
    outcome: OutcomeRow | null
    /** `seconds` has the newer of the times at which `buyers` and `lp` became known. */
    filled: Filled
    /**
     * The missing trades in the window of the burst. If the burst has an outcome, missing trades until the
     * time of the outcome are included.
     */
    gaps: MissingTrades | null
  }>

/** The holders of a pool's liquidity, as shares of the pool's total liquidity L. */
export type LpRow = DetailsOf<typeof burstLp>

/** The outcome of a burst. `scoredAtMs` is the time at which the service knew the outcome. */
export type OutcomeRow = Omit<DetailsOf<typeof burstOutcomes>, 'rugAtSec' | 'rugLpRemoved'> &
  Readonly<{ scoredAtMs: EpochMs; rug: Readonly<{ atSec: number; lpRemoved: number }> | null }>

/** The holders of the liquidity of one v4 pool, as of `checkedAtMs`. */
export type ProfileRow = RowOf<typeof poolProfiles>

/** A token's bonding curve at the end of block `readBlock`. Prices are in ETH per whole token of 18 decimals. */
export type CurveRow = Omit<RowOf<typeof launchCurves>, 'completed' | 'launchedAtMs'> &
  Readonly<{
    isCompleted: boolean
    /** The time of the launch. Null: the curve was launched before the log began. */
    launchAtMs: EpochMs | null
    graduationEth: number
    reserveEth: number
    /** The reserve divided by the reserve of a complete curve, at most 1. */
    progress: number
    /** The spot price multiplied by the supply. */
    marketCapEth: number
  }>

/**
 * The result of the rug check (can someone pull the liquidity?) for the pools of a token from the last 24 h.
 */
export type RugCheckRow = Readonly<{
  /**
   * The liquidity holders of the v4 pools, oldest pool first. At most `rugCheckPoolsMax` pools are listed:
   * those with the most ETH at their last swap.
   */
  profiles: readonly ProfileRow[]
  v4PoolCount: number
  /** The liquidity classes of the v4 pools, including pools that are not in `profiles`. */
  classes: readonly LpClass[]
  /** The number of v3 pools. The service does not determine who owns their liquidity. */
  v3PoolCount: number
  /** The curve of the token, until its liquidity goes into a pool. Null: the token is on no curve. */
  curve: CurveRow | null
}>

/** The summary of the trades before the token's newest call of the last 48 h. */
export type VerdictPrecallRow = Readonly<{
  postedAtMs: EpochMs
  isTracked: boolean
  buys: number
  buyEth: number
  /** The price at the post divided by the price an hour before. */
  run60: number | null
  ageAtCallMs: DurationMs | null
  /** The number of wallets that bought. Null until the buyers are known, and if their lookup failed. */
  wallets: number | null
  sameBlockWallets: number | null
  flags: readonly PrecallFlag[]
}>

/**
 * The data about a token from all tables, from which its verdict is made. The pools are the same as in the
 * token's rug check.
 */
export type VerdictRow = Pick<RugCheckRow, 'classes' | 'v4PoolCount' | 'v3PoolCount' | 'curve'> &
  TokenDeskRow &
  Readonly<{
    token: string
    /** The largest share of the liquidity that insiders hold in one v4 pool. 0 if there is no v4 pool. */
    insiderShare: number
    /** The time of the newest check of the liquidity holders. Null: there is no v4 pool. */
    checkedAtMs: EpochMs | null
    /** Whether a burst of the last 24 h has an outcome with a rug (pulled liquidity). */
    isRugged: boolean
    /**
     * The time at which the oldest pool was created or the curve was launched, whichever is earlier. Null if
     * neither time is known.
     */
    bornAtMs: EpochMs | null
    precall: VerdictPrecallRow | null
  }>

/** A wallet that bought in the windows of several bursts of the last 30 days. */
export type CrewRow = Readonly<{ wallet: string; bursts: number; lastSeenAtMs: EpochMs }>

/**
 * Statistics of the bursts of the last 24 h. `scored` is the number of bursts with an outcome. Medians are
 * null if there is no such burst.
 */
export type DayRow = Readonly<{
  bursts: number
  scored: number
  medianRet30m: number | null
  medianRuleRet: number | null
  /**
   * `checked` is the number of bursts whose liquidity was checked. `held` and `safe` are the numbers of
   * bursts with this liquidity class. `…Scored` counts those bursts that have an outcome. `…Pulled` counts
   * those whose outcome contains a rug.
   */
  checked: number
  held: number
  heldScored: number
  heldPulled: number
  safe: number
  safeScored: number
  safePulled: number
}>

/** A pool with values from its trades. `px` is the initial price, `lastPx` the price of the last swap. */
export type PoolRow = RowOf<typeof pools> &
  Readonly<{
    lastPx: number
    liqEth: number
    lastSwapAtMs: EpochMs
    /** Sums over the 60 minutes that the flow route of the API shows. */
    net60mEth: number
    buys60m: number
    sells60m: number
    fired: readonly Tier[]
  }>

/** The trades of one minute, `[minuteAtMs, minuteAtMs + 60 s)`. */
export type MinuteRow = Readonly<{
  minuteAtMs: EpochMs
  netEth: number
  buyEth: number
  sellEth: number
  buys: number
  sells: number
  gaps: MissingTrades | null
}>

/** The prices of a token in one of its `poolCount` pools, by minute with a swap, oldest first, in ETH per raw token unit. */
export type TokenPricesRow = Readonly<{
  pool: string
  poolCount: number
  minutes: readonly Readonly<{ minuteAtMs: EpochMs; lastPx: number }>[]
  gaps: MissingTrades | null
}>

export type BurstFilter = Readonly<{
  tier: Tier | 'all'
  lp: 'all' | 'safe' | 'held'
}>

export type ChainAQueries = Readonly<{
  desk: DeskQueries
  /**
   * Show whether `poolFlow` may find a given pool, and whether `rugCheck` and `verdict` may find a given
   * token. Most of these checks need no query.
   */
  tracked: Readonly<{ pools: Tracked; tokens: Tracked }>
  /** Bursts with signals in `(cut.blockAtMs - minutes, cut.blockAtMs]`, newest first. */
  burstsLive(
    cut: StageCut,
    filter: BurstFilter & Readonly<{ minutes: number; limit?: number }>,
  ): Promise<readonly BurstRow[]>
  /** Returns the newest burst of the last 24 h that matches the filter, or null. */
  latestBurst(cut: StageCut, filter: BurstFilter): Promise<BurstRow | null>
  /** Returns the bursts with an outcome whose signals are in the last `hours`, newest first. */
  burstsHistory(cut: StageCut, filter: BurstFilter & Readonly<{ hours: number }>): Promise<readonly BurstRow[]>
  /** Returns the pools created in the last `hours`, newest first. */
  poolsNew(cut: StageCut, options: Readonly<{ hours: number; limit: number }>): Promise<readonly PoolRow[]>
  /**
   * Returns the pools of `poolsNew`, and the number of all pools created in the last `hours`. That number includes v3
   * pools without a price, which `poolsNew` leaves out.
   */
  poolsNewCounted(
    cut: StageCut,
    options: Readonly<{ hours: number; limit: number }>,
  ): Promise<Readonly<{ pools: readonly PoolRow[]; created: number }>>
  /**
   * Returns the pool, its bursts, and the trades of exactly 60 minutes, oldest first. The last minute is the
   * current minute. Returns null if no priced pool with this id was created in the last 24 h.
   */
  poolFlow(
    cut: StageCut,
    pool: string,
  ): Promise<Readonly<{
    pool: PoolRow
    minutes: readonly MinuteRow[]
    bursts: readonly BurstRow[]
  }> | null>
  /**
   * Returns the prices of the last `hours` in the pool of the token that held the most ETH. Returns null if no pool of
   * the token that was created in the last 48 h had a swap in this time. `token` is text from outside.
   */
  tokenPrices(cut: StageCut, question: Readonly<{ token: string; hours: number }>): Promise<TokenPricesRow | null>
  /** The rug check of the token. Null: no pool of the token was created in the last 24 h, and the token is on no curve. */
  rugCheck(cut: StageCut, token: string): Promise<RugCheckRow | null>
  /** Returns the data for the token's verdict. Returns null in the same cases as `rugCheck`. */
  verdict(cut: StageCut, token: string): Promise<VerdictRow | null>
  /**
   * `crews` are wallets, sorted by the number of bursts, most first. Ties are sorted by the last burst, then
   * by wallet. `walletsTracked` is the number of wallets that bought in any burst of the last 30 days.
   */
  crews(
    cut: StageCut,
    options: Readonly<{ minBursts: number; limit: number }>,
  ): Promise<Readonly<{ walletsTracked: number; crews: readonly CrewRow[] }>>
  lastDay(cut: StageCut): Promise<DayRow>
  /** Returns the number of gaps in the recorded trades of the last 24 h, by state of the gap. */
  gapCounts(cut: StageCut): Promise<GapCounts>
  counts(cut: StageCut): Promise<Readonly<{ bursts24h: number; poolsTracked: number }>>
}>
