/** Questions for prices, which lookups answer. */
import type { Call, PriceAsked } from '../../schemas/calls/derived.ts'
import type { DurationMs, EpochMs, MarketId } from '../../schemas/units.ts'

export type PriceFamily = NonNullable<Call['anchor']>['source']

/**
 * `source`: that of the price that the answer will be compared with; null: there is none yet. `market`: the pool or curve to read.
 * `usefulMs`: how long after the instant an answer is still useful.
 */
type Asking = Readonly<{ token: string; source: PriceFamily | null; market: MarketId | null; usefulMs: DurationMs }>

/** An anchor from an aggregator is compared with prices of an aggregator, even if the token trades on a known market now. */
export function priceQuestion({ token, source, market, usefulMs }: Asking, atMs: EpochMs): PriceAsked {
  const isInUsd = source === 'aggregator'
  return { questionId: `${token}:${atMs}`, revision: 0, atMs, market: isInUsd ? null : market, isInUsd, usefulMs }
}

/** The instant of a question about this token. Null: the question is about another token. */
export function askedAtMs(questionId: string, token: string): EpochMs | null {
  const colon = questionId.lastIndexOf(':')
  return questionId.slice(0, colon) === token ? Number(questionId.slice(colon + 1)) : null
}

/** Whether a return can be computed from the two prices: those of the chain are in its coin, those of an aggregator in USD. */
export const isOneFamily = (
  one: Readonly<{ source: PriceFamily }>,
  other: Readonly<{ source: PriceFamily }>,
): boolean => (one.source === 'aggregator') === (other.source === 'aggregator')
