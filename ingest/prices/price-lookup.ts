import { OperationError } from '../../infra/errors.ts'
import type { PriceAsked } from '../../schemas/calls/derived.ts'
import { type PriceAnswered, tooOld } from '../../schemas/calls/facts.ts'
import { callRules } from '../../schemas/calls/rules.ts'
import type { DurationMs } from '../../schemas/units.ts'
import type { Lookup } from '../lookups/lookup.ts'
import { withLimit } from '../with-limit.ts'
import { type FoundPrice, noPrice, type PriceSource } from './price-source.ts'

type Question = Readonly<{ type: 'PriceAsked'; data: PriceAsked }>
type Answer = Readonly<{ type: 'PriceAnswered'; data: PriceAnswered }>

type PriceOptions = Readonly<{
  /**
   * Whether the source has past prices. Nodes and aggregators have only the current price. A lookup that is
   * older than its `usefulMs` fails if the source has no past prices. Default: false.
   */
  knowsPast?: boolean
  /**
   * The time limit of one price lookup, in ms. A source that hangs must not block later lookups. Default: 5
   * s.
   */
  limitMs?: DurationMs
}>

const limitMsDefault = 5_000

/**
 * Returns whether the price lookup goes before others. Lookups of the price at the time of a post, or for its
 * score, are urgent. Lookups for later samples of the price can wait for minutes.
 */
const isUrgent = ({ usefulMs }: Pick<PriceAsked, 'usefulMs'>): boolean => usefulMs < callRules.askedSampleMs

/**
 * Creates the lookup of token prices. A stage writes `PriceAsked` records, and ingest answers with
 * `PriceAnswered` records. A failed lookup is not repeated, because the stage asks for a price again at its
 * next sample.
 */
export const createPriceLookup = (
  readPrice: PriceSource,
  { knowsPast = false, limitMs = limitMsDefault }: PriceOptions = {},
): Lookup<Question, Answer, FoundPrice> => ({
  questionType: 'PriceAsked',
  answerType: 'PriceAnswered',
  askAfterMs: 0,
  // The price of each called token is sampled for two days, so there are many lookups. The provider limits
  // the rate of its answers.
  isSlow: true,
  isUrgent,
  questionIdOf: ({ atMs }, token) => `${token}:${atMs}`,
  async find({ questionId, atMs, market, isInUsd, usefulMs }, { signal, ageMs }) {
    if (!knowsPast && ageMs() > usefulMs) throw new OperationError('node_refused', tooOld)
    const token = questionId.slice(0, questionId.lastIndexOf(':'))
    const onLimit = () => new OperationError('provider_failed', `no price was found within ${limitMs} ms`)
    const read = (limited: AbortSignal) =>
      readPrice({ token, market, atMs, isInUsd, isUrgent: isUrgent({ usefulMs }) }, limited)
    return { found: checked(await withLimit({ limitMs, signal, onLimit }, read)) }
  },
  answerOf: (_, price, isWithoutPrice = false) => ({ price, isWithoutPrice }),
})

/** Checks a price from any source. A price must be above 0, because a later computation divides by it. */
function checked(price: FoundPrice): FoundPrice {
  if (!Number.isFinite(price.px)) throw new OperationError('provider_failed', 'the price is not a number')
  if (price.px <= 0) throw noPrice('the price is not above 0')
  return price
}
