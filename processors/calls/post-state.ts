/**
 * The state of the posts about a token. It has posts that wait for block time, the 48-hour observation of the
 * token (`watched`), and open scores.
 */
import type { Mentioned } from '../../schemas/calls/facts.ts'
import { type CallRules, lateMsMaxOf } from '../../schemas/calls/rules.ts'
import type { EpochMs } from '../../schemas/units.ts'
import { type AskedScore, noAskedScore } from './asked-score.ts'
import { type ScoredPost, scoreDueAtMs } from './score.ts'
import type { Watch } from './watch.ts'

/** The limits per token of waiting posts, callers and remembered posts, so that a flood of posts cannot fill the memory. */
export const postLimits = { pendingMax: 1000, callersMax: 10_000, postsMax: 1000 } as const

/** `asked` is the state of a score that needs prices from lookups. Null: the prices come from a followed market. */
export type Score = {
  readonly post: ScoredPost
  readonly isFollowed: boolean
  dueAtMs: EpochMs
  asked: AskedScore | null
}

export type Watched = {
  readonly calledAtMs: EpochMs
  readonly watch: Watch
  /** The instants at which `takeSample` must be called for the watch. */
  readonly sampleAtMs: Set<number>
  /** The callers who already have a score. Only the first call of a caller within the watch is scored. */
  readonly callers: Set<string>
  /** The newest posts, to recognise duplicates: ingest may write a post twice. */
  readonly posts: Set<string>
}

export type PostState = {
  /** Posts later than block time, in the order in which they became known. */
  pending: Mentioned[]
  watched: Watched | null
  scores: Score[]
}

export const noPosts = (): PostState => ({ pending: [], watched: null, scores: [] })

export const hasNoPosts = ({ pending, watched, scores }: PostState): boolean =>
  pending.length === 0 && watched === null && scores.length === 0

const endOf = ({ calledAtMs }: Pick<Watched, 'calledAtMs'>, { watchMs }: CallRules): EpochMs => calledAtMs + watchMs

/**
 * Returns the time at which the watch is closed, in ms. The watch stays open after its end, because a post
 * from before the end may become known later.
 */
export const closeAtMs = (watched: Pick<Watched, 'calledAtMs'>, rules: CallRules): EpochMs =>
  endOf(watched, rules) + lateMsMaxOf(rules)

/**
 * Returns whether the post belongs to the watch. A post that became known late may be older than the first
 * post of the watch. `hasCode` is false if the address was posted before a token was launched there. A watch
 * that began with such a post does not cover posts about the token.
 */
export const covers = (watched: Watched, { postedAtMs, hasCode }: Mentioned, rules: CallRules): boolean =>
  postedAtMs < endOf(watched, rules) && (watched.watch.hasCode !== false || hasCode === false)

export const openWatched = (calledAtMs: EpochMs, watch: Watch): Watched => ({
  calledAtMs,
  watch,
  sampleAtMs: new Set(),
  callers: new Set(),
  posts: new Set(),
})

/** Adds the post to `posts`. Returns false if the watch already had the post. */
export function isNewPost({ posts }: Watched, { chat, post }: Mentioned): boolean {
  const name = `${chat}:${post}`
  if (posts.has(name)) return false
  posts.add(name)
  const [oldest] = posts
  if (posts.size > postLimits.postsMax && oldest !== undefined) posts.delete(oldest)
  return true
}

/** Begins the score of a caller’s first call in the watch. Returns null if the post is not scored. */
export function scoreFor(
  { callers }: Watched,
  mention: Mentioned,
  { isAsked, rules }: Readonly<{ isAsked: boolean; rules: CallRules }>,
): Score | null {
  const { kind, chat, poster, post, chatName, postedAtMs, tokenCount, hasCode, isFollowed } = mention
  const caller = `${chat}:${poster}`
  if (kind !== 'call' || hasCode === false || callers.has(caller) || callers.size >= postLimits.callersMax) return null
  callers.add(caller)
  const scored = { postedAtMs, chat, post, chatName, poster, tokenCount }
  return { post: scored, isFollowed, dueAtMs: scoreDueAtMs(scored, rules), asked: isAsked ? noAskedScore(rules) : null }
}
