/** What is remembered of the posts about a token: those that wait for block time, the 48-hour watch, and open scores. */
import type { Mentioned } from '../../schemas/calls/facts.ts'
import { type CallRules, lateMsMaxOf } from '../../schemas/calls/rules.ts'
import { type AskedScore, noAskedScore } from './asked-score.ts'
import { type ScoredPost, scoreDueAtMs } from './score.ts'
import type { Watch } from './watch.ts'

/** Far more than any real token has. Posts beyond are not counted, so that nobody can fill the memory. */
export const bookLimits = { pendingMax: 1000, callersMax: 10_000, postsMax: 1000 } as const

/** `asked`: null while a followed market prices the token. */
export type Score = {
  readonly post: ScoredPost
  readonly isFollowed: boolean
  dueAtMs: number
  asked: AskedScore | null
}

export type Watched = {
  readonly calledAtMs: number
  readonly watch: Watch
  /** Instants at which the watch wants to be called. */
  readonly sampleAtMs: Set<number>
  /** Whose first post in the watch is scored. */
  readonly callers: Set<string>
  /** The newest posts: ingest may write one twice. */
  readonly posts: Set<string>
}

export type Book = {
  /** Posts that block time has not passed, in the order in which they became known. */
  pending: Mentioned[]
  watched: Watched | null
  scores: Score[]
}

export const emptyBook = (): Book => ({ pending: [], watched: null, scores: [] })

export const isEmptyBook = ({ pending, watched, scores }: Book): boolean =>
  pending.length === 0 && watched === null && scores.length === 0

export const endOf = ({ calledAtMs }: Pick<Watched, 'calledAtMs'>, { watchMs }: CallRules): number =>
  calledAtMs + watchMs

/** A post of before the end may become known after it, so the watch waits for it. */
export const closeAtMs = (watched: Pick<Watched, 'calledAtMs'>, rules: CallRules): number =>
  endOf(watched, rules) + lateMsMaxOf(rules)

/**
 * Whether the post belongs to the watch. It may be of before the first one, if it became known later. A watch of an address without a
 * contract ends at the first post that names a token there: an address can be posted before its token is launched.
 */
export const covers = (watched: Watched, { postedAtMs, hasCode }: Mentioned, rules: CallRules): boolean =>
  postedAtMs < endOf(watched, rules) && (watched.watch.hasCode !== false || hasCode === false)

export const openWatched = (calledAtMs: number, watch: Watch): Watched => ({
  calledAtMs,
  watch,
  sampleAtMs: new Set(),
  callers: new Set(),
  posts: new Set(),
})

/** False if the watch had the post already; from now on it has it. */
export function isNewPost({ posts }: Watched, { chat, post }: Mentioned): boolean {
  const name = `${chat}:${post}`
  if (posts.has(name)) return false
  posts.add(name)
  const [oldest] = posts
  if (posts.size > bookLimits.postsMax && oldest !== undefined) posts.delete(oldest)
  return true
}

/** The score of a caller’s first call in the watch. Null: it is none. */
export function scoreFor(
  { callers }: Watched,
  mention: Mentioned,
  { isAsked, rules }: Readonly<{ isAsked: boolean; rules: CallRules }>,
): Score | null {
  const { kind, chat, poster, post, chatName, postedAtMs, tokenCount, hasCode, isFollowed } = mention
  const caller = `${chat}:${poster}`
  if (kind !== 'call' || hasCode === false || callers.has(caller) || callers.size >= bookLimits.callersMax) return null
  callers.add(caller)
  const scored = { postedAtMs, chat, post, chatName, poster, tokenCount }
  return { post: scored, isFollowed, dueAtMs: scoreDueAtMs(scored, rules), asked: isAsked ? noAskedScore(rules) : null }
}
