import type { ChainADerived } from '../../../schemas/chain-a/derived.ts'
import type { ChainAAnswer } from '../../../schemas/chain-a/facts.ts'
import type { Address, TxHash } from '../../../schemas/units.ts'
import type { Lookup } from '../../lookups/lookup.ts'
import { burstQuestionId } from './burst-question.ts'

/** Returns the senders of transactions by hash. A transaction that the node does not have is missing in the result. */
export type SenderReader = (txHashes: readonly TxHash[], signal: AbortSignal) => Promise<ReadonlyMap<string, Address>>

type Question = Extract<ChainADerived, { type: 'SendersAsked' }>
type Answer = Extract<ChainAAnswer, { type: 'SendersAnswered' }>
type Senders = NonNullable<Answer['data']['senders']>

/** Looks up who sent the transactions with the buys of a burst. */
export const createSendersLookup = (readSenders: SenderReader): Lookup<Question, Answer, Senders> => ({
  questionType: 'SendersAsked',
  answerType: 'SendersAnswered',
  // Five seconds after a burst, nodes have indexed its transactions. Answers of the service do not show its
  // buyers earlier either.
  askAfterMs: 5_000,
  questionIdOf: burstQuestionId,
  find: ({ txHashes }, { signal }) => findSenders(readSenders, txHashes, signal),
  answerOf: ({ pool }, senders) => ({ pool, senders }),
})

/** Finds the senders of all transactions or of none. A partial answer would look like a complete one. */
export async function findSenders(readSenders: SenderReader, txHashes: readonly TxHash[], signal: AbortSignal) {
  const found = await readSenders(txHashes, signal)
  const senders = txHashes.flatMap((txHash) => {
    const sender = found.get(txHash)
    return sender ? [{ txHash, sender }] : []
  })
  const missingCount = txHashes.length - senders.length
  if (missingCount === 0) return { found: senders }
  return { missing: `${missingCount} of ${txHashes.length} transactions are unknown to the node` }
}
