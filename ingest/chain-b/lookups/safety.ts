import { hexOfBase58 } from '../../../infra/base58.ts'
import { OperationError } from '../../../infra/errors.ts'
import type { ChainBDerived, RowKey } from '../../../schemas/chain-b/derived.ts'
import type { SafetyAnswer } from '../../../schemas/chain-b/facts.ts'
import type { Lookup } from '../../lookups/lookup.ts'

type Question = Extract<ChainBDerived, { type: 'SafetyAsked' }>
export type SafetyReport = NonNullable<SafetyAnswer['data']['report']>

/** A rug-check provider. */
export type SafetyProvider = Readonly<{
  /** The name of the provider. The service's answers to customers may show this name. */
  name: string
  /** Requests the provider's current report on a mint (base58). Fails with `provider_failed`. */
  check(mint: string, signal: AbortSignal): Promise<SafetyReport>
  /**
   * Whether the provider's reports never change. If true, a report may also be requested for a past time.
   * Default: false.
   */
  isTimeless?: boolean
}>

/**
 * The maximum age of the event for which a report is requested. Providers report only the present state, so a
 * lookup for an older event fails without a request.
 */
const ageMsMax = 120_000

/** Creates the lookup of a provider's report on a mint. */
export const createSafetyLookup = (provider: SafetyProvider): Lookup<Question, SafetyAnswer, SafetyReport> => ({
  questionType: 'SafetyAsked',
  answerType: 'SafetyAnswered',
  askAfterMs: 0,
  questionIdOf: ({ atMs, name: reason }: RowKey, mint) => `${mint}:${atMs}:${reason}`,
  async find({ questionId }, { signal, ageMs }) {
    const mint = questionId.slice(0, questionId.indexOf(':'))
    if (hexOfBase58(mint, 32) === null)
      throw new OperationError('provider_failed', `the question ${questionId} names no mint`)
    if (!provider.isTimeless && ageMs() > ageMsMax)
      throw new OperationError('provider_failed', 'the question is too old: the provider reports only the present')
    return { found: await provider.check(mint, signal) }
  },
  answerOf: (_, report) => ({ provider: provider.name, report }),
})
