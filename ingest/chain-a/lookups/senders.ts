import { isOperationError } from '../../../infra/errors.ts'
import type { ChainADerived } from '../../../schemas/chain-a/derived.ts'
import type { ChainAAnswer } from '../../../schemas/chain-a/facts.ts'
import { type Address, minuteMs, type TxHash } from '../../../schemas/units.ts'
import type { Lookup } from '../../lookups/lookup.ts'
import { burstQuestionId } from './burst-question.ts'

/** Returns the senders of transactions by hash. A transaction that the node does not have is missing in the result. */
export type SenderReader = (txHashes: readonly TxHash[], signal: AbortSignal) => Promise<ReadonlyMap<string, Address>>

type Question = Extract<ChainADerived, { type: 'SendersAsked' }>
type Answer = Extract<ChainAAnswer, { type: 'SendersAnswered' }>
type Senders = NonNullable<Answer['data']['senders']>

/** The age of a question up to which its senders are looked up again. The buyers of a burst are shown within a minute. */
export const askForSendersMs = minuteMs

/** Looks up who sent the transactions with the buys of a burst. */
export const createSendersLookup = (readSenders: SenderReader): Lookup<Question, Answer, Senders> => ({
  questionType: 'SendersAsked',
  answerType: 'SendersAnswered',
  // Five seconds after a burst, nodes have indexed its transactions. Answers of the service do not show its
  // buyers earlier either.
  askAfterMs: 5_000,
  askForMs: askForSendersMs,
  questionIdOf: burstQuestionId,
  find: ({ txHashes }, { signal }) => findSenders(readSenders, txHashes, signal),
  answerOf: ({ pool }, senders) => ({ pool, senders }),
})

/**
 * Finds the senders of all transactions or of none. A partial answer would look like a complete one. If the node cannot
 * be reached, the senders are missing for now, because the transactions do not change.
 */
export async function findSenders(readSenders: SenderReader, txHashes: readonly TxHash[], signal: AbortSignal) {
  const found = await unlessAway(() => readSenders(txHashes, signal))
  if (typeof found === 'string') return { missing: found }
  const senders = txHashes.flatMap((txHash) => {
    const sender = found.get(txHash)
    return sender ? [{ txHash, sender }] : []
  })
  const missingCount = txHashes.length - senders.length
  if (missingCount === 0) return { found: senders }
  return { missing: `${missingCount} of ${txHashes.length} transactions are unknown to the node` }
}

/** Returns the message of the failure if the node cannot be reached. */
async function unlessAway<Answer>(ask: () => Promise<Answer>): Promise<Answer | string> {
  try {
    return await ask()
  } catch (error) {
    if (isOperationError(error, 'node_unreachable')) return error.message
    throw error
  }
}
