/**
 * The queries that the API makes on the tables of chain A. Every answer is a function of (question, cut): at the same cut it is
 * always the same. A row is a row of a table and the values that the query adds.
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
 * `knownAtMs`: knowledge time of the version shown, which is that of the reorg if one has changed the row. `supersedesAtMs`: a
 * reorg moved the signal here from that instant, where the row is withdrawn.
 */
export type BurstRow = RowOf<typeof bursts> &
  Stamp &
  Readonly<{
    inflowEth: number
    poolAgeMin: number
    /** Main tier only. Null until known, and until 5 s after the signal. */
    buyers: number | null
    /** Also null while the lookup of the buyers of earlier bursts is open. */
    repeatBuyers: number | null
    /** Main and lite bursts of v4 pools. Null until 5 s after the signal. */
    lp: LpRow | null
    outcome: OutcomeRow | null
    /** `seconds`: the stamp of the newer one of buyers and holders. */
    filled: Filled
    /** Missing trades in the window and, once scored, in the time of the outcome. */
    gaps: MissingTrades | null
  }>

/** The holders of a pool's liquidity, as shares of L. */
export type LpRow = DetailsOf<typeof burstLp>

/** `scoredAtMs`: knowledge time of the outcome record. */
export type OutcomeRow = Omit<DetailsOf<typeof burstOutcomes>, 'rugAtSec' | 'rugLpRemoved'> &
  Readonly<{ scoredAtMs: EpochMs; rug: Readonly<{ atSec: number; lpRemoved: number }> | null }>

/** One v4 pool, as of `checkedAtMs`. */
export type ProfileRow = RowOf<typeof poolProfiles>

/** A token's bonding curve at the end of block `readBlock`. Prices are in ETH for a whole token of 18 decimals. */
export type CurveRow = Omit<RowOf<typeof launchCurves>, 'completed' | 'launchedAtMs'> &
  Readonly<{
    isCompleted: boolean
    /** Null: the curve is older than the log. */
    launchAtMs: EpochMs | null
    graduationEth: number
    reserveEth: number
    /** The reserve divided by the reserve of a complete curve, at most 1. */
    progress: number
    /** Spot price times supply. */
    marketCapEth: number
  }>

/** The rug check of the token's pools of the last 24 h. */
export type RugCheckRow = Readonly<{
  /** Oldest pool first. If there are more than `rugCheckPoolsMax`, those with the most ETH at their last swap. */
  profiles: readonly ProfileRow[]
  v4PoolCount: number
  /** All classes that occur among the v4 pools, including those that are not shown. */
  classes: readonly LpClass[]
  /** V3 pools, whose owners are not profiled. */
  v3PoolCount: number
  /** The curve of a token that is still on it, or whose pool does not exist yet. Null: neither. */
  curve: CurveRow | null
}>

/** The time before the newest call of the last 48 h. */
export type VerdictPrecallRow = Readonly<{
  postedAtMs: EpochMs
  isTracked: boolean
  buys: number
  buyEth: number
  /** The price at the post divided by the price an hour before. */
  run60: number | null
  ageAtCallMs: DurationMs | null
  /** Null until the buyers are known, or if their lookup failed. */
  wallets: number | null
  sameBlockWallets: number | null
  flags: readonly PrecallFlag[]
}>

/** All that is known about a token, from all tables. Its pools are those of its rug check. */
export type VerdictRow = Pick<RugCheckRow, 'classes' | 'v4PoolCount' | 'v3PoolCount' | 'curve'> &
  TokenDeskRow &
  Readonly<{
    token: string
    /** The largest insider share among the v4 pools, 0 without one. */
    insiderShare: number
    /** When the newest profile was made. Null: there is no v4 pool. */
    checkedAtMs: EpochMs | null
    /** Whether a burst of the last 24 h was scored with a rug. */
    isRugged: boolean
    /** The creation of its oldest pool, or its launch if that is older. Null: neither is known. */
    bornAtMs: EpochMs | null
    precall: VerdictPrecallRow | null
  }>

/** A wallet that sent buys in several burst windows of the last 30 days. */
export type CrewRow = Readonly<{ wallet: string; bursts: number; lastSeenAtMs: EpochMs }>

/** Statistics of the bursts of the last 24 h. Medians are null while no burst is scored. */
export type DayRow = Readonly<{
  bursts: number
  scored: number
  medianRet30m: number | null
  medianRuleRet: number | null
  /** Bursts whose liquidity is known, by class. `…Pulled`: those with a rug within the window. */
  checked: number
  held: number
  heldScored: number
  heldPulled: number
  safe: number
  safeScored: number
  safePulled: number
}>

/** `px`: the initial price. */
export type PoolRow = RowOf<typeof pools> &
  Readonly<{
    lastPx: number
    liqEth: number
    lastSwapAtMs: EpochMs
    /** Sums over the 60 minutes that the flow route shows. */
    net60mEth: number
    buys60m: number
    sells60m: number
    fired: readonly Tier[]
  }>

/** One minute, `[minuteAtMs, +60 s)`. */
export type MinuteRow = Readonly<{
  minuteAtMs: EpochMs
  netEth: number
  buyEth: number
  sellEth: number
  buys: number
  sells: number
  gaps: MissingTrades | null
}>

export type BurstFilter = Readonly<{
  tier: Tier | 'all'
  lp: 'all' | 'safe' | 'held'
}>

export type ChainAQueries = Readonly<{
  desk: DeskQueries
  /** Tells without a query whether `poolFlow`, or `rugCheck` and `verdict`, may find something. */
  tracked: Readonly<{ pools: Tracked; tokens: Tracked }>
  /** Signals in `(cut.blockAtMs - minutes, cut.blockAtMs]`, newest first. */
  burstsLive(
    cut: StageCut,
    filter: BurstFilter & Readonly<{ minutes: number; limit?: number }>,
  ): Promise<readonly BurstRow[]>
  /** The newest burst of the last 24 h that matches the filter. */
  latestBurst(cut: StageCut, filter: BurstFilter): Promise<BurstRow | null>
  /** Scored bursts with signals of the last `hours`, newest first. */
  burstsHistory(cut: StageCut, filter: BurstFilter & Readonly<{ hours: number }>): Promise<readonly BurstRow[]>
  /** Pools created in the last `hours`, youngest first. */
  poolsNew(cut: StageCut, options: Readonly<{ hours: number; limit: number }>): Promise<readonly PoolRow[]>
  /** The number of pools created in the last `hours`, including v3 pools without a price, which `poolsNew` leaves out. */
  poolsCreated(cut: StageCut, options: Readonly<{ hours: number }>): Promise<number>
  /** Exactly 60 minutes, oldest first, ending with the current minute. Null: the pool was not created in the last 24 h. */
  poolFlow(
    cut: StageCut,
    pool: string,
  ): Promise<Readonly<{
    pool: PoolRow
    minutes: readonly MinuteRow[]
    bursts: readonly BurstRow[]
  }> | null>
  /** Null: no pool of the token was created in the last 24 h, and it is on no curve. */
  rugCheck(cut: StageCut, token: string): Promise<RugCheckRow | null>
  /** Null in the same cases as `rugCheck`. */
  verdict(cut: StageCut, token: string): Promise<VerdictRow | null>
  /**
   * Wallets by number of bursts, most first; ties by the last burst and wallet. Also the number of wallets that bought in any burst
   * of the last 30 days.
   */
  crews(
    cut: StageCut,
    options: Readonly<{ minBursts: number; limit: number }>,
  ): Promise<Readonly<{ walletsTracked: number; crews: readonly CrewRow[] }>>
  lastDay(cut: StageCut): Promise<DayRow>
  /** The number of gaps of the last 24 h by state. */
  gapCounts(cut: StageCut): Promise<GapCounts>
  counts(cut: StageCut): Promise<Readonly<{ bursts24h: number; poolsTracked: number }>>
}>
