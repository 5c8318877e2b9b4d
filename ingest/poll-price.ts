import type { CoinPrice } from '../schemas/tick.ts'
import type { Delay } from './delay.ts'
import type { PriceReader } from './source.ts'

export type PricePoll = Readonly<{
  /** The last price of the feed, with the feed's own time. Null before the first. */
  latest(): CoinPrice | null
  /** Asks the feed repeatedly until the signal aborts. A failure keeps the last price. */
  run(signal: AbortSignal): Promise<void>
}>

export type PricePollOptions = Readonly<{
  readPrice: PriceReader | null
  /** The last price in the log. */
  initial: CoinPrice | null
  delay: Delay
  intervalMs?: number
}>

export function createPricePoll({ readPrice, initial, delay, intervalMs = 10_000 }: PricePollOptions): PricePoll {
  let latest = initial
  return {
    latest: () => latest,
    async run(signal) {
      while (readPrice && !signal.aborted) {
        latest = (await readPrice(signal)) ?? latest
        await delay(intervalMs, signal)
      }
    },
  }
}
