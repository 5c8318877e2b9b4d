/** The part of the simulated tokens that the simulated chats use: names, calls and price histories. */
import type { CallTime } from './market/call-times.ts'
import { deepestOf, type MarketStep, stepsAt } from './market/steps.ts'

export type TokenHistory = Readonly<{
  /** The key of the token's facts in the log. */
  token: string
  /** The start of the token's trading, in seconds since the epoch. */
  fromSec: number
  /** The end of the token's trading. */
  untilSec: number
  /**
   * The token's planned bursts (times of many purchases). `isPrepared` is true if a few wallets buy together,
   * with amounts that one owner chose.
   */
  bursts: readonly Readonly<{ startSec: number; endSec: number; isPrepared: boolean }>[]
  /** The times outside the bursts at which chats call (recommend) the token. */
  callTimes: readonly CallTime[]
  /**
   * Simulates the whole life of the token. Returns one step for each transaction that changes a market of the
   * token, in time order.
   */
  prices(): readonly MarketStep[]
}>

/**
 * Returns the tokens of one market that have a burst or a call time in this hour. Hours are counted since the epoch.
 */
export type HistoriesOfHour = (hour: number) => readonly TokenHistory[]

const delaySec = 3
const hourSec = 3600
/** The liquidity of a market counts as pulled (removed by its owner) if at most this share of it is left. */
const pulledLeftMost = 0.2

/**
 * Returns whether a call posted at this time wins. A call wins if the price rises 35 % within an hour, before
 * it falls 20 % and before the liquidity is removed. The price is that of the market that has the most
 * liquidity three seconds after the post. Returns null if there is no price three seconds after the post.
 */
export function winsAfter(prices: readonly MarketStep[], postedSec: number): boolean | null {
  const anchorSec = postedSec + delaySec
  const anchor = deepestOf(stepsAt(prices, anchorSec))
  if (anchor === null || anchor.px === null) return null
  const after = prices.filter(
    ({ second, of }) => second > anchorSec && second <= anchorSec + hourSec && of === anchor.of,
  )
  for (const { px, left } of after) {
    if (left <= anchor.left * pulledLeftMost) return false
    if (px !== null && px <= anchor.px * 0.8) return false
    if (px !== null && px >= anchor.px * 1.35) return true
  }
  return false
}
