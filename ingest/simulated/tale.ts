/** What the simulated chats may know of a simulated market: its tokens and their lives. */
import type { Moment } from './market/moments.ts'
import { deepestOf, type MarketStep, standingAt } from './market/steps.ts'

export type Tale = Readonly<{
  /** The key of its facts on the log. */
  token: string
  /** The start and end of its trading. */
  fromSec: number
  untilSec: number
  /** Its planned bursts. `isPrepared`: a few wallets bought together, with sizes chosen by one owner. */
  bursts: readonly Readonly<{ startSec: number; endSec: number; isPrepared: boolean }>[]
  /** Other times at which it is called. */
  moments: readonly Moment[]
  /** The state of each of its markets after each transaction, in time order. Simulates the whole life of the token. */
  prices(): readonly MarketStep[]
}>

/** The tokens of one market with a burst or another moment in this hour (counted since the epoch). */
export type TalesOfHour = (hour: number) => readonly Tale[]

const delaySec = 3
const hourSec = 3600
/** A market counts as pulled at or below this remaining share. */
const pulledLeftMost = 0.2

/**
 * Whether, within an hour of the post, the price rises 35 % before it falls 20 %, on the market that is deepest three
 * seconds after the post. A pulled market is worth nothing from then on. Null if there was no price at that time.
 */
export function winsAfter(prices: readonly MarketStep[], postedSec: number): boolean | null {
  const anchorSec = postedSec + delaySec
  const anchor = deepestOf(standingAt(prices, anchorSec))
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
