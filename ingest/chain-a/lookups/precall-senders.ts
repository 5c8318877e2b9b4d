import type { ChainADerived } from '../../../schemas/chain-a/derived.ts'
import type { ChainAAnswer } from '../../../schemas/chain-a/facts.ts'
import type { Lookup } from '../../lookups/lookup.ts'
import { askForSendersMs, findSenders, type SenderReader } from './senders.ts'

type Question = Extract<ChainADerived, { type: 'PrecallSendersAsked' }>
type Answer = Extract<ChainAAnswer, { type: 'SendersAnswered' }>
type Senders = NonNullable<Answer['data']['senders']>

/**
 * Looks up the senders of the buys before a token was called in a chat. The answer names no pool, because the
 * buys may be in several pools.
 */
export const createPrecallSendersLookup = (readSenders: SenderReader): Lookup<Question, Answer, Senders> => ({
  questionType: 'PrecallSendersAsked',
  answerType: 'SendersAnswered',
  askAfterMs: 5_000,
  askForMs: askForSendersMs,
  questionIdOf: ({ atMs }, token) => `precall:${token}:${atMs}`,
  find: ({ txHashes }, { signal }) => findSenders(readSenders, txHashes, signal),
  answerOf: (_, senders) => ({ pool: '0x', senders }),
})
