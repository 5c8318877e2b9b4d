/**
 * Reads the public preview pages of channels in turn. A page shows the newest posts with their current content. The reader therefore finds
 * edits of posts that are still on the page, but no deletions.
 */
import { isOperationError, OperationError } from '../../../infra/errors.ts'
import type { Logger } from '../../../infra/telemetry.ts'
import type { DurationMs, EpochMs } from '../../../schemas/units.ts'
import { clockErrorMsMax, instantText } from '../../believable-time.ts'
import { delay as realDelay } from '../../delay.ts'
import { believePosts, isFarAhead } from '../believe-posts.ts'
import { emptyRangeEveryMs } from '../empty-ranges.ts'
import type { ChatNews, ChatReader, Reading, ReadPost, ReadSoFar } from '../reader.ts'
import type { FetchPage } from './fetch-page.ts'
import { previewChatOf, readPage } from './read-page.ts'

export type PreviewReaderOptions = Readonly<{
  fetchPage: FetchPage
  /** The public names of the channels, without `@`. */
  names: readonly string[]
  nowMs: () => EpochMs
  logger: Pick<Logger, 'warn'>
  delay?: typeof realDelay
  times?: Partial<Times>
}>

type Times = Readonly<{
  /** The interval between two reads of one page. If there are many pages, the interval is longer. */
  pollMs: DurationMs
  /** The pause between two requests to the platform. */
  politeMs: DurationMs
  pauseMs: DurationMs
  /**
   * The interval between two attempts to read a page that the platform does not show. The interval is short,
   * so that a single wrong answer does not stop the reading of a chat for long.
   */
  refusedMs: DurationMs
  lostAfterMs: DurationMs
  emptyRangeEveryMs: DurationMs
}>

const timesDefault: Times = {
  ...{ pollMs: 15_000, politeMs: 1_000, pauseMs: 10_000, refusedMs: 45_000 },
  ...{ lostAfterMs: 60_000, emptyRangeEveryMs: emptyRangeEveryMs },
}
const pagesMax = 5

type Page = {
  readonly name: string
  dueAtMs: EpochMs
  /** The time from the last attempt to the next one. */
  waitMs: DurationMs
  readAtMs: EpochMs | null
  isRefused: boolean
  /** Whether the last attempt to read the page failed. */
  hasFailed: boolean
  /**
   * The newest post number on the page, if it is far ahead of the last recorded post. The reader accepts it
   * only when the next read confirms it. Null if there is no such number.
   */
  doubtedPost: number | null
}
type Reader = PreviewReaderOptions &
  Readonly<{ delay: typeof realDelay; times: Times; pages: readonly Page[]; soFar: ReadSoFar; signal: AbortSignal }>

export function createPreviewReader(options: PreviewReaderOptions): ChatReader {
  const { names, delay = realDelay } = options
  const times = { ...timesDefault, ...options.times }
  // With many pages, it may take longer than `times.lostAfterMs` to read all of them one after the other. So
  // this time is added.
  const lostAfterMs = times.lostAfterMs + 2 * times.politeMs * names.length
  return {
    lostAfterMs,
    readings(soFar, signal) {
      const pages = names.map(
        (name): Page => ({
          ...{ name, dueAtMs: 0, waitMs: 0, readAtMs: null },
          ...{ isRefused: false, hasFailed: false, doubtedPost: null },
        }),
      )
      return readAll({ ...options, delay, times: { ...times, lostAfterMs }, pages, soFar, signal })
    },
  }
}

async function* readAll(reader: Reader): AsyncGenerator<Reading> {
  const { pages, times, nowMs, delay, signal } = reader
  let isFirst = true
  while (!signal.aborted) {
    // If the clock was set back, no page waits longer than without it.
    for (const each of pages) each.dueAtMs = Math.min(each.dueAtMs, nowMs() + each.waitMs)
    const page = pages.reduce((first, other) => (other.dueAtMs < first.dueAtMs ? other : first))
    if (page.dueAtMs > nowMs()) {
      if (isAlive(reader)) yield emptyReading(reader)
      await delay(Math.min(times.emptyRangeEveryMs, Math.max(1, page.dueAtMs - nowMs())), signal)
      continue
    }
    const reading = await readOne(reader, page)
    if (reading !== null) yield isFirst ? { ...reading, followedBefore: beforeOf(reader) } : reading
    if (reading !== null) isFirst = false
    await delay(times.politeMs, signal)
  }
}

/**
 * Returns the chats that were followed before the start. This reader stores no read positions, so these are
 * the chats with recorded posts.
 */
const beforeOf = ({ pages, soFar }: Reader): readonly string[] =>
  pages.map(({ name }) => previewChatOf(name)).filter((chat) => soFar.lastPostOf(chat) !== null)

const chatsOf = ({ pages }: Reader, isWanted: (page: Page) => boolean): readonly string[] =>
  pages.filter(isWanted).map(({ name }) => previewChatOf(name))

/** A time of a read that is ahead shows that the clock was set back. Then it is unknown when the page was read. */
const isFresh = ({ times, nowMs }: Reader, { isRefused, readAtMs }: Page): boolean =>
  !isRefused && readAtMs !== null && readAtMs <= nowMs() && nowMs() - readAtMs <= times.lostAfterMs

const isAlive = (reader: Reader): boolean => reader.pages.every((page) => page.isRefused || isFresh(reader, page))

/**
 * Returns a reading without changes, for an empty tick. `seen` is empty, because a page counts as seen only
 * at the moment of its read.
 */
const emptyReading = (reader: Reader): Reading => ({
  ...{ news: [], seen: [], refused: chatsOf(reader, ({ isRefused }) => isRefused) },
  unread: chatsOf(reader, (page) => page.hasFailed && !page.isRefused && !isFresh(reader, page)),
})

const wait = ({ nowMs }: Reader, page: Page, waitMs: DurationMs): void =>
  void Object.assign(page, { waitMs, dueAtMs: nowMs() + waitMs })

/** Reads one page. Returns null if the page cannot be reached or the platform requests a pause. */
async function readOne(reader: Reader, page: Page): Promise<Reading | null> {
  const { times, nowMs, logger, signal } = reader
  wait(reader, page, times.pollMs)
  try {
    const news = await readNews(reader, page)
    if (typeof news === 'number') {
      for (const one of reader.pages.filter(({ dueAtMs }) => dueAtMs < nowMs() + news)) wait(reader, one, news)
      logger.warn({ waitMs: news }, 'the chat platform asks for a pause')
      return null
    }
    if (news === null) {
      if (!page.isRefused)
        logger.warn(`@${page.name} has no public preview page. The next attempt is in ${times.refusedMs / 1000} s`)
      page.isRefused = true
      wait(reader, page, times.refusedMs)
      return emptyReading(reader)
    }
    believePosts(news.changes, nowMs())
    Object.assign(page, { isRefused: false, hasFailed: false, readAtMs: nowMs() })
    return {
      ...emptyReading(reader),
      news: news.changes.length === 0 && !news.isTooLong ? [] : [news],
      seen: [news.chat],
    }
  } catch (error) {
    if (signal.aborted) return null
    if (!isOperationError(error, 'provider_failed')) throw error
    logger.warn({ reason: error.message }, 'the chat platform could not be read. The reader tries again')
    page.hasFailed = true
    wait(reader, page, times.pauseMs)
    return null
  }
}

/**
 * Reads the new posts of a channel. Returns null if the platform shows no page. If the platform requests a
 * pause, returns the length of the pause in milliseconds.
 */
async function readNews(reader: Reader, page: Page): Promise<ChatNews | null | number> {
  const { soFar, nowMs, delay, times, signal } = reader
  const chat = previewChatOf(page.name)
  const lastPost = soFar.lastPostOf(chat)
  let posts: readonly ReadPost[] = []
  for (let count = 0; count < pagesMax; count++) {
    const older = await readPosts(reader, page.name, posts[0]?.post ?? null)
    if (older === null || typeof older === 'number') return older
    if (count === 0) believeNewest(page, older, lastPost)
    const before = posts[0]?.post ?? Number.POSITIVE_INFINITY
    const behind = older.filter(({ post }) => post < before)
    posts = [...behind, ...posts]
    // For a chat without recorded posts, only its newest post is returned.
    if (lastPost === null) return newsOf(chat, posts.slice(-1), nowMs())
    // Includes posts that are already recorded, because they may have been edited. Also includes posts that
    // were missing when the page was read before.
    const reported = posts.filter(({ post }) => post >= (soFar.firstPostOf(chat) ?? lastPost))
    if (behind.length === 0 || (posts[0]?.post ?? 0) <= lastPost) return newsOf(chat, reported, nowMs())
    await delay(times.politeMs, signal)
  }
  return { ...newsOf(chat, posts, nowMs()), isTooLong: true }
}

/**
 * Reads the posts before the post number `before`, or the newest posts if `before` is null. Returns null if
 * the platform shows no page. If the platform requests a pause, returns the length of the pause in
 * milliseconds.
 */
async function readPosts(
  { fetchPage, signal }: Reader,
  name: string,
  before: number | null,
): Promise<readonly ReadPost[] | null | number> {
  const answer = await fetchPage(name, before, signal)
  if (answer.type === 'wait') return answer.waitMs
  const posts = answer.type === 'none' ? null : readPage(answer.html, name)
  if (posts !== null) assertInOrder(posts)
  return posts
}

/**
 * Checks the number of the newest post. If a wrong, too high number were accepted, later posts would look
 * older. They would be recorded as late, or not at all. So a number that is far ahead fails with
 * `provider_failed`, unless the previous read of the page showed it too.
 */
function believeNewest(page: Page, posts: readonly ReadPost[], lastKnown: number | null): void {
  const { doubtedPost } = page
  const newest = posts.at(-1)?.post ?? 0
  const lastPost = lastKnown ?? 0
  const isRepeated = doubtedPost !== null && newest >= doubtedPost && !isFarAhead(newest, doubtedPost)
  page.doubtedPost = null
  if (isRepeated || !isFarAhead(newest, lastPost)) return
  page.doubtedPost = newest
  throw new OperationError(
    'provider_failed',
    `the newest post of @${page.name} has the number ${newest}, which is far above the last known number ${lastPost}. The reader accepts the number if the next page repeats it`,
  )
}

/**
 * Checks that posts with higher numbers are later. Otherwise a number or a time on the page is wrong, and this function fails with
 * `provider_failed`.
 */
function assertInOrder(posts: readonly ReadPost[]): void {
  let newest: ReadPost | null = null
  for (const post of posts) {
    if (newest !== null && post.postedAtMs < newest.postedAtMs - clockErrorMsMax)
      throw new OperationError(
        'provider_failed',
        `post ${post.post} has the time ${instantText(post.postedAtMs)}, which is before ${instantText(newest.postedAtMs)}, the time of the earlier post ${newest.post}`,
      )
    if (newest === null || post.postedAtMs > newest.postedAtMs) newest = post
  }
}

/**
 * Returns the posts of a chat as changes. Pages do not show the time of an edit, so the time of the read is
 * used.
 */
const newsOf = (chat: string, posts: readonly ReadPost[], readAtMs: EpochMs): ChatNews => ({
  chat,
  changes: posts.map((post) => ({ type: 'posted', versionAtMs: readAtMs, post })),
  isTooLong: false,
})
