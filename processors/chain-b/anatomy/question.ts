/** The question of a burst: who holds the mint? Its anatomy is published with the answer. */
import type { Burst, BurstAnatomy, HoldersAsked } from '../../../schemas/chain-b/derived.ts'
import type { ChainBAnswer } from '../../../schemas/chain-b/facts.ts'
import type { Hex } from '../../../schemas/units.ts'
import type { BuyersAnatomy } from './anatomy.ts'
import { type Holding, holderSharesOf } from './holders.ts'

/** An anatomy is published no earlier than this after the signal, however fast the lookup is. */
export const anatomyDelayMs = 5000

/** A question is open until it is answered and the delay has passed. */
export type Question = {
  readonly asked: Pick<HoldersAsked, 'questionId' | 'revision' | 'atMs'>
  readonly buyers: BuyersAnatomy
  isDue: boolean
  shares: Pick<BurstAnatomy, 'holdersTop10' | 'holderTop1'> | null
}

export const holdersAskedOf = (mint: string, { atMs, slot, slotHash }: Burst): HoldersAsked => ({
  questionId: `${mint}:${atMs}`,
  revision: revisionOf(slotHash),
  atMs,
  slot,
  slotHash,
})

/** Only the first answer counts, and only one to this question. */
export function takeAnswer(question: Question, answer: ChainBAnswer['data'], holding: Holding): void {
  const { questionId, revision } = question.asked
  if (answer.questionId !== questionId || answer.revision !== revision || question.shares !== null) return
  question.shares = holderSharesOf(answer, holding)
}

/** Null while the question is open. */
export const anatomyOf = ({ asked, buyers, isDue, shares }: Question): BurstAnatomy | null =>
  isDue && shares !== null ? { atMs: asked.atMs, ...buyers, ...shares } : null

/** A 31-bit digest (FNV-1a): the same slot on another branch is another question. */
export function revisionOf(slotHash: Hex): number {
  let digest = 0x811c9dc5
  for (let index = 0; index < slotHash.length; index++)
    digest = Math.imul(digest ^ slotHash.charCodeAt(index), 0x01000193)
  return (digest >>> 31) ^ (digest & 0x7fffffff)
}
