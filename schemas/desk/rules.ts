/**
 * The numbers of the paper desk, which processors, answers and the independent check of the tests share. Each chain lists its
 * strategies beside its own words. In words:
 *
 * Signals. A burst is a signal at its own instant, on its own market. A call is one when its mention was written (or at the
 * post’s time, if that is later): a mention of kind `call`, not read after a gap, and written within `knownWithinMs` of the post.
 * The first one of a token begins 48 hours in which it has no other first call; a lane of `chats` = n takes the call with
 * which n chats have named the token within `callWindowMs` of the first. A call is on the deepest market when it is filled.
 *
 * Fills. A signal is known when the tick that closes it was: max(signal, known time of that tick, time of its block). A position
 * opens `fillDelayMs` after that instant at the price in force then: that after the last trade at or before it. There is none
 * if the service knew of the signal more than `knownWithinMs` after it, or if by the fill the market has ended, had no price
 * yet, holds no liquidity, or was pulled since the signal. A lane holds at most one position of a token; a signal while it
 * holds or awaits one is let go. Nothing else that a stage derives depends on how its log was cut into ticks.
 *
 * Exits. At each trade after the fill, in this order: `rug` (of the liquidity at the fill, by its coin side and transaction by
 * transaction, at most `rugLeftMax` is left), `stop` (px <= stop * entry), `trail` (the highest price since the entry is at
 * least trailFrom * entry, and px <= trail * that), `take_profit` (px >= takeProfit * entry), at the price of that trade,
 * however far it gapped; a rug at 0. `graduated`: the curve is complete, at its last price. `time`: once block time is later
 * than the fill + timeMs, or the market is closed, at the last price. The highest price includes the entry and the trade
 * that is asked about. A return is px / entry - 1 - costs; `peakRet` is that of the highest price.
 *
 * Twins. For each token and slot of `twinSlotMs` a hash (FNV-1a, 32 bits, of `token:slot`) chooses one second. At it every
 * lane without an open twin of the token opens one on the deepest market, if that is in the lane’s band and moved within
 * `twinIdleMs`: an opening price, a trade or a change of its liquidity. A twin has the exit of its lane. Its delay is in the price already: nobody chose the second.
 *
 * Shadows. Of each burst, and of each first call, from the price that a lane would be filled at: the price in force n minutes
 * after it / that price - 1, null once the market has ended; `mfe` and `mae` are the highest and lowest on the way, at least
 * and at most 0. A rug is a price of 0. Emitted after an hour, or when the market is closed. Signals of one kind and instant share one.
 */
import type { Book } from './derived.ts'

const minuteMs = 60_000

export const deskRules = {
  fillDelayMs: 3_000,
  /** What was known later than this after it happened is no part of the record. */
  knownWithinMs: 120_000,
  callWindowMs: 30 * minuteMs,
  rugLeftMax: 0.2,
  shadowMs: 60 * minuteMs,
  twinSlotMs: 10 * minuteMs,
  twinIdleMs: 10 * minuteMs,
  /** How many twins a trade is compared with at most, and how far apart they may open. */
  twinsMax: 20,
  twinWithinMs: 10 * minuteMs,
} as const

/** Ratios of the entry, but `trail`, which is one of the highest price. */
export type LaneExit = Readonly<{ stop: number; takeProfit: number; trailFrom: number; trail: number; timeMs: number }>

/** Null: any. Of a curve, `fill` is 0-1, both ends included; so is the age. */
export type Band = Readonly<{
  source: 'curve' | 'pool' | null
  ageMs: readonly [min: number, max: number] | null
  fill: readonly [min: number, max: number] | null
}>

/** Null: any. */
export type BurstEntry = Readonly<{
  signal: 'burst'
  tiers: readonly string[] | null
  shapes: readonly string[] | null
  fillMax: number | null
}>
/** `chats`: with the call of how many chats it enters. */
type CallEntry = Readonly<{ signal: 'call'; chats: number }>

/** A strategy. Its name is unique in its chain, and never given to another: the log holds it. */
export type Lane = Readonly<{
  name: string
  book: Book
  entry: BurstEntry | CallEntry
  exit: LaneExit
  /** Which tokens its twins are of. A lane with the exit and the tokens of another one has that one’s twins. */
  twins: Band | Readonly<{ sameAs: string }>
}>

/** The lane whose twins the trades of this one are compared with. */
export const twinLaneOf = ({ name, twins }: Lane): string => ('sameAs' in twins ? twins.sameAs : name)

/** What a chain’s desk does. `costs` of buying and selling are deducted from every return. */
export type Desk = Readonly<{ costs: number; lanes: readonly Lane[] }>
