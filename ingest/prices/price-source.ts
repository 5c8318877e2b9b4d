import { OperationError } from '../../infra/errors.ts'
import type { PriceAnswered } from '../../schemas/calls/facts.ts'
import type { EpochMs, MarketId } from '../../schemas/units.ts'

/** A price in the unit of its source (see `priceSources`). */
export type FoundPrice = NonNullable<PriceAnswered['price']>

/**
 * A lookup of the price of a token.
 * - `token` is the key of the token's facts in the log.
 * - `market` is null if no market of the token is known.
 * - `isInUsd`: only a price in USD is useful.
 * - `isUrgent`: the lookup goes before other lookups.
 */
export type PriceQuestion = Readonly<{
  token: string
  market: MarketId | null
  atMs: EpochMs
  isInUsd?: boolean
  isUrgent?: boolean
}>

/**
 * Returns the price of a token: the current price, or the price at `atMs` if the source has past prices.
 * Fails with `nothing_found` if the token has no price. After any other failure, it is unknown whether the token has a
 * price.
 */
export type PriceSource = (question: PriceQuestion, signal: AbortSignal) => Promise<FoundPrice>

/**
 * Creates the error for a token without a price. Use this error only if the source itself reports that there
 * is no price. If this goes on for a long time, the token counts as dead.
 */
export const noPrice = (message: string): OperationError => new OperationError('nothing_found', message)

/** Reads the price of a market from the chain's own node. */
export type MarketReader = (
  question: PriceQuestion & Readonly<{ market: MarketId }>,
  signal: AbortSignal,
) => Promise<FoundPrice>

/**
 * Creates a source that reads the price from the chain's own node if a market of the token is known, and
 * otherwise from an aggregator. If the node fails, the aggregator is not asked, because its prices are in
 * another unit.
 */
export const createPriceSource =
  ({ readMarket, aggregator }: Readonly<{ readMarket: MarketReader; aggregator: PriceSource | null }>): PriceSource =>
  async ({ market, ...question }, signal) => {
    if (market !== null) return await readMarket({ ...question, market }, signal)
    if (aggregator === null)
      throw new OperationError('node_refused', 'no price aggregator is configured (PRICE_AGGREGATOR_URL)')
    return await aggregator({ ...question, market }, signal)
  }
