import { OperationError } from '../../infra/errors.ts'
import type { PriceAnswered } from '../../schemas/calls/facts.ts'
import type { EpochMs, MarketId } from '../../schemas/units.ts'

/** In the unit of its source. See `priceSources`. */
export type FoundPrice = NonNullable<PriceAnswered['price']>

/**
 * `market` is null if none is known. `token` is the key of its facts on the log. `isInUsd`: only a price in USD is
 * useful. `isUrgent`: goes before others.
 */
export type PriceQuestion = Readonly<{
  token: string
  market: MarketId | null
  atMs: EpochMs
  isInUsd?: boolean
  isUrgent?: boolean
}>

/**
 * The price of a token: the current one, unless the source knows the past. Fails with `nothing_found` if the token has
 * no price. Other failures say nothing about the token: there was no answer, or one that is no price.
 */
export type PriceSource = (question: PriceQuestion, signal: AbortSignal) => Promise<FoundPrice>

/**
 * Use it only if the source itself says that the token has no price: a token without a price for long counts as dead.
 */
export const noPrice = (message: string): OperationError => new OperationError('nothing_found', message)

/** Reads the price of a market from the chain's own node. */
export type MarketReader = (
  question: PriceQuestion & Readonly<{ market: MarketId }>,
  signal: AbortSignal,
) => Promise<FoundPrice>

/**
 * Asks the chain's own node if a market is known, else an aggregator. If the node finds nothing, the aggregator is not
 * asked: its prices are in another unit, which is useless for that market.
 */
export const createPriceSource =
  ({ readMarket, aggregator }: Readonly<{ readMarket: MarketReader; aggregator: PriceSource | null }>): PriceSource =>
  async ({ market, ...question }, signal) => {
    if (market !== null) return await readMarket({ ...question, market }, signal)
    if (aggregator === null) throw new OperationError('node_refused', 'no source')
    return await aggregator({ ...question, market }, signal)
  }
