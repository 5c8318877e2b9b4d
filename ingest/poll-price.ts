import type { CoinPrice } from '../schemas/tick.ts'
import type { DurationMs, EpochMs } from '../schemas/units.ts'
import { isAheadOfClock } from './believable-time.ts'
import type { Delay } from './delay.ts'
import type { PriceReader } from './source.ts'

export type PricePoll = Readonly<{
  /**
   * Returns the newest price of the feed, with the time that the feed gives for it. Null before the first
   * price.
   */
  latest(): CoinPrice | null
  /**
   * Reads the price from the feed at each interval until the signal aborts. If a read fails, `latest` stays
   * as it is. A price with an earlier time than the last price is ignored, because a delayed or faulty node
   * may send one.
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
  // Older versions of this program wrote prices to the log without a check of their times. So an initial
  // price whose time is in the future is ignored.
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
