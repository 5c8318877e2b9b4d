/**
 * The questions the API asks of the chain A tables. Every answer is a function of (question, cut): asked again at the same
 * cut it is the same, whatever has happened since. A row is a table's row and what the query adds to it.
 */

import type { PrecallFlag } from '../../../schemas/calls/derived.ts'
import type { LpClass, Tier } from '../../../schemas/chain-a/derived.ts'
import type { StageCut } from '../../cuts.ts'

import type { DeskViews, TokenDeskRow } from '../../desk/queries/desk.ts'
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
 * `knownAtMs`: knowledge time of the version shown, that of the reorg where one has changed the row. `supersedesAtMs`: a
 * reorg moved the signal here from that instant; the row there is withdrawn.
 */
export type BurstRow = RowOf<typeof bursts> &
  Stamp &
  Readonly<{
    inflowEth: number
    poolAgeMin: number
    /** Main tier only, once known and no earlier than 5 s after the signal. */
    buyers: number | null
    /** Null also while the buyers of earlier bursts are being looked up. */
    repeatBuyers: number | null
    /** Main and lite bursts of v4 pools, no earlier than 5 s after the signal. */
    lp: LpRow | null
    outcome: OutcomeRow | null
    /** `seconds`: of the newer of buyers and holders. */
    filled: Filled
    /** The missing trades of the window, and once it is scored of the outcome too. */
    gaps: MissingTrades | null
  }>

/** Who holds a pool's liquidity, as shares of L. */
export type LpRow = DetailsOf<typeof burstLp>

/** `scoredAtMs`: knowledge time of the outcome record. */
export type OutcomeRow = Omit<DetailsOf<typeof burstOutcomes>, 'rugAtSec' | 'rugLpRemoved'> &
  Readonly<{ scoredAtMs: number; rug: Readonly<{ atSec: number; lpRemoved: number }> | null }>

/** One v4 pool, as of `checkedAtMs`. */
export type ProfileRow = RowOf<typeof poolProfiles>

/** A token's bonding curve, as of the end of block `readBlock`. Prices in ETH for a whole token of 18 decimals. */
export type CurveRow = Omit<RowOf<typeof launchCurves>, 'completed' | 'launchedAtMs'> &
  Readonly<{
    isCompleted: boolean
    /** Null: the curve is older than the log. */
    launchAtMs: number | null
    graduationEth: number
    reserveEth: number
    /** Reserve over what completes it, at most 1. */
    progress: number
    /** Spot price times supply. */
    marketCapEth: number
  }>

/** The rug check of the token's pools of the last 24 h. */
export type RugCheckRow = Readonly<{
  /** Oldest pool first. Of more than `rugCheckPoolsMax` those with the most ETH at their last swap. */
  profiles: readonly ProfileRow[]
  v4PoolCount: number
  /** Every class among the v4 pools, those that are not shown included. */
  classes: readonly LpClass[]
  /** Their owners are not profiled. */
  v3PoolCount: number
  /** The token is still on its curve, or its pool is still to come. */
  curve: CurveRow | null
}>

/** Before the newest call of the last 48 h. */
export type VerdictPrecallRow = Readonly<{
  postedAtMs: number
  isTracked: boolean
  buys: number
  buyEth: number
  /** Price at the post / price an hour before. */
  run60: number | null
  ageAtCallMs: number | null
  /** Null until the buyers are known, and if they cannot be. */
  wallets: number | null
  sameBlockWallets: number | null
  flags: readonly PrecallFlag[]
}>

/** What is known of a token, from all tables. Its pools are those of its rug check. */
export type VerdictRow = Pick<RugCheckRow, 'classes' | 'v4PoolCount' | 'v3PoolCount' | 'curve'> &
  TokenDeskRow &
  Readonly<{
    token: string
    /** The largest of any v4 pool, 0 without one. */
    insiderShare: number
    /** When the newest profile was made; null without a v4 pool. */
    checkedAtMs: number | null
    /** A burst of the last 24 h was scored with a rug. */
    isRugged: boolean
    /** The creation of its oldest pool, or its launch where that is older. Null: neither is known. */
    bornAtMs: number | null
    precall: VerdictPrecallRow | null
  }>

/** A sender of buys in several burst windows of the last 30 days. */
export type CrewRow = Readonly<{ wallet: string; bursts: number; lastSeenAtMs: number }>

/** The bursts of the last 24 h. Medians are null while nothing is scored. */
export type DayRow = Readonly<{
  bursts: number
  scored: number
  medianRet30m: number | null
  medianRuleRet: number | null
  /** Bursts whose liquidity was read, by class; pulled: a rug within the window. */
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
    lastSwapAtMs: number
    /** Sums over the 60 minute cells that the flow route shows. */
    net60mEth: number
    buys60m: number
    sells60m: number
    fired: readonly Tier[]
  }>

/** One minute, `[minuteAtMs, +60 s)`. */
export type MinuteRow = Readonly<{
  minuteAtMs: number
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

export type ChainAViews = Readonly<{
  desk: DeskViews
  /** Whether `poolFlow`, or `rugCheck` and `verdict`, can find something, known without a query. */
  tracked: Readonly<{ pools: Tracked; tokens: Tracked }>
  /** Signals in `(cut.blockAtMs - minutes, cut.blockAtMs]`, newest first. */
  burstsLive(
    cut: StageCut,
    filter: BurstFilter & Readonly<{ minutes: number; limit?: number }>,
  ): Promise<readonly BurstRow[]>
  /** The newest burst of the last 24 h that fits the filter. */
  latestBurst(cut: StageCut, filter: BurstFilter): Promise<BurstRow | null>
  /** Scored bursts with signals of the last `hours`, newest first. */
  burstsHistory(cut: StageCut, filter: BurstFilter & Readonly<{ hours: number }>): Promise<readonly BurstRow[]>
  /** Pools created in the last `hours`, youngest first. */
  poolsNew(cut: StageCut, options: Readonly<{ hours: number; limit: number }>): Promise<readonly PoolRow[]>
  /** How many pools were created in the last `hours`, with those that `poolsNew` leaves out: v3 pools without a price. */
  poolsCreated(cut: StageCut, options: Readonly<{ hours: number }>): Promise<number>
  /** Null: not a pool created in the last 24 h. Exactly 60 minutes, oldest first, the running minute last. */
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
  /** Null as of `rugCheck`. */
  verdict(cut: StageCut, token: string): Promise<VerdictRow | null>
  /** Most bursts first, ties by the last one and wallet; and how many wallets bought in any burst of the last 30 days. */
  crews(
    cut: StageCut,
    options: Readonly<{ minBursts: number; limit: number }>,
  ): Promise<Readonly<{ walletsTracked: number; crews: readonly CrewRow[] }>>
  lastDay(cut: StageCut): Promise<DayRow>
  /** Gaps of the last 24 h. */
  gapCounts(cut: StageCut): Promise<GapCounts>
  counts(cut: StageCut): Promise<Readonly<{ bursts24h: number; poolsTracked: number }>>
}>
