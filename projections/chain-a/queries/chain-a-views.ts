/**
 * The questions the API asks of the chain A tables. Every answer is a function of (question, cut): asked again at the same
 * cut it is the same, whatever has happened since.
 */

import type { ExitReason, LpClass, Shape, Tier } from '../../../schemas/chain-a/derived.ts'
import type { Dex } from '../../../schemas/chain-a/facts.ts'
import type { StageCut } from '../../cuts.ts'

export type Cut = StageCut

export type BurstRow = Readonly<{
  token: string
  pool: string
  tier: Tier
  atMs: number
  dex: Dex
  shape: Shape
  inflowEth: number
  buys: number
  sells: number
  windowSec: number
  poolAgeMin: number
  sameSizeMax: number
  top3Share: number
  sizeCv: number
  /** Main tier only, once known and no earlier than 5 s after the signal. */
  buyers: number | null
  repeatBuyers: number | null
  /** Main and lite bursts of v4 pools, no earlier than 5 s after the signal. */
  lp: LpRow | null
  outcome: OutcomeRow | null
  /** A revert of the chain moved the signal here from that instant; the row there is withdrawn. */
  supersedesAtMs: number | null
  /** Knowledge time of the version shown: of the revert, where that has changed the row. */
  knownAtMs: number
  publishedAtMs: number
}>

/** Who holds a pool's liquidity, as shares of L. */
export type LpRow = Readonly<{
  class: LpClass
  insiderShare: number
  burnedShare: number
  contractShare: number
  otherShare: number
  unknownShare: number
  firstAddAtMs: number | null
  lpAdds: number
}>

/** One v4 pool, as of `checkedAtMs`. */
export type ProfileRow = LpRow &
  Readonly<{
    pool: string
    createdAtMs: number
    checkedAtMs: number
    blockNumber: number
    creator: string | null
  }>

/** A token's bonding curve, as of the end of block `readBlock`. Prices in ETH for a whole token of 18 decimals. */
export type CurveRow = Readonly<{
  curve: string
  launchpad: string
  isCompleted: boolean
  symbol: string | null
  creator: string | null
  launchBlock: number | null
  launchAtMs: number | null
  graduationEth: number
  reserveEth: number
  /** Reserve over what completes it, at most 1. */
  progress: number
  /** Spot price times supply. */
  marketCapEth: number
  feeBps: number | null
  readBlock: number
  readAtMs: number
}>

/** Of the token's pools of the last 24 h. */
export type RugCheckRow = Readonly<{
  /** Oldest pool first. Of more than `rugCheckPoolsMax` those with the most ETH at their last swap. */
  profiles: readonly ProfileRow[]
  v4PoolCount: number
  /** Each that occurs among all v4 pools, those that are not shown too. */
  classes: readonly LpClass[]
  /** Their owners are not profiled. */
  v3PoolCount: number
  /** The token is still on its curve, or its pool is still to come. */
  curve: CurveRow | null
}>

/** A sender of buys in several burst windows of the last 30 days. */
export type CrewRow = Readonly<{ wallet: string; bursts: number; lastSeenAtMs: number }>

/** Of the bursts of the last 24 h. Medians are null while nothing is scored. */
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

export type OutcomeRow = Readonly<{
  /** Knowledge time of the outcome record. */
  scoredAtMs: number
  ret30m: number
  peakRet: number
  ruleRet: number
  exits: readonly Readonly<{
    rule: string
    ret: number
    why: ExitReason
    sec: number | null
  }>[]
  rug: Readonly<{ atSec: number; lpRemoved: number }> | null
}>

export type PoolRow = Readonly<{
  pool: string
  dex: Dex
  token: string
  createdBlock: number
  createdAtMs: number
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
}>

export type BurstFilter = Readonly<{
  tier: Tier | 'all'
  lp: 'all' | 'safe' | 'held'
}>

export type ChainAViews = Readonly<{
  /** Signals in `(cut.blockAtMs - minutes, cut.blockAtMs]`, newest first. */
  burstsLive(cut: Cut, filter: BurstFilter & Readonly<{ minutes: number }>): Promise<readonly BurstRow[]>
  /** The newest burst of the last 24 h that fits the filter. */
  latestBurst(cut: Cut, filter: BurstFilter): Promise<BurstRow | null>
  /** Scored bursts with signals of the last `hours`, newest first. */
  burstsHistory(cut: Cut, filter: BurstFilter & Readonly<{ hours: number }>): Promise<readonly BurstRow[]>
  /** Pools created in the last `hours`, youngest first. */
  poolsNew(cut: Cut, options: Readonly<{ hours: number; limit: number }>): Promise<readonly PoolRow[]>
  /** Null: not a pool created in the last 24 h. Exactly 60 minutes, oldest first, the running minute last. */
  poolFlow(
    cut: Cut,
    pool: string,
  ): Promise<Readonly<{
    pool: PoolRow
    minutes: readonly MinuteRow[]
    bursts: readonly BurstRow[]
  }> | null>
  /** Null: no pool of the token was created in the last 24 h, and it is on no curve. */
  rugCheck(cut: Cut, token: string): Promise<RugCheckRow | null>
  /** Most bursts first, ties by the last one and wallet; and how many wallets bought in any burst of the last 30 days. */
  crews(
    cut: Cut,
    options: Readonly<{ minBursts: number; limit: number }>,
  ): Promise<Readonly<{ walletsTracked: number; crews: readonly CrewRow[] }>>
  lastDay(cut: Cut): Promise<DayRow>
  counts(cut: Cut): Promise<Readonly<{ bursts24h: number; poolsTracked: number }>>
}>
