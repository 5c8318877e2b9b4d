import type { Delay } from './delay.ts'
import type { EthPrice } from './publish.ts'
import type { PriceReader } from './source.ts'

export type PricePoll = Readonly<{
  /** The last price that the feed gave, with its own time; null until there was one. */
  latest(): EthPrice | null
  /** Asks again and again until the signal aborts; a failure keeps the last price. */
  run(signal: AbortSignal): Promise<void>
}>

export type PricePollOptions = Readonly<{
  readPrice: PriceReader | null
  /** What the log knew last. */
  initial: EthPrice | null
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
