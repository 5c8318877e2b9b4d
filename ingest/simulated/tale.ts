/** What a simulated chat world may know of a simulated market: its tokens, and what becomes of them. */
import type { Moment } from './market/moments.ts'
import { deepestOf, type MarketStep, standingAt } from './market/steps.ts'

export type Tale = Readonly<{
  /** The key of its facts on the log. */
  token: string
  /** When it began and ends to be traded. */
  fromSec: number
  untilSec: number
  /** Its planned bursts. `isPrepared`: few wallets bought together, with sizes of one hand. */
  bursts: readonly Readonly<{ startSec: number; endSec: number; isPrepared: boolean }>[]
  /** When else it is called. */
  moments: readonly Moment[]
  /** How each of its markets stands after each transaction, in time order. Plays the whole life of the token. */
  prices(): readonly MarketStep[]
}>

/** The tokens of one market with a burst or another moment in this hour since the epoch. */
export type TalesOfHour = (hour: number) => readonly Tale[]

const delaySec = 3
const hourSec = 3600
/** So little is left of what was pulled. */
const pulledLeftMost = 0.2

/**
 * Whether the price is 35 % up before it is 20 % down within an hour of the post, on the deepest market at three seconds after
 * it. A market that is pulled is worth nothing, whatever comes later. Null: there was no price then.
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
