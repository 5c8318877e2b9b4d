/** The simulated tokens and their trade histories, as far as the simulated chats may use them. */
import type { CallTime } from './market/call-times.ts'
import { deepestOf, type MarketStep, stepsAt } from './market/steps.ts'

export type TokenHistory = Readonly<{
  /** The key of the token's facts on the log. */
  token: string
  /** The start of the token's trading. */
  fromSec: number
  /** The end of the token's trading. */
  untilSec: number
  /**
   * The token's planned bursts. `isPrepared` is true if a few wallets bought together, with amounts that one
   * owner chose.
   */
  bursts: readonly Readonly<{ startSec: number; endSec: number; isPrepared: boolean }>[]
  /** The other times at which the token is called. */
  callTimes: readonly CallTime[]
  /** Returns the state of each of the token's markets after each transaction, in time order. Simulates the whole life of the token. */
  prices(): readonly MarketStep[]
}>

/**
 * Returns the tokens of one market that have a burst or a call time in this hour. Hours are counted since the epoch.
 */
export type HistoriesOfHour = (hour: number) => readonly TokenHistory[]

const delaySec = 3
const hourSec = 3600
/** A market counts as pulled if at most this share of its liquidity is left. */
const pulledLeftMost = 0.2

/**
 * Returns whether a call posted at this second wins. A call wins if the price rises 35 % within an hour,
 * before the price falls 20 % and before the liquidity is pulled. The price is that of the market with the
 * most liquidity three seconds after the post. Returns null if there was no price at that time.
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
