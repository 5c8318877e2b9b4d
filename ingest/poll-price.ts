import type { CoinPrice } from '../schemas/tick.ts'
import type { DurationMs, EpochMs } from '../schemas/units.ts'
import { isAheadOfClock } from './believable-time.ts'
import type { Delay } from './delay.ts'
import type { PriceReader } from './source.ts'

export type PricePoll = Readonly<{
  /** Returns the newest price of the feed, with the feed's own time. Null before the first price. */
  latest(): CoinPrice | null
  /**
   * Reads the feed repeatedly until the signal aborts. Keeps the last price if a read fails or gives an older price. A
   * node that is behind or wrong may give an older price.
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
  // Drops a price of the future from the log: older versions wrote prices without a check of their times.
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
