/**
 * Finds what is new in the posts that a reader returns. The platform sends the same posts repeatedly, and
 * after a restart posts are read again. A post is recorded only one time, and so is a deletion. An edit is
 * recorded only if the content changed. If a chat was not read for a long time, a gap (a time span without
 * reads) is recorded. While one chat cannot be read, its gap is recorded in parts, because a restart forgets the
 * time up to which the chat was read.
 */

import type { ChatFact, ChatGapReason } from '../../schemas/chats/facts.ts'
import type { DurationMs, EpochMs } from '../../schemas/units.ts'
import { createKnownPosts, type KnownPosts, type NewFact } from './known-posts.ts'
import type { Reading, ReadSoFar } from './reader.ts'

export type ChatTracker = ReadSoFar &
  Readonly<{
    /**
     * Returns the facts to record for this reading: first the gaps, then the changes of each chat in the
     * platform's order.
     */
    take(reading: Omit<Reading, 'keep'>, nowMs: EpochMs): readonly NewFact[]
  }>

type BookOptions = Readonly<{
  /** The recently recorded facts, in the order in which they were recorded. */
  facts: readonly ChatFact[]
  /** The time of the last recorded block, up to which the chats were read. Null if nothing is recorded yet. */
  knownUntilMs: EpochMs | null
  lostAfterMs: DurationMs
  /** The maximum number of posts of one chat that are remembered. */
  postsMax?: number
}>

type Chat = {
  readonly posts: KnownPosts
  /** The time up to which the chat was read, in milliseconds. Null if the chat was never read. */
  seenUntilMs: EpochMs | null
  wasRefused: boolean
  /** Whether a part of a gap is recorded, and the chat was not read since. */
  isAway: boolean
  /**
   * Whether the reader is catching up on posts that it missed during a gap. These posts are recorded as late.
   */
  isLate: boolean
}

const postsMaxDefault = 2_000

export function createChatTracker(options: BookOptions): ChatTracker {
  const { facts, knownUntilMs, lostAfterMs, postsMax = postsMaxDefault } = options
  const chats = new Map<string, Chat>()
  const chatOf = (name: string): Chat => {
    const found = chats.get(name)
    if (found) return found
    const state = { seenUntilMs: null, wasRefused: false, isAway: false, isLate: false }
    const chat: Chat = { posts: createKnownPosts(postsMax), ...state }
    chats.set(name, chat)
    return chat
  }
  for (const fact of facts) {
    const chat = chatOf(fact.data.chat)
    chat.posts.add(fact)
    chat.seenUntilMs = knownUntilMs
  }
  for (const [chat, { toAtMs, reason }] of openGapsOf(facts, knownUntilMs, lostAfterMs))
    Object.assign(chatOf(chat), { seenUntilMs: toAtMs, wasRefused: reason === 'refused', isAway: true, isLate: true })

  const gapOf = (name: string, nowMs: EpochMs, { reason, leastMs }: Gap): readonly NewFact[] => {
    const chat = chatOf(name)
    const fromAtMs = chat.seenUntilMs
    if (fromAtMs === null || nowMs - fromAtMs <= leastMs) return []
    Object.assign(chat, { seenUntilMs: nowMs, isAway: true, isLate: true })
    return [{ type: 'ChatGapFound', data: { chat: name, fromAtMs, toAtMs: nowMs, reason } }]
  }
  /** Returns a part of the gap of a chat that cannot be read now. Returns an empty list if the part would be short. */
  const lasting = (name: string, nowMs: EpochMs): readonly NewFact[] =>
    gapOf(name, nowMs, { reason: chatOf(name).wasRefused ? 'refused' : 'offline', leastMs: lostAfterMs })
  /** Returns the gap that ends because the chat is read again. Returns an empty list if there is no gap. */
  const returned = (name: string, nowMs: EpochMs, isTooLong: boolean): readonly NewFact[] => {
    const chat = chatOf(name)
    const reason = isTooLong ? 'too_long' : chat.wasRefused ? 'refused' : 'offline'
    const gap = gapOf(name, nowMs, { reason, leastMs: isTooLong || chat.isAway ? 0 : lostAfterMs })
    Object.assign(chat, { wasRefused: false, isAway: false })
    return gap
  }

  return {
    firstPostOf: (name) => chats.get(name)?.posts.firstPost() ?? null,
    lastPostOf: (name) => chats.get(name)?.posts.lastPost() ?? null,
    take({ news, seen, refused, unread = [], followedBefore = [] }, nowMs) {
      for (const name of followedBefore) chatOf(name).seenUntilMs ??= knownUntilMs
      const found: NewFact[] = []
      for (const { chat, isTooLong } of news) found.push(...returned(chat, nowMs, isTooLong))
      for (const name of seen) found.push(...returned(name, nowMs, false))
      for (const name of refused) chatOf(name).wasRefused = true
      for (const name of [...refused, ...unread]) found.push(...lasting(name, nowMs))
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
type ChatGapFound = Extract<ChatFact, { type: 'ChatGapFound' }>['data']

/**
 * Returns the gaps that may continue after a restart, by chat. A gap that ended shortly before the restart may be among
 * them, because the end of a gap is not recorded. A post that was read in time shows that the gap had ended.
 */
function openGapsOf(
  facts: readonly ChatFact[],
  knownUntilMs: EpochMs | null,
  lostAfterMs: DurationMs,
): ReadonlyMap<string, ChatGapFound> {
  const open = new Map<string, ChatGapFound>()
  for (const { type, data } of facts)
    if (type === 'ChatGapFound' && (knownUntilMs ?? 0) - data.toAtMs <= lostAfterMs) open.set(data.chat, data)
    else if (type === 'PostSeen' && !data.isLate) open.delete(data.chat)
  return open
}
