import type { CoinPrice } from '../schemas/tick.ts'
import type { DurationMs, EpochMs } from '../schemas/units.ts'
import { isAheadOfClock } from './believable-time.ts'
import type { Delay } from './delay.ts'
import type { PriceReader } from './source.ts'

export type PricePoll = Readonly<{
  /** Returns the newest price of the feed, with the feed's own time. Returns null before the first price. */
  latest(): CoinPrice | null
  /**
   * Reads the feed repeatedly until the signal aborts. After a failed read, the last price stays. A price
   * older than the last price is ignored, because a delayed or faulty node may send such a price.
   */
  run(signal: AbortSignal): Promise<void>
}>

export type PricePollOptions = Readonly<{
  readPrice: PriceReader | null
  /** The last price in the log. */
  initial: CoinPrice | null
  delay: Delay
  nowMs: () => EpochMs
  intervalMs?: DurationMs
}>

export function createPricePoll({
  readPrice,
  initial,
  delay,
  nowMs,
  intervalMs = 10_000,
}: PricePollOptions): PricePoll {
  // Older versions wrote prices to the log without a check of their times. So an initial price with a future
  // time is ignored.
  let latest = initial && !isAheadOfClock(initial, nowMs()) ? initial : null
  const take = (price: CoinPrice | null) => {
    if (price !== null && price.atMs >= (latest?.atMs ?? 0)) latest = price
  }
  return {
    latest: () => latest,
    async run(signal) {
      while (readPrice && !signal.aborted) {
        take(await readPrice(signal))
        await delay(intervalMs, signal)
      }
    },
  }
}
