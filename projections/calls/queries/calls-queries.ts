/**
 * The queries that the API makes on the tables of calls, over all chains of the service. The result of a query depends only on its
 * parameters and the cut. A time such as "the last 48 h" ends at the clock of the chats: the newest instant up to which the chats were
 * followed.
 */
import type { EpochMs } from '../../../schemas/units.ts'
import type { Cut } from '../../cuts.ts'
import type { DetailsOf, Filled, RowOf, Stamp } from '../../select.ts'
import type { Tracked } from '../../tracked.ts'
import type { MissingTrades } from '../../trade-gaps/missing-trades.ts'
import type { CallTables, PrecallTables } from '../tables.ts'

/**
 * `coinUsd`: the price of the chain’s coin in USD at the cut; null: not known. `gaps`: the missing trades since the anchor, in all markets
 * of the token; null: there are none, or the prices are not from trades of the log.
 */
export type CallRow = RowOf<CallTables['Call']> &
  Stamp &
  Readonly<{ coinUsd: number | null; gaps: MissingTrades | null }>

export type GradeRow = RowOf<CallTables['ScannerGrade']> & Stamp

/**
 * `buyers`: null until the lookup has found the buyers, and always null in the first 5 s after the post. `gaps`: the missing trades in the
 * hour before the post, in all markets of the token; null: there are none, or the token was not tracked.
 */
export type PrecallRow = RowOf<PrecallTables['Precall']> &
  Stamp &
  Readonly<{
    buyEth: number
    buyers: DetailsOf<PrecallTables['PrecallBuyers']> | null
    filled: Filled
    gaps: MissingTrades | null
  }>

/** `chain`: the name of the chain’s stage; null: all chains. */
type OfChain = Readonly<{ chain: string | null }>

export const rateNames = ['hit15', 'win35', 'x2', 'rug'] as const
export type RateName = (typeof rateNames)[number]
export const medianNames = ['ret1', 'ret5', 'ret15', 'ret60', 'mfe', 'mae'] as const
export type MedianName = (typeof medianNames)[number]

/** The rates and median returns of a caller. Null: no value was measured. */
export type CallerValues = Readonly<Record<RateName | MedianName, number | null>>

/** A caller and the results of its counted calls. `chat` and `poster` are ids of the chat platform; answers contain their hashes. */
export type CallerRow = Readonly<{
  chat: string
  poster: string
  chatName: string | null
  n: number
  /** The weight of the `n` calls. It is less than `n` if a post names many tokens. */
  weight: number
  /** The number of these calls with missing trades of the token in the hour after the anchor. */
  gapCalls: number
  lastCallAtMs: EpochMs
  shrunk: CallerValues
  raw: CallerValues
  /** Computes the interval in which the true rate is with a probability of 90 %. */
  intervalOf(rate: RateName): readonly [number, number]
}>

/** The numbers of posts of the window that are not scored, by reason. */
export type ExcludedCalls = Readonly<{
  lateAnchorsExcluded: number
  noPriceExcluded: number
  unansweredExcluded: number
  tooManyExcluded: number
}>

/**
 * The board is in force until the next edition. `rebuiltAtMs`: the board covers everything up to this instant. `callers` have no
 * particular order.
 */
export type CallerBoard = ExcludedCalls &
  Readonly<{
    rebuiltAtMs: EpochMs
    calls: number
    callers: readonly CallerRow[]
    pooled: CallerValues
    /** The weight of the pooled value when a caller is shrunk toward it, as a number of calls. */
    k: Readonly<Record<RateName | MedianName, number>>
    /** The number of `calls` that are scored on prices from lookups. */
    askedCount: number
    /** The number of `calls` with missing trades in the hour after the anchor. It is the sum over all callers. */
    gapCalls: number
  }>

export const boardWindows = ['24h', '7d', '30d'] as const
export type BoardWindow = (typeof boardWindows)[number]

export type CallsQueries = Readonly<{
  tracked: Readonly<{
    /** Tokens with a call, on the chains that have precalls. */
    precalls: Pick<Tracked, 'mayHold'>
    /** Tokens with a card, on all chains. */
    grades: Pick<Tracked, 'mayHold'>
  }>
  /**
   * Calls whose first post was in the last `minutes`, newest first. If an address has no contract, its chain is unknown. A call of that
   * address is listed only here, and only if `chain` is null.
   */
  live(cut: Cut, question: OfChain & Readonly<{ minutes: number }>): Promise<readonly CallRow[]>
  /** The instant up to which the hourly answers at the cut cover everything. Null: there is no edition yet. */
  rebuiltAt(cut: Cut): Promise<number | null>
  /**
   * The calls of the last `hours` before `rebuiltAt` that are at least an hour old at that instant, newest first. With 48 hours, the calls
   * whose watch ended since the previous edition are included too. Null: there is no edition yet.
   */
  outcomes(
    cut: Cut,
    question: OfChain & Readonly<{ hours: number; limit: number }>,
  ): Promise<Readonly<{ rebuiltAtMs: EpochMs; calls: readonly CallRow[] }> | null>
  /** The board as of `rebuiltAt`. Null: there is no edition yet. */
  board(cut: Cut, window: BoardWindow): Promise<CallerBoard | null>
  /** The newest grade, if its last card is of the last 48 h. Null: there is none. `token` is text from outside. */
  grade(cut: Cut, token: string): Promise<GradeRow | null>
  /** The trades before the newest call of the last 48 h. Null: there is no call, or its chain has no precalls. */
  precall(cut: Cut, token: string): Promise<PrecallRow | null>
}>
