/** Keeps the list of the chats that posted about an observed token, and of the posters in each chat. */
import type { Call } from '../../schemas/calls/derived.ts'
import type { Mentioned } from '../../schemas/calls/facts.ts'

type Chats = Call['chats']
type Chat = Chats[number]

/**
 * The maximum numbers of chats and posters that the record `Call` of a token lists. Real tokens have far
 * fewer. Posts by posters who are not listed still count in its field `recalls`.
 */
export const watchLimits = { chatsMax: 200, postersMax: 400 } as const

/**
 * Returns the list of chats with one more post. The old list is not changed, because every emitted record
 * refers to one.
 */
export function chatsWith(chats: Chats, { chat, chatName, poster, postedAtMs }: Mentioned): Chats {
  const known = chats.find((each) => each.chat === chat)
  if (known === undefined && chats.length >= watchLimits.chatsMax) return chats
  const before: Chat = known ?? { chat, chatName, firstAtMs: postedAtMs, posts: 0, posters: [] }
  const listed = chats.reduce((sum, { posters }) => sum + posters.length, 0)
  const isListed = before.posters.includes(poster) || listed >= watchLimits.postersMax
  const after: Chat = {
    ...before,
    firstAtMs: Math.min(before.firstAtMs, postedAtMs),
    posts: before.posts + 1,
    posters: isListed ? before.posters : [...before.posters, poster],
  }
  return [...chats.filter((each) => each !== known), after].sort(
    (one, other) => one.firstAtMs - other.firstAtMs || (one.chat < other.chat ? -1 : 1),
  )
}
