/**
 * The lookup of the holders of a token, which the processor of bursts requests. Its result completes the
 * record `BurstAnatomy`, which describes the buyers and the holders.
 */
import type { Burst, BurstAnatomy, HoldersAsked } from '../../../schemas/chain-b/derived.ts'
import type { HoldersAnswer } from '../../../schemas/chain-b/facts.ts'
import type { BlockHash } from '../../../schemas/units.ts'
import type { BuyersAnatomy } from './anatomy.ts'
import { type Holding, holderSharesOf } from './holders.ts'

/** A lookup of the holders at a burst. It is kept until its result has come and the delay has passed. */
export type Question = {
  readonly asked: Pick<HoldersAsked, 'questionId' | 'revision' | 'atMs'>
  readonly buyers: BuyersAnatomy
  answer: Pick<HoldersAnswer['data'], 'holders'> | null
  /**
   * The supply, curve and pool of the token at the end of the delay. So the record does not depend on when
   * the result came. Null until the delay has passed.
   */
  holding: Holding | null
}

export const holdersAskedOf = (mint: string, { atMs, slot, slotHash }: Burst): HoldersAsked => ({
  questionId: `${mint}:${atMs}`,
  revision: revisionOf(slotHash),
  atMs,
  slot,
  slotHash,
})

/** Stores the first result of this lookup. All other results are ignored. */
export function takeAnswer(question: Question, { questionId, revision, holders }: HoldersAnswer['data']): void {
  const { asked } = question
  if (questionId === asked.questionId && revision === asked.revision) question.answer ??= { holders }
}

/** Returns the record, or null if the result or the end of the delay is still missing. */
export const anatomyOf = ({ asked, buyers, answer, holding }: Question): BurstAnatomy | null =>
  answer !== null && holding !== null ? { atMs: asked.atMs, ...buyers, ...holderSharesOf(answer, holding) } : null

/** Returns a 31-bit digest (FNV-1a) of the slot hash. Another branch of the chain gives another digest for the same slot. */
export function revisionOf(slotHash: BlockHash): number {
  let digest = 0x811c9dc5
  for (let index = 0; index < slotHash.length; index++)
    digest = Math.imul(digest ^ slotHash.charCodeAt(index), 0x01000193)
  return (digest >>> 31) ^ (digest & 0x7fffffff)
}
