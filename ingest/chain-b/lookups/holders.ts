import { hexOfBase58 } from '../../../infra/base58.ts'
import { OperationError } from '../../../infra/errors.ts'
import type { ChainBDerived } from '../../../schemas/chain-b/derived.ts'
import type { ChainBAnswer } from '../../../schemas/chain-b/facts.ts'
import type { Hex } from '../../../schemas/units.ts'
import type { Lookup } from '../../lookups/lookup.ts'

type Question = Extract<ChainBDerived, { type: 'HoldersAsked' }>
type Holders = NonNullable<ChainBAnswer['data']['holders']>

/**
 * The owners of the largest token accounts of a mint, as the node has them now or had them at the end of the slot. Fails with
 * `node_unreachable`, and with `node_refused` for what is no mint.
 */
export type HolderReader = (question: Readonly<{ mint: Hex; slot: number }>, signal: AbortSignal) => Promise<Holders>

/** Who held most of the mint of a burst. */
export const createHoldersLookup = (readHolders: HolderReader): Lookup<Question, ChainBAnswer, Holders> => ({
  questionType: 'HoldersAsked',
  answerType: 'HoldersAnswered',
  askAfterMs: 0,
  questionIdOf: ({ atMs }, mint) => `${mint}:${atMs}`,
  async find({ questionId, slot }, { signal }) {
    const mint = hexOfBase58(questionId.slice(0, questionId.indexOf(':')), 32)
    if (mint === null) throw new OperationError('node_refused', `the question ${questionId} names no mint`)
    return { found: await readHolders({ mint, slot }, signal) }
  },
  answerOf: (_, holders) => ({ holders }),
})
