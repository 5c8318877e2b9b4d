/** What the front page shows, as values. A chain and the calls each give their own part. */
import type { Cut, StageCut } from '../../projections/cuts.ts'
import type { Stage } from '../../schemas/stage.ts'
import type { EpochMs } from '../../schemas/units.ts'

/** A token in a column of the front page. */
export type FrontToken = Readonly<{
  token: string
  /** When what the column is about happened, such as the launch. */
  atMs: EpochMs
  /** Short texts about the token, such as `+3.20 SOL in 15 s`. */
  facts: readonly string[]
  /** The fill of the bonding curve, 0 to 1, and when it was so. Null: the token is on no curve. */
  fill: Readonly<{ share: number; atMs: EpochMs }> | null
}>

export type FrontColumn = Readonly<{
  title: string
  /** One sentence: which tokens the column has, and which it cannot have. */
  says: string
  tokens: readonly FrontToken[]
}>

/** A burst (sudden net buying), and how it ended. */
export type FrontBurst = Readonly<{
  token: string
  atMs: EpochMs
  /** Net inflow in coins of the chain, above 0. */
  inflow: number
  /** The burst in words, without its token. */
  text: string
  /** The return from the signal to the end of its time, costs off. Null: it is not scored yet. */
  ret: number | null
  isPulled: boolean
}>

export type FrontOfChain = Readonly<{
  columns: readonly FrontColumn[]
  /** The bursts of the last 24 h, at most `frontBurstsMax`, newest first. */
  bursts: readonly FrontBurst[]
}>

/** The prices of a token in the last 24 h, in its market with the most coins. */
export type FrontPrices = Readonly<{
  /** The name that the launch gave the token. Anyone can give any name. Null: not known. */
  name: string | null
  /** Where the prices are from, in words. */
  market: string
  /** The price after the last trade of each minute with trades, oldest first, in coins of the chain per raw token unit. */
  points: readonly Readonly<{ minuteAtMs: EpochMs; px: number }>[]
  /** Since when the prices are those of the pool that replaced the curve. Null: all prices are from one of the two. */
  poolFromMs: EpochMs | null
  areTradesMissing: boolean
}>

export const frontPricesHours = 24

export const frontBurstsMax = 500
export const frontColumnTokens = 6

export type FrontPart = Readonly<{
  /** The public name of the chain. */
  wireName: string
  /** The symbol of the coin in which inflows are counted. */
  coin: string
  /** What a return of a burst is, in words, such as `30 minutes after the signal`. */
  endsAt: string
  answer(cut: StageCut): Promise<FrontOfChain>
  /** Returns the prices of the last `frontPricesHours`. Null: the token had no trade. */
  pricesOf(cut: StageCut, token: string): Promise<FrontPrices | null>
}>

/** A poster in chats, with the share of its calls that reached +35 % before -20 % within an hour. */
export type FrontCaller = Readonly<{
  /** The public name of the chat, or null for a private chat. */
  chat: string | null
  /** The first digits of the hash that names the caller in answers. */
  id: string
  calls: number
  win: number | null
  interval: readonly [low: number, high: number]
  rug: number | null
}>

/** A token that chats named, with counts only of the private chats. */
export type FrontCall = Readonly<{
  token: string
  /** The public name of the chain. Null: the address has no contract on a followed chain. */
  chain: string | null
  atMs: EpochMs
  /** The public chats by name, in the order of their first posts. */
  chats: readonly string[]
  privateChats: number
  /** The return since the call at the last sample. Null before it. */
  move: number | null
}>

/** A chat that named a token. */
export type FrontNamer = Readonly<{
  /** The public name of the chat, or null for a private chat. */
  chat: string | null
  /** The time of its first post about the token. */
  atMs: EpochMs
  posts: number
}>

export type FrontOfCalls = Readonly<{
  /** The first callers of the hourly board, and the time up to which it covers all calls. Null: no board was made yet. */
  board: Readonly<{ callers: readonly FrontCaller[]; count: number; calls: number; rebuiltAtMs: EpochMs }> | null
  /** Newest first. */
  calls: readonly FrontCall[]
}>

export type FrontCallsPart = Readonly<{
  stages: readonly Stage[]
  answer(cut: Cut): Promise<FrontOfCalls>
  /** Returns the chats that named the token in the last 48 h, in the order of their first posts about it. */
  namersOf(cut: Cut, token: string): Promise<readonly FrontNamer[]>
}>
