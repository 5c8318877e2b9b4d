/** Builds the `PriceAsked` records with which the service requests token prices from ingest. */
import type { Call, PriceAsked } from '../../schemas/calls/derived.ts'
import type { DurationMs, EpochMs, MarketId } from '../../schemas/units.ts'

export type PriceFamily = NonNullable<Call['anchor']>['source']

/**
 * - `source`: the source of the price that the looked-up price will be compared with. Null if there is no such
 *   price yet.
 * - `market`: the pool or curve from which to read the price.
 * - `usefulMs`: the time after `atMs` during which the looked-up price is useful, in ms.
 */
type PriceQuestion = Readonly<{
  token: string
  source: PriceFamily | null
  market: MarketId | null
  usefulMs: DurationMs
}>

/**
 * Builds the request for a price at `atMs`. If the first price came from an aggregator, later prices must
 * come from an aggregator too, because of the unit. This holds even if the token is traded on a known market
 * by now.
 */
export function priceQuestion({ token, source, market, usefulMs }: PriceQuestion, atMs: EpochMs): PriceAsked {
  const isInUsd = source === 'aggregator'
  return { questionId: `${token}:${atMs}`, revision: 0, atMs, market: isInUsd ? null : market, isInUsd, usefulMs }
}

/** Returns the time for which a price was requested, in ms. It is the last part of the id. */
export const askedAtMs = (questionId: string): EpochMs => Number(questionId.slice(questionId.lastIndexOf(':') + 1))

/**
 * Returns whether the two prices have the same unit. Prices from an aggregator are in USD. All other prices
 * are in the coin of the chain.
 */
export const isOneFamily = (
  one: Readonly<{ source: PriceFamily }>,
  other: Readonly<{ source: PriceFamily }>,
): boolean => (one.source === 'aggregator') === (other.source === 'aggregator')
