/** The question that a burst asks: who holds the mint? The answer completes its anatomy. */
import type { Burst, BurstAnatomy, HoldersAsked } from '../../../schemas/chain-b/derived.ts'
import type { HoldersAnswer } from '../../../schemas/chain-b/facts.ts'
import type { BlockHash } from '../../../schemas/units.ts'
import type { BuyersAnatomy } from './anatomy.ts'
import { type Holding, holderSharesOf } from './holders.ts'

/** A question stays open until it is answered and the delay has passed. */
export type Question = {
  readonly asked: Pick<HoldersAsked, 'questionId' | 'revision' | 'atMs'>
  readonly buyers: BuyersAnatomy
  answer: Pick<HoldersAnswer['data'], 'holders'> | null
  /** What was known when the delay had passed, so the anatomy does not depend on when the answer came. Null before. */
  holding: Holding | null
}

export const holdersAskedOf = (mint: string, { atMs, slot, slotHash }: Burst): HoldersAsked => ({
  questionId: `${mint}:${atMs}`,
  revision: revisionOf(slotHash),
  atMs,
  slot,
  slotHash,
})

/** Takes the first answer to this question, and ignores all others. */
export function takeAnswer(question: Question, { questionId, revision, holders }: HoldersAnswer['data']): void {
  const { asked } = question
  if (questionId === asked.questionId && revision === asked.revision) question.answer ??= { holders }
}

/** Returns the anatomy. Null: the question is open. */
export const anatomyOf = ({ asked, buyers, answer, holding }: Question): BurstAnatomy | null =>
  answer !== null && holding !== null ? { atMs: asked.atMs, ...buyers, ...holderSharesOf(answer, holding) } : null

/** A 31-bit digest (FNV-1a): the same slot on another branch is another question. */
export function revisionOf(slotHash: BlockHash): number {
  let digest = 0x811c9dc5
  for (let index = 0; index < slotHash.length; index++)
    digest = Math.imul(digest ^ slotHash.charCodeAt(index), 0x01000193)
  return (digest >>> 31) ^ (digest & 0x7fffffff)
}
