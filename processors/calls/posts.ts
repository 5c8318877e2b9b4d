/** What becomes of a post about a token: the watch that it begins or belongs to, the precall, and the score. */
import type { CallAnswer, Mentioned } from '../../schemas/calls/facts.ts'
import type { ProcessorContext } from '../processor.ts'
import {
  type Book,
  bookLimits,
  closeAtMs,
  covers,
  emptyBook,
  endOf,
  isEmptyBook,
  openWatched,
  scoreFor,
  takePost,
  type Watched,
} from './book.ts'
import type { Burst, CallsParts, CallsRecord, CallsTypes } from './parts.ts'
import { scoreOf } from './score.ts'
import type { Track, Tracker } from './track.ts'
import type { WatchStep } from './watching.ts'

export type CallsState<PriceState, Watch, Precalls> = {
  readonly track: Track<PriceState>
  precalls: Precalls | null
  /** Of the last 75 minutes: a call may become known after the burst that followed it. */
  bursts: readonly Burst[]
  /** Null while no post waits and no watch or score is open. */
  book: Book<Watch> | null
  /** When what is old is forgotten; 0: there is nothing to forget. */
  pruneAtMs: number
}

/** One call of the processor about posts. */
type Turn<PriceState, Watch, Precalls, Types extends CallsTypes> = Readonly<{
  state: CallsState<PriceState, Watch, Precalls>
  context: ProcessorContext<Types>
  tracker: Tracker<PriceState, Types>
  parts: CallsParts<Watch, Precalls, Types>
}>

// biome-ignore lint/suspicious/noExplicitAny: a turn of any chain
type AnyTurn<Watch> = Turn<any, Watch, any, any>

/** A post waits until block time has passed it. */
export function takeAnswer<Watch>(turn: AnyTurn<Watch>, answer: CallAnswer): void {
  const { state, context, parts } = turn
  if (answer.type === 'Mentioned') {
    state.book ??= emptyBook()
    if (state.book.pending.length >= bookLimits.pendingMax) return
    // A copy, because a record that was decoded is no plain data.
    state.book.pending.push({ ...answer.data })
    context.wakeAt(answer.data.postedAtMs)
  }
  const watched = state.book?.watched
  if (answer.type === 'PriceAnswered' && watched)
    take(turn, watched, parts.watching.onPrice(watched.watch, answer.data))
}

/** What waits for the instant. Its posts come last, because a watch that ends then does not cover them. */
export function wakeBook<Watch>(turn: AnyTurn<Watch>, book: Book<Watch>, dueAtMs: number): void {
  if (book.watched?.sampleAtMs.delete(dueAtMs)) sample(turn, book.watched, dueAtMs)
  settleScores(turn, book, dueAtMs)
  if (book.watched !== null && closeAtMs(book.watched) === dueAtMs) book.watched = null
  const due = book.pending.filter(({ postedAtMs }) => postedAtMs === dueAtMs)
  if (due.length > 0) book.pending = book.pending.filter(({ postedAtMs }) => postedAtMs !== dueAtMs)
  for (const mention of due) takeMention(turn, book, mention)
  if (isEmptyBook(book)) turn.state.book = null
}

/** It may have been before the watch was known. */
export function takeBurst<Watch>(turn: AnyTurn<Watch>, watched: Watched<Watch>, { tier, atMs }: Burst): void {
  if (atMs > watched.calledAtMs && atMs <= endOf(watched))
    take(turn, watched, turn.parts.watching.onBurst(watched.watch, tier, atMs))
}

function sample<Watch>(turn: AnyTurn<Watch>, watched: Watched<Watch>, dueAtMs: number): void {
  const { state, tracker, parts } = turn
  const quote = tracker.quoteAt(state.track, dueAtMs, parts.watching.marketOf(watched.watch))
  take(turn, watched, parts.watching.onSample(watched.watch, dueAtMs, quote))
}

function settleScores<Watch>({ state, context }: AnyTurn<Watch>, book: Book<Watch>, dueAtMs: number): void {
  const settled = new Set()
  for (const score of book.scores) {
    if (score.dueAtMs !== dueAtMs) continue
    const scored = scoreOf(state.track.path, score.post, dueAtMs)
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

/** A post that neither begins a watch nor belongs to one is not counted. */
function takeMention<Watch>(turn: AnyTurn<Watch>, book: Book<Watch>, mention: Mentioned): void {
  const { state, tracker, parts, context } = turn
  const { watched } = book
  if (watched !== null && covers(watched, mention)) {
    if (!takePost(watched, mention)) return
    const quote = tracker.quoteAt(state.track, mention.postedAtMs, null)
    take(turn, watched, parts.watching.onMention(watched.watch, mention, quote))
  } else if (mention.kind !== 'call') return
  else book.watched = begin(turn, mention)
  const score = book.watched && scoreFor(book.watched, mention)
  if (score === null) return
  book.scores.push(score)
  context.wakeAt(score.dueAtMs)
}

function begin<Watch>(turn: AnyTurn<Watch>, mention: Mentioned): Watched<Watch> {
  const { state, tracker, parts, context } = turn
  const { watch, step } = parts.watching.open(
    context.token,
    mention,
    tracker.quoteAt(state.track, mention.postedAtMs, null),
  )
  const watched = openWatched(mention.postedAtMs, watch)
  takePost(watched, mention)
  context.wakeAt(closeAtMs(watched))
  take(turn, watched, step)
  for (const burst of state.bursts) takeBurst(turn, watched, burst)
  askPrecall(turn, mention)
  return watched
}

function askPrecall<Watch>({ state, parts: { precalling }, context }: AnyTurn<Watch>, mention: Mentioned): void {
  if (precalling === null) return
  state.precalls ??= precalling.initialState()
  const called = { token: context.token, mention, path: state.track.path }
  for (const record of precalling.onCall(state.precalls, called)) context.emit(record)
}

function take<Watch>({ context }: AnyTurn<Watch>, watched: Watched<Watch>, { records, wakeAtMs }: WatchStep): void {
  for (const record of records) context.emit(record satisfies CallsRecord)
  for (const atMs of wakeAtMs) {
    watched.sampleAtMs.add(atMs)
    context.wakeAt(atMs)
  }
}
