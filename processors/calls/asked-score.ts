/**
 * Scores a post that recommends a token, by the price in the 60 minutes after the post. This module is for
 * tokens without a price on a recorded market. Their prices come from lookups (requests to a node or an
 * aggregator).
 */
import assert from 'node:assert/strict'
import type { CallScored, UnscoredReason } from '../../schemas/calls/derived.ts'
import type { PriceAnswered } from '../../schemas/calls/facts.ts'
import { type CallRules, returnMinutes } from '../../schemas/calls/rules.ts'
import { type DurationMs, type EpochMs, type MarketId, minuteMs } from '../../schemas/units.ts'
import { isOneFamily, type PriceFamily } from './question.ts'
import { failed, unknown } from './samples.ts'
import { extremesOf, type ScoredPost, unscored } from './score.ts'

/**
 * A price, or one of two constants. `failed`: the source answered that there is no price. `unknown`: no
 * answer came in time. Null: no answer has come yet.
 */
type Mark = number | null

export type AskedScore = {
  /**
   * The price at the time of the post, against which later prices are compared. It comes from a lookup. Null:
   * no lookup has given a price in time.
   */
  anchor: Readonly<{ atMs: EpochMs; px: number; source: PriceFamily; market: MarketId | null }> | null
  /** Why there is no anchor. */
  reason: UnscoredReason
  /** The prices after the post: one for each number of minutes in `askedMarksMin`, in the same order. */
  marks: Mark[]
}

export const noAskedScore = ({ askedMarksMin }: CallRules): AskedScore => ({
  ...{ anchor: null, reason: 'unanswered' },
  marks: askedMarksMin.map(() => null),
})

/**
 * The maximum time that a score waits for late results of lookups, after the 60 minutes that it covers, in
 * ms.
 */
const answersWithinMs = 15 * minuteMs

export const deadlineOf = (anchorAtMs: EpochMs, { scoreMs }: CallRules): EpochMs =>
  anchorAtMs + scoreMs + answersWithinMs

/** Returns whether the score has the price at the post and a result for every later time. */
export const isComplete = ({ anchor, marks }: AskedScore): boolean => anchor !== null && !marks.includes(null)

/**
 * Returns whether the score counts against the maximum number of waiting scores (`askedScoresMax`). A score
 * with an anchor counts for the 60 minutes that it covers. A score without an anchor counts as long as the
 * price at the post can still arrive in time.
 */
export const isAwaitingPrices = (
  { anchor, postedAtMs }: Pick<AskedScore, 'anchor'> & Pick<ScoredPost, 'postedAtMs'>,
  atMs: EpochMs,
  { askedAnchorMs, scoreMs }: CallRules,
): boolean => (anchor === null ? atMs <= postedAtMs + askedAnchorMs : atMs < anchor.atMs + scoreMs)

const markAtMs = (anchorAtMs: EpochMs, minutes: number): EpochMs => anchorAtMs + minutes * minuteMs

/**
 * Returns the times after the post for which the score needs a price, in ms since the epoch. Empty if the
 * score has no anchor.
 */
export const markInstants = ({ anchor }: AskedScore, { askedMarksMin }: CallRules): readonly number[] =>
  anchor === null ? [] : askedMarksMin.map((minutes) => markAtMs(anchor.atMs, minutes))

type AnsweredPrice = Readonly<{ atMs: EpochMs; answer: PriceAnswered; market: MarketId | null }>

type OpenScore = Readonly<{ asked: AskedScore; post: ScoredPost }>

/**
 * Stores the looked-up price for the time `answered.atMs`. Returns whether the price became the anchor (the
 * price at the post) or a mark (a later price).
 */
export function takeAskedPrice({ asked, post }: OpenScore, answered: AnsweredPrice, rules: CallRules): boolean {
  if (asked.anchor === null)
    return answered.atMs === post.postedAtMs && takeAnchor(asked, answered, rules.askedAnchorMs)
  return takeMark(asked, answered, rules)
}

/**
 * Makes the price the anchor (the price at the post), unless it was read too late. A late price already
 * contains the effect of the post.
 */
function takeAnchor(
  asked: AskedScore,
  { answer, market, atMs: postedAtMs }: AnsweredPrice,
  askedAnchorMs: DurationMs,
): boolean {
  const { price, answeredAtMs, isWithoutPrice } = answer
  if (price === null) asked.reason = isWithoutPrice ? 'no_price' : 'unanswered'
  else if (answeredAtMs - postedAtMs > askedAnchorMs) asked.reason = 'late_anchor'
  else asked.anchor = { atMs: answeredAtMs, px: price.px, source: price.source, market }
  return asked.anchor !== null
}

function takeMark(asked: AskedScore, { atMs, answer }: AnsweredPrice, rules: CallRules): boolean {
  const { anchor } = asked
  const { price, answeredAtMs, isWithoutPrice } = answer
  const index = markInstants(asked, rules).indexOf(atMs)
  if (index < 0 || asked.marks[index] !== null) return false
  const isInTime = answeredAtMs - atMs <= rules.askedMarkMs
  if (isInTime && price !== null && anchor !== null && isOneFamily(price, anchor)) asked.marks[index] = price.px
  else asked.marks[index] = isWithoutPrice ? failed : unknown
  return true
}

/**
 * Computes the score from the anchor (the price at the post) and the marks (later prices). Call this function
 * after the last lookup has a result, or at the deadline.
 */
export function askedScoreOf({ anchor, marks }: AskedScore, post: ScoredPost, rules: CallRules): CallScored {
  assert(anchor !== null)
  const due = returnMinutes.map((minutes): number => marks[rules.askedMarksMin.indexOf(minutes)] ?? unknown)
  if (due.includes(failed)) return unscored(post, 'no_price', true)
  if (due.includes(unknown)) return unscored(post, 'unanswered', true)
  const [ret1 = null, ret5 = null, ret15 = null, ret60 = null] = due.map((px) => px / anchor.px - 1)
  const prices = marks.filter((mark) => mark !== null && mark > 0) as readonly number[]
  return {
    ...post,
    unscored: null,
    market: null,
    anchorAtMs: anchor.atMs,
    anchorPx: anchor.px,
    ...{ ret1, ret5, ret15, ret60, ...extremesOf(prices, anchor.px, rules.hits), ruggedAtMs: null, isAsked: true },
  }
}
