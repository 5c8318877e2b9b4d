/** What a simulated chat world may know of a simulated market: its tokens, and what becomes of them. */

export type Tale = Readonly<{
  /** The key of its facts on the log. */
  token: string
  /** When it began and ends to be traded. */
  fromSec: number
  untilSec: number
  /** Its planned bursts. `isPrepared`: few wallets bought together, with sizes of one hand. */
  bursts: readonly Readonly<{ startSec: number; endSec: number; isPrepared: boolean }>[]
  /** Each trade’s second and the price after it, in time order. Plays the whole life of the token. */
  prices(): readonly TalePrice[]
}>

export type TalePrice = Readonly<{ second: number; px: number }>

/** The tokens of one market with a burst that begins in this hour since the epoch. */
export type TalesOfHour = (hour: number) => readonly Tale[]

const delaySec = 3
const hourSec = 3600

/**
 * Whether the price is 35 % up before it is 20 % down within an hour of the post, from the price in force three seconds after it
 * on. Null: there was no price then.
 */
export function winsAfter(prices: readonly TalePrice[], postedSec: number): boolean | null {
  const anchorSec = postedSec + delaySec
  const from = prices.findIndex(({ second }) => second > anchorSec)
  const anchor = prices[(from < 0 ? prices.length : from) - 1]
  if (anchor === undefined) return null
  for (const { second, px } of from < 0 ? [] : prices.slice(from)) {
    if (second > anchorSec + hourSec) break
    if (px <= anchor.px * 0.8) return false
    if (px >= anchor.px * 1.35) return true
  }
  return false
}
