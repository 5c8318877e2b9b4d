/** The port to a chat platform: an account that follows chats, or public pages that are read again and again. */
import type { PostContent } from '../../schemas/chats/facts.ts'

/** A post as it was when it was read. */
export type ReadPost = Omit<PostContent, 'isLate'>

export type ChatChange =
  /** `versionAtMs`: when the post got this content. An edit of a post that is not known counts too. */
  | Readonly<{ type: 'posted' | 'edited'; versionAtMs: number; post: ReadPost }>
  | Readonly<{ type: 'deleted'; posts: readonly number[] }>

/** What was read of one chat, in the order of the platform. It may repeat what was read before. */
export type ChatNews = Readonly<{
  chat: string
  changes: readonly ChatChange[]
  /** More was missed than the platform tells, so these are the posts that still stand there. */
  isTooLong: boolean
}>

export type Reading = Readonly<{
  news: readonly ChatNews[]
  /** The chats of which nothing is missing up to now, with this reading. */
  seen: readonly string[]
  /** The chats that the platform does not show us. */
  refused: readonly string[]
  /** The chats that were followed before the start, whether or not anything was said in them. */
  followedBefore?: readonly string[]
  /** Called when the reading is in the log: the next start begins behind it. */
  keep?: () => Promise<void>
}>

/** What the log knows of the chats. */
export type ReadSoFar = Readonly<{
  /** The number of the newest post. Null: the log has none of the chat. */
  lastPostOf(chat: string): number | null
  /** The lowest number that is remembered. Null: none is. */
  firstPostOf(chat: string): number | null
}>

export type ChatReader = Readonly<{
  /** A chat that was not looked at for longer than this has a gap. */
  lostAfterMs: number
  /**
   * Readings until the signal aborts, at least one every two seconds while all chats can be read, also if there is nothing
   * new. None while the platform cannot be reached. A chat that is new begins at its newest post.
   */
  readings(soFar: ReadSoFar, signal: AbortSignal): AsyncIterable<Reading>
}>
