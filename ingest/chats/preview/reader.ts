/**
 * Reads the public preview pages of channels in turn. They show the newest posts as they are now, so edits are seen
 * while the post is on the page, and deletions are never seen.
 */
import { isOperationError, OperationError } from '../../../infra/errors.ts'
import type { Logger } from '../../../infra/telemetry.ts'
import type { DurationMs, EpochMs } from '../../../schemas/units.ts'
import { clockErrorMsMax, instantText } from '../../believable-time.ts'
import { delay as realDelay } from '../../delay.ts'
import { beatEveryMs } from '../beats.ts'
import { believePosts, isFarAhead } from '../believe-posts.ts'
import type { ChatNews, ChatReader, Reading, ReadPost, ReadSoFar } from '../reader.ts'
import type { FetchPage } from './fetch-page.ts'
import { previewChatOf, readPage } from './read-page.ts'

export type PreviewReaderOptions = Readonly<{
  fetchPage: FetchPage
  /** Public names without `@`. */
  names: readonly string[]
  nowMs: () => EpochMs
  logger: Pick<Logger, 'warn'>
  delay?: typeof realDelay
  times?: Partial<Times>
}>

type Times = Readonly<{
  /** The interval between reads of one page. It is longer if there are many pages. */
  pollMs: DurationMs
  /** The pause between two requests. */
  politeMs: DurationMs
  pauseMs: DurationMs
  /**
   * The interval of retries for a page that the platform does not show. It is short, because one wrong answer must not
   * hide a chat for long.
   */
  refusedMs: DurationMs
  lostAfterMs: DurationMs
  beatMs: DurationMs
}>

const timesDefault: Times = {
  ...{ pollMs: 15_000, politeMs: 1_000, pauseMs: 10_000, refusedMs: 45_000 },
  ...{ lostAfterMs: 60_000, beatMs: beatEveryMs },
}
const pagesMax = 5

type Page = {
  readonly name: string
  dueAtMs: EpochMs
  readAtMs: EpochMs | null
  isRefused: boolean
  /** The number of a post far ahead of the last known one. A second reading must confirm it. */
  doubtedPost: number | null
}
type Reader = PreviewReaderOptions &
  Readonly<{ delay: typeof realDelay; times: Times; pages: readonly Page[]; soFar: ReadSoFar; signal: AbortSignal }>

export function createPreviewReader(options: PreviewReaderOptions): ChatReader {
  const { names, delay = realDelay } = options
  const times = { ...timesDefault, ...options.times }
  // A round of many pages takes longer than the time after which a page counts as lost.
  const lostAfterMs = times.lostAfterMs + 2 * times.politeMs * names.length
  return {
    lostAfterMs,
    readings(soFar, signal) {
      const pages = names.map(
        (name): Page => ({ name, dueAtMs: 0, readAtMs: null, isRefused: false, doubtedPost: null }),
      )
      return readAll({ ...options, delay, times: { ...times, lostAfterMs }, pages, soFar, signal })
    },
  }
}

async function* readAll(reader: Reader): AsyncGenerator<Reading> {
  const { pages, times, nowMs, delay, signal } = reader
  let isFirst = true
  while (!signal.aborted) {
    const page = pages.reduce((first, other) => (other.dueAtMs < first.dueAtMs ? other : first))
    if (page.dueAtMs > nowMs()) {
      if (isAlive(reader)) yield beatOf(reader)
      await delay(Math.min(times.beatMs, Math.max(1, page.dueAtMs - nowMs())), signal)
      continue
    }
    const reading = await readOne(reader, page)
    if (reading !== null) yield isFirst ? { ...reading, followedBefore: beforeOf(reader) } : reading
    if (reading !== null) isFirst = false
    await delay(times.politeMs, signal)
  }
}

/** No positions are kept, so only the log says what was followed. */
const beforeOf = ({ pages, soFar }: Reader): readonly string[] =>
  pages.map(({ name }) => previewChatOf(name)).filter((chat) => soFar.lastPostOf(chat) !== null)

const chatsOf = ({ pages }: Reader, isWanted: (page: Page) => boolean): readonly string[] =>
  pages.filter(isWanted).map(({ name }) => previewChatOf(name))

const isFresh = ({ times, nowMs }: Reader, { isRefused, readAtMs }: Page): boolean =>
  !isRefused && readAtMs !== null && nowMs() - readAtMs <= times.lostAfterMs

const isAlive = (reader: Reader): boolean => reader.pages.every((page) => page.isRefused || isFresh(reader, page))

/** Lists no chat as seen: a page counts as seen only at the moment of its read. */
const beatOf = (reader: Reader): Reading => ({
  ...{ news: [], seen: [], refused: chatsOf(reader, ({ isRefused }) => isRefused) },
})

/** Null if the pages cannot be reached. */
async function readOne(reader: Reader, page: Page): Promise<Reading | null> {
  const { times, nowMs, logger, signal } = reader
  page.dueAtMs = nowMs() + times.pollMs
  try {
    const news = await readNews(reader, page)
    if (typeof news === 'number') {
      for (const one of reader.pages) one.dueAtMs = Math.max(one.dueAtMs, nowMs() + news)
      logger.warn({ waitMs: news }, 'the chat platform asks us to wait')
      return null
    }
    if (news === null) {
      if (!page.isRefused)
        logger.warn(`@${page.name} has no public preview; it is tried again every ${times.refusedMs / 1000} s`)
      Object.assign(page, { isRefused: true, dueAtMs: nowMs() + times.refusedMs })
      return beatOf(reader)
    }
    believePosts(news.changes, nowMs())
    Object.assign(page, { isRefused: false, readAtMs: nowMs() })
    return { ...beatOf(reader), news: news.changes.length === 0 && !news.isTooLong ? [] : [news], seen: [news.chat] }
  } catch (error) {
    if (signal.aborted) return null
    if (!isOperationError(error, 'provider_failed')) throw error
    logger.warn({ reason: error.message }, 'the chat platform cannot be reached')
    page.dueAtMs = nowMs() + times.pauseMs
    return null
  }
}

/** Null if there is no page. A number is the time to wait, in ms. */
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
    // A chat without a known post begins with its newest post.
    if (lastPost === null) return newsOf(chat, posts.slice(-1), nowMs())
    // Includes edited posts, and posts that an earlier page left out.
    const told = posts.filter(({ post }) => post >= (soFar.firstPostOf(chat) ?? lastPost))
    if (behind.length === 0 || (posts[0]?.post ?? 0) <= lastPost) return newsOf(chat, told, nowMs())
    await delay(times.politeMs, signal)
  }
  return { ...newsOf(chat, posts, nowMs()), isTooLong: true }
}

/** `before`: a post number, or null for the newest posts. Results are as in `readNews`. */
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
 * A wrong number would remain the last known one, and later posts with lower numbers would be late or never recorded.
 * So a number far ahead fails with `provider_failed` until the next reading confirms it.
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
    `the newest post of @${page.name} has the number ${newest}, far ahead of the last known one, ${lastPost}: it is accepted when the next reading of the page repeats it`,
  )
}

/**
 * Later posts have higher numbers. Fails with `provider_failed` if not, because a number or a time on the page is
 * wrong.
 */
function assertInOrder(posts: readonly ReadPost[]): void {
  let newest: ReadPost | null = null
  for (const post of posts) {
    if (newest !== null && post.postedAtMs < newest.postedAtMs - clockErrorMsMax)
      throw new OperationError(
        'provider_failed',
        `post ${post.post} has the time ${instantText(post.postedAtMs)}, but post ${newest.post} has ${instantText(newest.postedAtMs)}: one of them is wrong`,
      )
    if (newest === null || post.postedAtMs > newest.postedAtMs) newest = post
  }
}

/** Pages do not give the time of an edit, so the time of the read is used, which is later. */
const newsOf = (chat: string, posts: readonly ReadPost[], readAtMs: EpochMs): ChatNews => ({
  chat,
  changes: posts.map((post) => ({ type: 'posted', versionAtMs: readAtMs, post })),
  isTooLong: false,
})
