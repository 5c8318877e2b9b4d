/** Questions for prices, which lookups answer. */
import type { Call, PriceAsked } from '../../schemas/calls/derived.ts'
import type { Hex } from '../../schemas/units.ts'

export type PriceFamily = NonNullable<Call['anchor']>['source']

/**
 * `source`: of the price that the answer is compared with; null: there is none yet. `market`: the pool or curve to read.
 * `usefulMs`: so long after the instant an answer is of use.
 */
type Asking = Readonly<{ token: string; source: PriceFamily | null; market: Hex | null; usefulMs: number }>

/** What came from outside is asked for there, wherever the token trades now. */
export function priceQuestion({ token, source, market, usefulMs }: Asking, atMs: number): PriceAsked {
  const isInUsd = source === 'aggregator'
  return { questionId: `${token}:${atMs}`, revision: 0, atMs, market: isInUsd ? null : market, isInUsd, usefulMs }
}

/** The instant that a question of the token was about. Null: it is of another token. */
export function askedAtMs(questionId: string, token: string): number | null {
  const colon = questionId.lastIndexOf(':')
  return questionId.slice(0, colon) === token ? Number(questionId.slice(colon + 1)) : null
}

/** Prices of the chain are in its coin, those of an aggregator in USD: a return needs two of one kind. */
export const isOneFamily = (
  one: Readonly<{ source: PriceFamily }>,
  other: Readonly<{ source: PriceFamily }>,
): boolean => (one.source === 'aggregator') === (other.source === 'aggregator')
