/**
 * The posts about one token: those that wait until the blocks of their time are processed, the 48-hour
 * observation that they opened (`watched`), and the scores in progress.
 */
import type { Mentioned } from '../../schemas/calls/facts.ts'
import { type CallRules, lateMsMaxOf } from '../../schemas/calls/rules.ts'
import type { EpochMs } from '../../schemas/units.ts'
import { type AskedScore, noAskedScore } from './asked-score.ts'
import { type ScoredPost, scoreDueAtMs } from './score.ts'
import type { Watch } from './watch.ts'

/**
 * The maximum numbers per token of waiting posts, of callers and of remembered posts. They keep a flood of
 * posts from filling the memory.
 */
export const postLimits = { pendingMax: 1000, callersMax: 10_000, postsMax: 1000 } as const

/**
 * The score of a post, while its prices are awaited. `asked` is the state of a score that needs prices from
 * lookups. Null: the prices come from a recorded market.
 */
export type Score = {
  readonly post: ScoredPost
  readonly isFollowed: boolean
  dueAtMs: EpochMs
  asked: AskedScore | null
}

export type Watched = {
  readonly calledAtMs: EpochMs
  readonly watch: Watch
  /** The times at which `takeSample` must be called to sample the price. */
  readonly sampleAtMs: Set<number>
  /** The posters who already have a score. Only the first call of a poster in this observation is scored. */
  readonly callers: Set<string>
  /** The newest posts, by which duplicates are recognised. Ingest may write the same post two times. */
  readonly posts: Set<string>
}

export type PostState = {
  /** Posts that are newer than the newest processed block, in the order in which they were recorded. */
  pending: Mentioned[]
  watched: Watched | null
  scores: Score[]
}

export const noPosts = (): PostState => ({ pending: [], watched: null, scores: [] })

export const hasNoPosts = ({ pending, watched, scores }: PostState): boolean =>
  pending.length === 0 && watched === null && scores.length === 0

const endOf = ({ calledAtMs }: Pick<Watched, 'calledAtMs'>, { watchMs }: CallRules): EpochMs => calledAtMs + watchMs

/**
 * Returns the time at which the observation is closed, in ms. It stays open after its 48 hours, because a
 * post from that time may be recorded late.
 */
export const closeAtMs = (watched: Pick<Watched, 'calledAtMs'>, rules: CallRules): EpochMs =>
  endOf(watched, rules) + lateMsMaxOf(rules)

/**
 * Returns whether the post belongs to this observation of the token. A post that was recorded late may be
 * older than the post that opened it. `hasCode` is false if no token existed at the address when it was
 * posted. An observation opened by such a post does not cover posts about the later token.
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

/** Adds the post to `posts`. Returns false if `posts` already contains it. */
export function isNewPost({ posts }: Watched, { chat, post }: Mentioned): boolean {
  const name = `${chat}:${post}`
  if (posts.has(name)) return false
  posts.add(name)
  const [oldest] = posts
  if (posts.size > postLimits.postsMax && oldest !== undefined) posts.delete(oldest)
  return true
}

/** Begins the score of a poster's first call in this observation. Returns null if the post is not scored. */
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
