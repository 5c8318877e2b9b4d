/**
 * The queries of the API on the tables of calls, over all chains of the service. A result depends only on the
 * parameters and the cut (a time, and what the service knew then). A time such as "the last 48 h" ends at the
 * clock of the chats (`chatsClockMs`).
 */
import type { EpochMs } from '../../../schemas/units.ts'
import type { Cut } from '../../cuts.ts'
import type { DetailsOf, Filled, RowOf, Stamp } from '../../select.ts'
import type { Tracked } from '../../tracked.ts'
import type { MissingTrades } from '../../trade-gaps/missing-trades.ts'
import type { CallTables, PrecallTables } from '../tables.ts'

/**
 * `coinUsd` is the price of the chain’s coin in USD at the cut, null if not known. `gaps` are the missing
 * trades since the anchor (the trade price at the post), in all markets of the token. `gaps` is null if no
 * trades are missing, or if the prices are not from trades of the log.
 */
export type CallRow = RowOf<CallTables['Call']> &
  Stamp &
  Readonly<{ coinUsd: number | null; gaps: MissingTrades | null }>

/** A call without the price of the coin and without its gaps. */
export type CallOfToken = Omit<CallRow, 'coinUsd' | 'gaps'>

export type GradeRow = RowOf<CallTables['ScannerGrade']> & Stamp

/**
 * `buyers` is null until a lookup has found the buyers, and always in the first 5 s after the post. `gaps`
 * are the missing trades in the hour before the post, in all markets of the token. `gaps` is null if no
 * trades are missing, or if the token was not tracked.
 */
export type PrecallRow = RowOf<PrecallTables['Precall']> &
  Stamp &
  Readonly<{
    buyEth: number
    buyers: DetailsOf<PrecallTables['PrecallBuyers']> | null
    filled: Filled
    gaps: MissingTrades | null
  }>

/** `chain` is the name of the chain’s stage. Null: all chains. */
type OfChain = Readonly<{ chain: string | null }>

export const rateNames = ['hit15', 'win35', 'x2', 'rug'] as const
export type RateName = (typeof rateNames)[number]
export const medianNames = ['ret1', 'ret5', 'ret15', 'ret60', 'mfe', 'mae'] as const
export type MedianName = (typeof medianNames)[number]

/** The rates and median returns of a caller. Null: no value was measured. */
export type CallerValues = Readonly<Record<RateName | MedianName, number | null>>

/**
 * A caller (a poster in a chat) and the results of its counted calls. `chat` and `poster` are ids of the chat
 * platform. API answers contain only hashes of these ids.
 */
export type CallerRow = Readonly<{
  chat: string
  poster: string
  chatName: string | null
  n: number
  /**
   * The total weight of the `n` calls. It is less than `n` if a post names many tokens, because such a post
   * weighs less than 1.
   */
  weight: number
  /**
   * The number of these calls for which trades of the token are missing in the hour after the anchor, the
   * time of the first price.
   */
  gapCalls: number
  lastCallAtMs: EpochMs
  shrunk: CallerValues
  raw: CallerValues
  /** Returns the interval that contains the true rate with a probability of 90 %. */
  intervalOf(rate: RateName): readonly [number, number]
}>

/** The number of posts in the window that are not scored, by reason. */
export type ExcludedCalls = Readonly<{
  lateAnchorsExcluded: number
  noPriceExcluded: number
  unansweredExcluded: number
  tooManyExcluded: number
}>

/**
 * The ranked list of callers. It is recomputed every hour and covers all calls up to `rebuiltAtMs`. `callers`
 * have no particular order.
 */
export type CallerBoard = ExcludedCalls &
  Readonly<{
    rebuiltAtMs: EpochMs
    calls: number
    callers: readonly CallerRow[]
    pooled: CallerValues
    /**
     * A caller's value is shrunk (moved) toward the pooled value of all callers. `k` is the weight of the
     * pooled value, as a number of calls.
     */
    k: Readonly<Record<RateName | MedianName, number>>
    /** The number of `calls` that are scored on prices from lookups. */
    askedCount: number
    /** The number of `calls` with missing trades in the hour after the anchor, over all callers. */
    gapCalls: number
  }>

export const boardWindows = ['24h', '7d', '30d'] as const
export type BoardWindow = (typeof boardWindows)[number]

export type CallsQueries = Readonly<{
  tracked: Readonly<{
    /** Finds out whether a token may have a call, on the chains that have precalls. */
    precalls: Tracked
    /** Finds out whether a token may have a grade from the cards of scanner bots, on all chains. */
    grades: Tracked
  }>
  /**
   * Returns the calls whose first post was in the last `minutes`, newest first. If the address has no
   * contract, the chain is unknown. Such a call is listed only here, and only if `chain` is null.
   */
  live(cut: Cut, question: OfChain & Readonly<{ minutes: number }>): Promise<readonly CallRow[]>
  /**
   * Returns the time up to which the answers that are computed every hour cover all events. Returns null if
   * no such answer exists at the cut.
   */
  rebuiltAt(cut: Cut): Promise<number | null>
  /**
   * Returns the calls of the last `hours` before `rebuiltAt`, newest first. Each call is at least one hour
   * old at `rebuiltAt`. With 48 hours, the result also has calls whose 48 hours of observation ended since
   * the previous hourly answer. Returns null if no hourly answer exists yet.
   */
  outcomes(
    cut: Cut,
    question: OfChain & Readonly<{ hours: number; limit: number }>,
  ): Promise<Readonly<{ rebuiltAtMs: EpochMs; calls: readonly CallRow[] }> | null>
  /** Returns the ranked list of callers as of `rebuiltAt`. Returns null if no hourly answer exists yet. */
  board(cut: Cut, window: BoardWindow): Promise<CallerBoard | null>
  /**
   * Returns the newest grade of the token, if the last scanner card for this grade is from the last 48 h.
   * Otherwise returns null. `token` is text from outside.
   */
  grade(cut: Cut, token: string): Promise<GradeRow | null>
  /**
   * Returns the summary of the trades before the token's newest call of the last 48 h. Returns null if there
   * is no such call, or if the chain of the token has no precalls.
   */
  precall(cut: Cut, token: string): Promise<PrecallRow | null>
  /** Returns the calls of the token in the last 48 h, newest first. `token` is text from outside. */
  ofToken(cut: Cut, token: string): Promise<readonly CallOfToken[]>
}>
