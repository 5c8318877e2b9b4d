import { isOperationError } from '../../../infra/errors.ts'
import type { ChainADerived } from '../../../schemas/chain-a/derived.ts'
import type { ChainAAnswer } from '../../../schemas/chain-a/facts.ts'
import { type Address, type BlockHash, type BlockNumber, minuteMs, type PositionId } from '../../../schemas/units.ts'
import type { Lookup } from '../../lookups/lookup.ts'
import { burstQuestionId } from './burst-question.ts'

/** Position NFTs, and the block at whose end their owners are wanted. */
type OwnersQuestion = Readonly<{ blockNumber: BlockNumber; blockHash: BlockHash; positionIds: readonly PositionId[] }>

/**
 * The owner of each position NFT, or null if there was no such NFT. Fails with `node_unreachable`, and with
 * `node_refused` if the node does not have that block or no longer has its state.
 */
export type OwnerReader = (
  question: OwnersQuestion,
  signal: AbortSignal,
) => Promise<ReadonlyMap<string, Address | null>>

type Question = Extract<ChainADerived, { type: 'OwnersAsked' }>
type Answer = Extract<ChainAAnswer, { type: 'OwnersAnswered' }>
type Owners = NonNullable<Answer['data']['owners']>

/** A node may receive a block late, but only a young one. If it refuses an older block, it no longer has its state. */
const youngMs = minuteMs

/** Looks up who owned the position NFTs of a burst's pool at the end of the signal block. */
export const createOwnersLookup = (readOwners: OwnerReader): Lookup<Question, Answer, Owners> => ({
  questionType: 'OwnersAsked',
  answerType: 'OwnersAnswered',
  askAfterMs: 0,
  questionIdOf: burstQuestionId,
  async find(asked, { ageMs, signal }) {
    try {
      const found = await readOwners(asked, signal)
      return { found: asked.positionIds.map((positionId) => ({ positionId, owner: found.get(positionId) ?? null })) }
    } catch (error) {
      if (ageMs() < youngMs && isOperationError(error, 'node_refused')) return { missing: error.message }
      throw error
    }
  },
  answerOf: ({ pool }, owners) => ({ pool, owners }),
})
