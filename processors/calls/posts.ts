/**
 * Handles the posts about a token. A post opens or joins an observation of the token, and may begin a score.
 * The first post also emits what happened before it.
 */
import assert from 'node:assert/strict'
import type { CallAnswer, Mentioned, PriceAnswered } from '../../schemas/calls/facts.ts'
import { priceMemoryMs } from '../../schemas/calls/retention.ts'
import type { EpochMs } from '../../schemas/units.ts'
import { holds } from '../markets/markets.ts'
import type { Move } from '../markets/move.ts'
import { secondOf } from '../markets/points.ts'
import type { ProcessorContext } from '../processor.ts'
import {
  type AskedScore,
  askedScoreOf,
  deadlineOf,
  isAwaitingPrices,
  isComplete,
  markInstants,
  takeAskedPrice,
} from './asked-score.ts'
import type { Burst, CallsDependencies, CallsRecord, CallsTypes } from './dependencies.ts'
import {
  closeAtMs,
  covers,
  hasNoPosts,
  isNewPost,
  noPosts,
  openWatched,
  type PostState,
  postLimits,
  type Score,
  scoreFor,
  type Watched,
} from './post-state.ts'
import { askedAtMs, priceQuestion } from './question.ts'
import { quoteForCall } from './quote.ts'
import type { WatchRules } from './samples.ts'
import { scoreOf, unscored } from './score.ts'
import {
  takeBurst as burstOfWatch,
  takeMove as moveOfWatch,
  openWatch,
  takePost,
  takePrice,
  takeSample,
  type WatchStep,
} from './watch.ts'

export type CallsState<Precalls> = {
  precalls: Precalls | null
  /**
   * The bursts of the last 75 minutes. They are kept because a post may be recorded later than a burst that
   * came after it.
   */
  bursts: readonly Burst[]
  /** The posts about the token. Null: no post waits, and no observation or score is open. */
  book: PostState | null
  /** The time at which old state is deleted next, in ms. 0 if there is nothing to delete. */
  pruneAtMs: EpochMs
}

/** The state, the context and the settings of the processor for one token, on any chain. */
type CallsRun = Readonly<{
  // biome-ignore lint/suspicious/noExplicitAny: the precalls of any chain
  state: CallsState<any>
  // biome-ignore lint/suspicious/noExplicitAny: the records of any chain
  context: ProcessorContext<any>
  // biome-ignore lint/suspicious/noExplicitAny: the parts of any chain
  dependencies: CallsDependencies<any, any>
  rules: WatchRules
}>

/** Handles a post or a looked-up price. A post waits until a block later than the post is processed. */
export function takeAnswer(run: CallsRun, answer: CallAnswer): void {
  const { state, context } = run
  if (answer.type === 'Mentioned') {
    state.book ??= noPosts()
    if (state.book.pending.length >= postLimits.pendingMax) return
    // A snapshot can contain only plain data. A decoded record is not plain data, so it is copied.
    state.book.pending.push({ ...answer.data })
    context.wakeAt(answer.data.postedAtMs)
  }
  if (answer.type !== 'PriceAnswered' || state.book === null) return
  const { watched } = state.book
  if (watched) take(run, watched, takePrice(watched.watch, answer.data, run.rules))
  takeAskedPrices(run, state.book, answer.data)
}

/**
 * Does everything that is due at this time. New posts are handled last, because an observation that closes at
 * this time must not cover them.
 */
export function wakePosts(run: CallsRun, book: PostState, dueAtMs: EpochMs): void {
  const { watched } = book
  if (watched?.sampleAtMs.delete(dueAtMs)) take(run, watched, takeSample(watched.watch, dueAtMs, marketContextOf(run)))
  askPrices(run, book, dueAtMs)
  settleScores(run, book, dueAtMs)
  if (book.watched !== null && closeAtMs(book.watched, run.rules) === dueAtMs) book.watched = null
  const due = book.pending.filter(({ postedAtMs }) => postedAtMs === dueAtMs)
  if (due.length > 0) book.pending = book.pending.filter(({ postedAtMs }) => postedAtMs !== dueAtMs)
  for (const mention of due) takeMention(run, book, mention)
  if (hasNoPosts(book)) run.state.book = null
}

export function takeBurst(run: CallsRun, watched: Watched, burst: Burst): void {
  take(run, watched, burstOfWatch(watched.watch, burst, run.rules))
}

export function takeMove(run: CallsRun, watched: Watched, move: Move): void {
  take(run, watched, moveOfWatch(watched.watch, move, marketContextOf(run)))
}

/**
 * Schedules the deletion of data from the time `atMs`. The processor wakes when the data is no longer needed.
 */
export function waitToPrune(
  state: Pick<CallsState<unknown>, 'pruneAtMs'>,
  atMs: EpochMs,
  context: Pick<ProcessorContext<CallsTypes>, 'wakeAt'>,
): void {
  state.pruneAtMs = secondOf(atMs) + priceMemoryMs
  context.wakeAt(state.pruneAtMs)
}

const marketContextOf = ({ context: { markets }, rules }: CallsRun) => ({ markets, rules })

function settleScores(run: CallsRun, book: PostState, dueAtMs: EpochMs): void {
  const { context } = run
  const settled = new Set()
  for (const score of book.scores) {
    if (score.dueAtMs !== dueAtMs) continue
    const scored = scoredAt(run, score, dueAtMs)
    if ('dueAtMs' in scored) {
      score.dueAtMs = scored.dueAtMs
      context.wakeAt(scored.dueAtMs)
    } else {
      settled.add(score)
      context.emit({ type: 'CallScored', data: scored })
    }
  }
  if (settled.size > 0) book.scores = book.scores.filter((score) => !settled.has(score))
}

/**
 * Computes a score that is due. If no lookup gave the price at the post, the score starts from the first
 * price on a recorded market.
 */
function scoredAt(run: CallsRun, { post, isFollowed, asked }: Score, dueAtMs: EpochMs) {
  if (asked?.anchor) return askedScoreOf(asked, post, run.rules)
  const scored = scoreOf(marketContextOf(run), { post, isFollowed }, dueAtMs)
  return asked !== null && 'unscored' in scored && scored.unscored !== null
    ? unscored(post, asked.reason, true)
    : scored
}

/**
 * Stores a looked-up price in the open scores. If the price becomes the anchor of a score (the price at the
 * post), the score requests its later prices. A score is emitted as soon as all its prices have results.
 */
function takeAskedPrices({ context, rules }: CallsRun, book: PostState, answer: PriceAnswered): void {
  const atMs = askedAtMs(answer.questionId)
  const market = book.watched?.watch.market ?? null
  for (const score of book.scores) {
    const { asked, post } = score
    const hadAnchor = asked !== null && asked.anchor !== null
    if (asked === null || !takeAskedPrice({ asked, post }, { atMs, answer, market }, rules)) continue
    if (!hadAnchor) awaitMarks({ context, rules }, score, asked)
    else if (isComplete(asked)) context.emit({ type: 'CallScored', data: askedScoreOf(asked, post, rules) })
  }
  book.scores = book.scores.filter(({ asked }) => asked === null || !isComplete(asked))
}

function awaitMarks({ context, rules }: Pick<CallsRun, 'context' | 'rules'>, score: Score, asked: AskedScore): void {
  assert(asked.anchor !== null)
  for (const markAtMs of markInstants(asked, rules)) context.wakeAt(markAtMs)
  score.dueAtMs = deadlineOf(asked.anchor.atMs, rules)
  context.wakeAt(score.dueAtMs)
}

function askPrices({ context, rules }: CallsRun, { scores }: PostState, dueAtMs: EpochMs): void {
  const due = scores.find(({ asked }) => asked !== null && markInstants(asked, rules).includes(dueAtMs))?.asked
  if (!due?.anchor) return
  const { source, market } = due.anchor
  const question = { token: context.token, source, market, usefulMs: rules.askedMarkMs }
  context.emit({ type: 'PriceAsked', data: priceQuestion(question, dueAtMs) })
}

/**
 * Handles a post whose time has been reached by the processed blocks. A post that neither opens nor joins an
 * observation of the token is ignored.
 */
function takeMention(run: CallsRun, book: PostState, mention: Mentioned): void {
  const { context, rules } = run
  const joined = book.watched !== null && covers(book.watched, mention, rules) ? book.watched : null
  if (joined === null ? mention.kind !== 'call' : !isNewPost(joined, mention)) return
  const watched = joined ?? begin(run, mention)
  book.watched = watched
  if (joined !== null) take(run, joined, takePost(joined.watch, mention, rules))
  const isAsked = isWithoutPrice(run, mention)
  const score = scoreFor(watched, mention, { isAsked, rules })
  if (score === null) return
  if (isAsked && countAwaiting(book, mention.postedAtMs, rules) >= rules.askedScoresMax) {
    context.emit({ type: 'CallScored', data: unscored(score.post, 'too_many', true) })
    return
  }
  const other = isAsked ? askedAtOnce(book, mention) : null
  if (other !== null) shareAsked(score, other, rules)
  book.scores.push(score)
  context.wakeAt(score.dueAtMs)
  // If this post opened the observation, the observation has already requested the price at the post.
  if (isAsked && joined !== null && other === null) askAtPost(run, joined, mention)
}

/**
 * Returns whether no recorded market had a price at the time of the post. Also false if the post was recorded
 * so late that the prices of that time are no longer in memory.
 */
const isWithoutPrice = ({ context: { markets } }: CallsRun, mention: Mentioned): boolean =>
  holds(markets, mention.postedAtMs) && quoteForCall(markets, mention.postedAtMs, mention) === null

/**
 * Returns the state of another score whose post has the same time. Both scores use the result of one price
 * lookup.
 */
const askedAtOnce = ({ scores }: PostState, { postedAtMs }: Mentioned): AskedScore | null =>
  scores.find(({ asked, post }) => asked !== null && post.postedAtMs === postedAtMs)?.asked ?? null

function shareAsked(score: Score, { anchor, reason, marks }: AskedScore, rules: WatchRules): void {
  score.asked = { anchor, reason, marks: [...marks] }
  if (anchor !== null) score.dueAtMs = deadlineOf(anchor.atMs, rules)
}

const countAwaiting = ({ scores }: PostState, atMs: EpochMs, rules: WatchRules): number =>
  scores.filter(
    ({ asked, post: { postedAtMs } }) =>
      asked !== null && isAwaitingPrices({ anchor: asked.anchor, postedAtMs }, atMs, rules),
  ).length

function askAtPost({ context, rules }: CallsRun, { watch }: Watched, { postedAtMs }: Mentioned): void {
  const question = { token: context.token, source: null, market: watch.market, usefulMs: rules.askedAnchorMs }
  context.emit({ type: 'PriceAsked', data: priceQuestion(question, postedAtMs) })
}

function begin(run: CallsRun, mention: Mentioned): Watched {
  const { state, context } = run
  const { watch, step } = openWatch(context.token, mention, marketContextOf(run))
  const watched = openWatched(mention.postedAtMs, watch)
  isNewPost(watched, mention)
  context.wakeAt(closeAtMs(watched, run.rules))
  take(run, watched, step)
  for (const burst of state.bursts) takeBurst(run, watched, burst)
  if (mention.hasCode !== false) askPrecall(run, mention)
  return watched
}

function askPrecall({ state, dependencies: { precalling }, context }: CallsRun, mention: Mentioned): void {
  if (precalling === null) return
  state.precalls ??= precalling.initialState()
  if (state.pruneAtMs === 0) waitToPrune(state, mention.postedAtMs, context)
  const { token, processedUntilMs, markets } = context
  const called = { token, mention, processedUntilMs, markets }
  for (const record of precalling.onCall(state.precalls, called)) context.emit(record)
}

function take({ context }: CallsRun, watched: Watched, { records, wakeAtMs }: WatchStep): void {
  for (const record of records) context.emit(record satisfies CallsRecord)
  for (const atMs of wakeAtMs) {
    watched.sampleAtMs.add(atMs)
    context.wakeAt(atMs)
  }
}
