/**
 * Classifies how a post mentions its tokens. A call recommends a token, a recall repeats a call, and a brag
 * reports the result of a call.
 */
import type { MentionKind } from '../../schemas/calls/facts.ts'

/** Expressions in posts that brag: about the result of an earlier call, or about the results of many calls. */
const brags: readonly RegExp[] = [
  /\b(?:is|are|already|now|we're) (?:now |already )?up \d/i,
  /\b\d[\d.,]{0,8}x\b[^\n]{0,40}\b(?:from|since) (?:the |our |my )?(?:entry|entries|call|alert|signal|post)/i,
  /\bwin rate\b/i,
  /\bprofit alert\b/i,
]

/** Expressions in posts about another purchase of a token that was called before, or about a repeated call. */
const recalls: readonly RegExp[] = [
  /\banother\b[^\n]{0,20}\b(?:aped|whale)\b/i,
  /\banother entry\b/i,
  /\bre-?call(?:ed|ing)?\b/i,
  /\bcalled (?:it )?again\b/i,
]

/**
 * Classifies a text. The text must be in plain form (`plainTextOf`). The time is linear in the length of the
 * text.
 */
export function kindOf(text: string): MentionKind {
  if (brags.some((sign) => sign.test(text))) return 'brag'
  return recalls.some((sign) => sign.test(text)) ? 'recall' : 'call'
}
