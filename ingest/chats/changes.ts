/**
 * What is new in what was read. Platforms repeat themselves, and so does a reader after a restart: a post is told once, an edit
 * where the content changed, a deletion once. What was not looked at for long has a gap.
 */

import type { ChatFact, ChatGapReason } from '../../schemas/chats/facts.ts'
import { hourMs } from '../../schemas/units.ts'
import { createKnownPosts, type KnownPosts, type NewFact } from './known-posts.ts'
import type { Reading, ReadSoFar } from './reader.ts'

export type ChatBook = ReadSoFar &
  Readonly<{
    /** What the reading adds to the log: gaps first, then what was read of each chat in its order. */
    take(reading: Omit<Reading, 'keep'>, nowMs: number): readonly NewFact[]
  }>

type BookOptions = Readonly<{
  /** From the log, in its order. */
  facts: readonly ChatFact[]
  /** Until when the log knows the chats. Null: it is new. */
  knownUntilMs: number | null
  lostAfterMs: number
  /** Remembered of each chat. */
  postsMax?: number
}>

type Chat = {
  readonly posts: KnownPosts
  /** Null: it was never looked at. */
  seenUntilMs: number | null
  wasRefused: boolean
  /** A gap was found, and what was missed is being read. */
  isLate: boolean
}

/** How often a chat that stays away is told of. */
const refusedEveryMs = hourMs
const postsMaxDefault = 2_000

export function createChatBook(options: BookOptions): ChatBook {
  const { facts, knownUntilMs, lostAfterMs, postsMax = postsMaxDefault } = options
  const chats = new Map<string, Chat>()
  const chatOf = (name: string): Chat => {
    const found = chats.get(name)
    if (found) return found
    const chat: Chat = { posts: createKnownPosts(postsMax), seenUntilMs: null, wasRefused: false, isLate: false }
    chats.set(name, chat)
    return chat
  }
  for (const fact of facts) {
    const chat = chatOf(fact.data.chat)
    chat.posts.add(fact)
    chat.seenUntilMs = knownUntilMs
  }

  const gapOf = (name: string, nowMs: number, { reason, leastMs }: Gap): readonly NewFact[] => {
    const chat = chatOf(name)
    const fromAtMs = chat.seenUntilMs
    if (fromAtMs === null || nowMs - fromAtMs <= leastMs) return []
    chat.seenUntilMs = nowMs
    return [{ type: 'ChatGapFound', data: { chat: name, fromAtMs, toAtMs: nowMs, reason } }]
  }
  /** What is told of a chat that is read again. */
  const returned = (name: string, nowMs: number, isTooLong: boolean): readonly NewFact[] => {
    const chat = chatOf(name)
    const reason = isTooLong ? 'too_long' : chat.wasRefused ? 'refused' : 'offline'
    const gap = gapOf(name, nowMs, { reason, leastMs: isTooLong ? 0 : lostAfterMs })
    if (gap.length > 0) chat.isLate = true
    chat.wasRefused = false
    return gap
  }

  return {
    firstPostOf: (name) => chats.get(name)?.posts.firstPost() ?? null,
    lastPostOf: (name) => chats.get(name)?.posts.lastPost() ?? null,
    take({ news, seen, refused, followedBefore = [] }, nowMs) {
      for (const name of followedBefore) chatOf(name).seenUntilMs ??= knownUntilMs
      const found: NewFact[] = []
      for (const { chat, isTooLong } of news) found.push(...returned(chat, nowMs, isTooLong))
      for (const name of seen) found.push(...returned(name, nowMs, false))
      for (const name of refused) {
        chatOf(name).wasRefused = true
        found.push(...gapOf(name, nowMs, { reason: 'refused', leastMs: refusedEveryMs }))
      }
      for (const { chat: name, changes } of news) {
        const { posts, isLate } = chatOf(name)
        found.push(...changes.flatMap((change) => posts.take(name, change, isLate) ?? []))
      }
      for (const name of seen) Object.assign(chatOf(name), { seenUntilMs: nowMs, isLate: false })
      return found
    },
  }
}

type Gap = Readonly<{ reason: ChatGapReason; leastMs: number }>
