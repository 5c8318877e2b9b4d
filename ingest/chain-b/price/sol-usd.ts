import { OperationError } from '../../../infra/errors.ts'
import type { Logger } from '../../../infra/telemetry.ts'
import type { CoinPrice } from '../../../schemas/tick.ts'
import type { DurationMs, EpochMs } from '../../../schemas/units.ts'
import type { PriceReader } from '../../source.ts'
import { withLimit } from '../../with-limit.ts'
import { type PriceAccount, readPyth, solUsdFeedId } from './pyth.ts'

const limitMsDefault = 5_000

export type SolUsdOptions = Readonly<{
  /** Reads the account with the price. Returns null if there is no such account. */
  readAccount: (address: string, signal: AbortSignal) => Promise<PriceAccount | null>
  /** The address of the price account, in base58. */
  feed: string
  nowMs: () => EpochMs
  logger: Logger
  limitMs?: DurationMs
}>

/**
 * Creates a reader of the SOL/USD price from a Pyth account. If the read fails or the price is not usable,
 * the reader logs a warning and returns null.
 */
export function createSolUsdReader(options: SolUsdOptions): PriceReader {
  const { readAccount, feed, nowMs, logger, limitMs = limitMsDefault } = options
  let last: CoinPrice | null = null
  const warn = (reason: string) => {
    const lastPriceAt = last ? { lastPriceAt: new Date(last.atMs).toISOString() } : {}
    logger.warn(
      { feed, reason, ...lastPriceAt },
      'the SOL/USD feed gave no usable price. If `lastPriceAt` is set, the price of that time stays in use',
    )
  }
  const onLimit = () => new OperationError('node_unreachable', `the node did not answer in ${limitMs} ms`)
  return async (signal) => {
    try {
      const account = await withLimit({ limitMs, signal, onLimit }, (its) => readAccount(feed, its))
      const reading = account ? readPyth(account, solUsdFeedId, nowMs()) : { problem: 'the account does not exist' }
      if ('problem' in reading) {
        warn(reading.problem)
        return null
      }
      last = reading.price
      return last
    } catch (error) {
      if (!signal.aborted) warn((error as Error).message)
      return null
    }
  }
}
