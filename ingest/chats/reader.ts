/** The interface to a chat platform: an account that follows chats, or public pages that are polled. */
import type { PostContent } from '../../schemas/chats/facts.ts'
import type { DurationMs, EpochMs } from '../../schemas/units.ts'

/** A post with the content that it had when it was read. */
export type ReadPost = Omit<PostContent, 'isLate'>

export type ChatChange =
  /**
   * A post with new content. `versionAtMs` is the time at which the post got this content. An edit may
   * concern a post that is not in the log.
   */
  | Readonly<{ type: 'posted' | 'edited'; versionAtMs: EpochMs; post: ReadPost }>
  | Readonly<{ type: 'deleted'; posts: readonly number[] }>

/** The changes of one chat in the platform's order. They may repeat changes of earlier readings. */
export type ChatNews = Readonly<{
  chat: string
  changes: readonly ChatChange[]
  /**
   * Whether more changes were missed than the platform can return. In this case, `changes` has only the posts
   * that still exist.
   */
  isTooLong: boolean
}>

export type Reading = Readonly<{
  news: readonly ChatNews[]
  /** The chats that are completely read up to now, including this reading. */
  seen: readonly string[]
  /** The chats that the platform refuses to show. */
  refused: readonly string[]
  /**
   * The chats that were followed before the start, even chats without posts. Only the first reading has this
   * field.
   */
  followedBefore?: readonly string[]
  /** Stores the read position. Call this when the reading is in the log. The next start then begins after this reading. */
  keep?: () => Promise<void>
}>

/** The posts of the chats that are in the log. */
export type ReadSoFar = Readonly<{
  /** Returns the number of the newest post of a chat. Null if the log has no recent post of the chat. */
  lastPostOf(chat: string): number | null
  /** Returns the lowest number of a remembered post of a chat. Null if no post is remembered. */
  firstPostOf(chat: string): number | null
}>

export type ChatReader = Readonly<{
  /** The time without a read after which a chat has a gap. */
  lostAfterMs: DurationMs
  /**
   * Yields readings until the signal aborts. If all chats can be read, a reading comes at least every two
   * seconds, even without news. If the platform cannot be reached, no reading comes. A new chat begins at its
   * newest post.
   */
  readings(soFar: ReadSoFar, signal: AbortSignal): AsyncIterable<Reading>
}>
