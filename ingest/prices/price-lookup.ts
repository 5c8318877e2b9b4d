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
  /** Nodes and providers only know the current price, so a question that is too old to be useful is not asked. */
  knowsPast?: boolean
  /** A source that hangs must not block the questions behind this one. */
  limitMs?: DurationMs
}>

const limitMsDefault = 5_000

/** Prices at posts and marks of scores go before samples, which can wait for minutes. */
const isUrgent = ({ usefulMs }: Pick<PriceAsked, 'usefulMs'>): boolean => usefulMs < callRules.askedSampleMs

/** Looks up the price of a token once: the next sample asks again. */
export const createPriceLookup = (
  readPrice: PriceSource,
  { knowsPast = false, limitMs = limitMsDefault }: PriceOptions = {},
): Lookup<Question, Answer, FoundPrice> => ({
  questionType: 'PriceAsked',
  answerType: 'PriceAnswered',
  askAfterMs: 0,
  // Every call is sampled for two days, as fast as a provider allows.
  isSlow: true,
  isUrgent,
  questionIdOf: ({ atMs }, token) => `${token}:${atMs}`,
  async find({ questionId, atMs, market, isInUsd, usefulMs }, { signal, ageMs }) {
    if (!knowsPast && ageMs() > usefulMs) throw new OperationError('node_refused', tooOld)
    const token = questionId.slice(0, questionId.lastIndexOf(':'))
    const onLimit = () => new OperationError('provider_failed', `no price within ${limitMs} ms`)
    const read = (limited: AbortSignal) =>
      readPrice({ token, market, atMs, isInUsd, isUrgent: isUrgent({ usefulMs }) }, limited)
    return { found: checked(await withLimit({ limitMs, signal, onLimit }, read)) }
  },
  answerOf: (_, price, isWithoutPrice = false) => ({ price, isWithoutPrice }),
})

/** Checks prices from any source, because a return divides two prices. */
function checked(price: FoundPrice): FoundPrice {
  if (!Number.isFinite(price.px)) throw new OperationError('provider_failed', 'the price is no number')
  if (price.px <= 0) throw noPrice('the price is not above 0')
  return price
}
