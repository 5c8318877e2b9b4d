/**
 * Finds the changes in a reading that are not in the log. The platform sends the same posts repeatedly. After
 * a restart, posts are also read again. A post is recorded only one time, and so is a deletion. An edit is
 * recorded only if the content changed. A chat that was not read for a long time gets a gap.
 */

import type { ChatFact, ChatGapReason } from '../../schemas/chats/facts.ts'
import { type DurationMs, type EpochMs, hourMs } from '../../schemas/units.ts'
import { createKnownPosts, type KnownPosts, type NewFact } from './known-posts.ts'
import type { Reading, ReadSoFar } from './reader.ts'

export type ChatTracker = ReadSoFar &
  Readonly<{
    /**
     * Returns the facts that the reading adds to the log: first the gaps, then the changes of each chat in the platform's
     * order.
     */
    take(reading: Omit<Reading, 'keep'>, nowMs: EpochMs): readonly NewFact[]
  }>

type BookOptions = Readonly<{
  /** The recent facts from the log, in the order of the log. */
  facts: readonly ChatFact[]
  /** The time of the last block in the log, up to which the chats were read. Null if the log is new. */
  knownUntilMs: EpochMs | null
  lostAfterMs: DurationMs
  /** The maximum number of posts per chat that are remembered. */
  postsMax?: number
}>

type Chat = {
  readonly posts: KnownPosts
  /** The instant up to which the chat was read. Null if the chat was never read. */
  seenUntilMs: EpochMs | null
  wasRefused: boolean
  /** Whether the missed posts of a gap are being read. These posts are recorded as late. */
  isLate: boolean
}

/** The minimum length of the gaps of a chat that stays refused. */
const refusedEveryMs = hourMs
const postsMaxDefault = 2_000

export function createChatTracker(options: BookOptions): ChatTracker {
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

  const gapOf = (name: string, nowMs: EpochMs, { reason, leastMs }: Gap): readonly NewFact[] => {
    const chat = chatOf(name)
    const fromAtMs = chat.seenUntilMs
    if (fromAtMs === null || nowMs - fromAtMs <= leastMs) return []
    chat.seenUntilMs = nowMs
    return [{ type: 'ChatGapFound', data: { chat: name, fromAtMs, toAtMs: nowMs, reason } }]
  }
  /** Returns the gap that ends when the chat is read again, if there is one. */
  const returned = (name: string, nowMs: EpochMs, isTooLong: boolean): readonly NewFact[] => {
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

type Gap = Readonly<{ reason: ChatGapReason; leastMs: DurationMs }>
