import { OperationError } from '../../infra/errors.ts'
import type { PriceAsked } from '../../schemas/calls/derived.ts'
import { type PriceAnswered, tooOld } from '../../schemas/calls/facts.ts'
import { callRules } from '../../schemas/calls/rules.ts'
import type { Lookup } from '../lookups/lookup.ts'
import { withLimit } from '../with-limit.ts'
import { type FoundPrice, noPrice, type PriceSource } from './price-source.ts'

type Question = Readonly<{ type: 'PriceAsked'; data: PriceAsked }>
type Answer = Readonly<{ type: 'PriceAnswered'; data: PriceAnswered }>

type PriceOptions = Readonly<{
  /** Nodes and providers know the price of now only. Default: the source knows the past. */
  ageMsMax?: number
  /** A source that hangs must not hold up the questions behind this one. */
  limitMs?: number
}>

/** Samples stand ten minutes apart, so a price this late is still that of its sample. */
export const priceAgeMsMax = 300_000
const limitMsDefault = 5_000

/** What a token costs, asked once: the next sample asks again. */
export const createPriceLookup = (
  readPrice: PriceSource,
  { ageMsMax = Number.POSITIVE_INFINITY, limitMs = limitMsDefault }: PriceOptions = {},
): Lookup<Question, Answer, FoundPrice> => ({
  questionType: 'PriceAsked',
  answerType: 'PriceAnswered',
  askAfterMs: 0,
  // Two days of samples of every call, as fast as a provider allows.
  isSlow: true,
  isUrgent: ({ isAtPost }) => isAtPost,
  questionIdOf: ({ atMs }, token) => `${token}:${atMs}`,
  async find({ questionId, atMs, market, isInUsd, isAtPost }, { signal, ageMs }) {
    // An answer would come too late to be the price at the post.
    const isTooOld = ageMs() > ageMsMax || (isAtPost && Number.isFinite(ageMsMax) && ageMs() > callRules.askedAnchorMs)
    if (isTooOld) throw new OperationError('node_refused', tooOld)
    const token = questionId.slice(0, questionId.lastIndexOf(':'))
    const onLimit = () => new OperationError('provider_failed', `no price within ${limitMs} ms`)
    const read = (limited: AbortSignal) => readPrice({ token, market, atMs, isInUsd, isUrgent: isAtPost }, limited)
    return { found: checked(await withLimit({ limitMs, signal, onLimit }, read)) }
  },
  answerOf: (_, price, isWithoutPrice = false) => ({ price, isWithoutPrice }),
})

/** Whoever told it: a return is a quotient of two prices. */
function checked(price: FoundPrice): FoundPrice {
  if (!Number.isFinite(price.px)) throw new OperationError('provider_failed', 'the price is no number')
  if (price.px <= 0) throw noPrice('the price is not above 0')
  return price
}
