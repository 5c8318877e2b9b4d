/**
 * The questions the API asks of the tables of calls, over all chains that are there. Every answer is a function of (question,
 * cut). What is recent is judged by the clock of the chats: the newest instant up to which they were followed.
 */
import type { EpochMs } from '../../../schemas/units.ts'
import type { Cut } from '../../cuts.ts'
import type { DetailsOf, Filled, RowOf, Stamp } from '../../select.ts'
import type { Tracked } from '../../tracked.ts'
import type { MissingTrades } from '../../trade-gaps/missing-trades.ts'
import type { CallTables, PrecallTables } from '../tables.ts'

/**
 * `coinUsd`: what the chain’s coin costs at the cut; null: not known. `gaps`: in all markets of the token since the anchor;
 * null too where the prices are not of the log.
 */
export type CallRow = RowOf<CallTables['Call']> &
  Stamp &
  Readonly<{ coinUsd: number | null; gaps: MissingTrades | null }>

export type GradeRow = RowOf<CallTables['ScannerGrade']> & Stamp

/**
 * `buyers`: null until they are resolved, and no earlier than 5 s after the post. `gaps`: in all markets of the token, in the
 * hour before the post; null too if it was not tracked.
 */
export type PrecallRow = RowOf<PrecallTables['Precall']> &
  Stamp &
  Readonly<{
    buyEth: number
    buyers: DetailsOf<PrecallTables['PrecallBuyers']> | null
    filled: Filled
    gaps: MissingTrades | null
  }>

/** `chain`: the name of its stage; null: all. */
type OfChain = Readonly<{ chain: string | null }>

export const rateNames = ['hit15', 'win35', 'x2', 'rug'] as const
export type RateName = (typeof rateNames)[number]
export const medianNames = ['ret1', 'ret5', 'ret15', 'ret60', 'mfe', 'mae'] as const
export type MedianName = (typeof medianNames)[number]

/** Null: nothing was measured. */
export type CallerValues = Readonly<Record<RateName | MedianName, number | null>>

/** `chat` and `poster` as the chat platform has them: answers hash both. */
export type CallerRow = Readonly<{
  chat: string
  poster: string
  chatName: string | null
  n: number
  /** What these calls weigh: fewer than `n` where posts name many tokens. */
  weight: number
  /** The number of these calls in whose hour trades of the token are missing. */
  gapCalls: number
  lastCallAtMs: EpochMs
  shrunk: CallerValues
  raw: CallerValues
  /** Computed when it is asked for: 90 % of the true rate. */
  intervalOf(rate: RateName): readonly [number, number]
}>

/** Calls of the window that are not scored, by why. */
export type ExcludedCalls = Readonly<{
  lateAnchorsExcluded: number
  noPriceExcluded: number
  unansweredExcluded: number
  tooManyExcluded: number
}>

/** In force until the next edition. `rebuiltAtMs`: the instant up to which it tells all. `callers`: in no order. */
export type CallerBoard = ExcludedCalls &
  Readonly<{
    rebuiltAtMs: EpochMs
    calls: number
    callers: readonly CallerRow[]
    pooled: CallerValues
    /** How many calls the pooled value is worth. */
    k: Readonly<Record<RateName | MedianName, number>>
    /** How many of `calls` are scored on prices that were asked for. */
    askedCount: number
    /** In how many of `calls` trades are missing: those of all callers. */
    gapCalls: number
  }>

export const boardWindows = ['24h', '7d', '30d'] as const
export type BoardWindow = (typeof boardWindows)[number]

export type CallsQueries = Readonly<{
  tracked: Readonly<{
    /** Tokens with a call, of the chains that tell what came before it. */
    precalls: Pick<Tracked, 'mayHold'>
    /** Tokens with a card, of every chain. */
    grades: Pick<Tracked, 'mayHold'>
  }>
  /**
   * Calls whose first post is of the last `minutes`, newest first. A call of an address without a contract is on no chain that is
   * known: it is listed among all, and in no other answer.
   */
  live(cut: Cut, question: OfChain & Readonly<{ minutes: number }>): Promise<readonly CallRow[]>
  /** The instant up to which hourly answers tell all, at the cut. Null: none yet. */
  rebuiltAt(cut: Cut): Promise<number | null>
  /**
   * As of that instant: calls of the last `hours` that are at least an hour old, newest first; over 48 h those too whose watch ended
   * since the edition before. Null: there is no such instant.
   */
  outcomes(
    cut: Cut,
    question: OfChain & Readonly<{ hours: number; limit: number }>,
  ): Promise<Readonly<{ rebuiltAtMs: EpochMs; calls: readonly CallRow[] }> | null>
  /** As of that instant. */
  board(cut: Cut, window: BoardWindow): Promise<CallerBoard | null>
  /** By the cards of the last 48 h. Null: there is none. `token`: foreign text. */
  grade(cut: Cut, token: string): Promise<GradeRow | null>
  /** What came before the newest call of the last 48 h. */
  precall(cut: Cut, token: string): Promise<PrecallRow | null>
}>
