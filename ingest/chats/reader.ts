/**
 * The interface to a chat platform. Chats are read either through an account that follows them, or from
 * public pages.
 */
import type { PostContent } from '../../schemas/chats/facts.ts'
import type { DurationMs, EpochMs } from '../../schemas/units.ts'

/** A post with the content that it had when it was read. */
export type ReadPost = Omit<PostContent, 'isLate'>

export type ChatChange =
  /**
   * A post with new content. `versionAtMs` is the time at which the post got this content. An edit may
   * concern a post that is not recorded.
   */
  | Readonly<{ type: 'posted' | 'edited'; versionAtMs: EpochMs; post: ReadPost }>
  | Readonly<{ type: 'deleted'; posts: readonly number[] }>

/** The changes of one chat in the platform's order. They may repeat changes that were returned earlier. */
export type ChatNews = Readonly<{
  chat: string
  changes: readonly ChatChange[]
  /**
   * Whether the reader missed more changes than the platform can return. In this case, `changes` has only the
   * posts that still exist.
   */
  isTooLong: boolean
}>

export type Reading = Readonly<{
  news: readonly ChatNews[]
  /** The chats whose changes up to now are completely read, including this reading. */
  seen: readonly string[]
  /** The chats that the platform refuses to show. */
  refused: readonly string[]
  /**
   * The chats that could not be read for `lostAfterMs`, while others could. A reader that reads all chats or none has
   * no such chats.
   */
  unread?: readonly string[]
  /**
   * The chats that were followed before the start, even chats without posts. Only the first reading has this
   * field.
   */
  followedBefore?: readonly string[]
  /**
   * Stores the read position. Call this when the changes of this reading are recorded. After a restart, the
   * reader then begins after them.
   */
  keep?: () => Promise<void>
}>

/** The recorded posts of the chats. */
export type ReadSoFar = Readonly<{
  /**
   * Returns the number of the newest recorded post of a chat. Returns null if no recent post of the chat is
   * recorded.
   */
  lastPostOf(chat: string): number | null
  /** Returns the lowest number of a remembered post of a chat. Returns null if no post is remembered. */
  firstPostOf(chat: string): number | null
}>

export type ChatReader = Readonly<{
  /**
   * The time without a read after which posts of a chat may be missing, in milliseconds. A gap is then
   * recorded for the chat.
   */
  lostAfterMs: DurationMs
  /**
   * Yields the changes in the chats until the signal aborts. If all chats can be read, a reading comes at
   * least every two seconds, even without changes. If the platform cannot be reached, no reading comes. For a
   * new chat, the first reading has only the newest post.
   */
  readings(soFar: ReadSoFar, signal: AbortSignal): AsyncIterable<Reading>
}>
