/** The port to a chat platform: an account that follows chats, or public pages that are polled. */
import type { PostContent } from '../../schemas/chats/facts.ts'
import type { DurationMs, EpochMs } from '../../schemas/units.ts'

/** A post as it was when it was read. */
export type ReadPost = Omit<PostContent, 'isLate'>

export type ChatChange =
  /** `versionAtMs`: when the post got this content. An edit of an unknown post counts too. */
  | Readonly<{ type: 'posted' | 'edited'; versionAtMs: EpochMs; post: ReadPost }>
  | Readonly<{ type: 'deleted'; posts: readonly number[] }>

/** What was read of one chat, in the platform's order. It may repeat earlier readings. */
export type ChatNews = Readonly<{
  chat: string
  changes: readonly ChatChange[]
  /** More was missed than the platform gives, so these are the posts that still exist. */
  isTooLong: boolean
}>

export type Reading = Readonly<{
  news: readonly ChatNews[]
  /** The chats that, with this reading, are complete up to now. */
  seen: readonly string[]
  /** The chats that the platform refuses to show. */
  refused: readonly string[]
  /** The chats that were followed before the start, whether or not anything was posted in them. */
  followedBefore?: readonly string[]
  /** Call this when the reading is in the log. The next start then begins after it. */
  keep?: () => Promise<void>
}>

/** What the log knows of the chats. */
export type ReadSoFar = Readonly<{
  /** The number of the newest post. Null if the log has none of the chat. */
  lastPostOf(chat: string): number | null
  /** The lowest number that is remembered. Null if none is. */
  firstPostOf(chat: string): number | null
}>

export type ChatReader = Readonly<{
  /** A chat that was not read for longer than this has a gap. */
  lostAfterMs: DurationMs
  /**
   * Readings until the signal aborts, at least one every two seconds while all chats can be read, even if nothing is
   * new. None while the platform cannot be reached. A new chat begins at its newest post.
   */
  readings(soFar: ReadSoFar, signal: AbortSignal): AsyncIterable<Reading>
}>
