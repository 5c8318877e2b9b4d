import { OperationError } from '../../infra/errors.ts'
import type { PriceAnswered } from '../../schemas/calls/facts.ts'
import type { Hex } from '../../schemas/units.ts'

/** In the unit of its source: see `priceSources`. */
export type FoundPrice = NonNullable<PriceAnswered['price']>

/**
 * `market` null: none is known. `token` is the key of its facts on the log. `isInUsd`: a price in coin is of no use. `isUrgent`: it
 * goes before others.
 */
export type PriceQuestion = Readonly<{
  token: string
  market: Hex | null
  atMs: number
  isInUsd?: boolean
  isUrgent?: boolean
}>

/**
 * The price of a token: now, unless the source knows the past. Fails with `nothing_found` where the token has none. Any other
 * failure says nothing of the token: nobody answered, or with something else than a price.
 */
export type PriceSource = (question: PriceQuestion, signal: AbortSignal) => Promise<FoundPrice>

/** Only of what whoever was asked says about the token: a token that has no price for long counts as dead. */
export const noPrice = (message: string): OperationError => new OperationError('nothing_found', message)

/** Reads the price of a market from the chain’s own node. */
export type MarketReader = (
  question: PriceQuestion & Readonly<{ market: Hex }>,
  signal: AbortSignal,
) => Promise<FoundPrice>

/**
 * The chain’s own node where a market is known, else an aggregator. An aggregator is not asked where the node found nothing:
 * its prices are in another unit, so they would be of no use to who asked for that market.
 */
export const createPriceSource =
  ({ readMarket, aggregator }: Readonly<{ readMarket: MarketReader; aggregator: PriceSource | null }>): PriceSource =>
  async ({ market, ...question }, signal) => {
    if (market !== null) return await readMarket({ ...question, market }, signal)
    if (aggregator === null) throw new OperationError('node_refused', 'no source')
    return await aggregator({ ...question, market }, signal)
  }
