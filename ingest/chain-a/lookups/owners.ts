import { isOperationError } from '../../../infra/errors.ts'
import type { ChainADerived } from '../../../schemas/chain-a/derived.ts'
import type { ChainAAnswer } from '../../../schemas/chain-a/facts.ts'
import { type Address, type BlockHash, type BlockNumber, minuteMs, type PositionId } from '../../../schemas/units.ts'
import type { Lookup } from '../../lookups/lookup.ts'
import { burstQuestionId } from './burst-question.ts'

/**
 * The position NFTs whose owners are looked up, and the block. The answer has the owners at the end of this
 * block.
 */
type OwnersQuestion = Readonly<{ blockNumber: BlockNumber; blockHash: BlockHash; positionIds: readonly PositionId[] }>

/**
 * Returns the owner of each position NFT, or null if no such NFT existed. Fails with `node_unreachable` or
 * `node_refused`. A refusal means that the node does not have the block yet, or no longer has its state.
 */
export type OwnerReader = (
  question: OwnersQuestion,
  signal: AbortSignal,
) => Promise<ReadonlyMap<string, Address | null>>

type Question = Extract<ChainADerived, { type: 'OwnersAsked' }>
type Answer = Extract<ChainAAnswer, { type: 'OwnersAnswered' }>
type Owners = NonNullable<Answer['data']['owners']>

/**
 * The age up to which the owners are looked up again, in milliseconds. A node that refuses may not have the block yet, or
 * cannot be reached for a moment. For an older request, a refusal means that the node no longer has the state of the block.
 */
const askForMs = minuteMs

/** Looks up who owned the position NFTs of a burst's pool at the end of the block of the burst. */
export const createOwnersLookup = (readOwners: OwnerReader): Lookup<Question, Answer, Owners> => ({
  questionType: 'OwnersAsked',
  answerType: 'OwnersAnswered',
  askAfterMs: 0,
  askForMs,
  questionIdOf: burstQuestionId,
  async find(question, { ageMs, signal }) {
    try {
      const found = await readOwners(question, signal)
      return { found: question.positionIds.map((positionId) => ({ positionId, owner: found.get(positionId) ?? null })) }
    } catch (error) {
      const isAway = isOperationError(error, 'node_refused') || isOperationError(error, 'node_unreachable')
      if (ageMs() < askForMs && isAway) return { missing: error.message }
      throw error
    }
  },
  answerOf: ({ pool }, owners) => ({ pool, owners }),
})
