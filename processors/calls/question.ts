/** Questions for prices, which lookups answer. */
import type { Call, PriceAsked } from '../../schemas/calls/derived.ts'
import type { DurationMs, EpochMs, MarketId } from '../../schemas/units.ts'

export type PriceFamily = NonNullable<Call['anchor']>['source']

/**
 * - `source`: the source of the price with which the answer will be compared. Null if there is no such price
 *   yet.
 * - `market`: the pool or curve to read.
 * - `usefulMs`: the time after `atMs` during which an answer is useful, in ms.
 */
type PriceQuestion = Readonly<{
  token: string
  source: PriceFamily | null
  market: MarketId | null
  usefulMs: DurationMs
}>

/**
 * Builds a question for a price. If the anchor is from an aggregator, the answer must also be from an
 * aggregator. This holds even if the token now trades on a market.
 */
export function priceQuestion({ token, source, market, usefulMs }: PriceQuestion, atMs: EpochMs): PriceAsked {
  const isInUsd = source === 'aggregator'
  return { questionId: `${token}:${atMs}`, revision: 0, atMs, market: isInUsd ? null : market, isInUsd, usefulMs }
}

/** Returns the time that a question is about, in ms. The token of the question is the key of the answer. */
export const askedAtMs = (questionId: string): EpochMs => Number(questionId.slice(questionId.lastIndexOf(':') + 1))

/**
 * Returns whether the two prices have the same unit. Prices of the chain are in the chain's coin. Prices of
 * an aggregator are in USD.
 */
export const isOneFamily = (
  one: Readonly<{ source: PriceFamily }>,
  other: Readonly<{ source: PriceFamily }>,
): boolean => (one.source === 'aggregator') === (other.source === 'aggregator')
