/**
 * Scores the 60 minutes after a caller’s post. The token has no price on a followed market, so the prices
 * come from lookups.
 */
import assert from 'node:assert/strict'
import type { CallScored, UnscoredReason } from '../../schemas/calls/derived.ts'
import type { PriceAnswered } from '../../schemas/calls/facts.ts'
import { type CallRules, returnMinutes } from '../../schemas/calls/rules.ts'
import { type DurationMs, type EpochMs, type MarketId, minuteMs } from '../../schemas/units.ts'
import { isOneFamily, type PriceFamily } from './question.ts'
import { failed, unknown } from './samples.ts'
import { extremesOf, type ScoredPost, unscored } from './score.ts'

/** A price. `failed`: the source answered that there is no price. `unknown`: no answer came in time. Null: no answer has come yet. */
type Mark = number | null

export type AskedScore = {
  /** The price at the time of the post, from a lookup. Null: no lookup has given a price in time. */
  anchor: Readonly<{ atMs: EpochMs; px: number; source: PriceFamily; market: MarketId | null }> | null
  /** Why there is no anchor. */
  reason: UnscoredReason
  /** One price per entry of `askedMarksMin`, in the same order. */
  marks: Mark[]
}

export const noAskedScore = ({ askedMarksMin }: CallRules): AskedScore => ({
  ...{ anchor: null, reason: 'unanswered' },
  marks: askedMarksMin.map(() => null),
})

/** The maximum time that a score waits for answers after its 60 minutes, in ms. */
const answersWithinMs = 15 * minuteMs

export const deadlineOf = (anchorAtMs: EpochMs, { scoreMs }: CallRules): EpochMs =>
  anchorAtMs + scoreMs + answersWithinMs

/** Returns whether the score has its anchor and an answer for every mark. */
export const isComplete = ({ anchor, marks }: AskedScore): boolean => anchor !== null && !marks.includes(null)

/**
 * Returns whether the score counts against `askedScoresMax`. A score with an anchor counts for its 60
 * minutes. A score without an anchor counts as long as an answer would be in time.
 */
export const isAwaitingPrices = (
  { anchor, postedAtMs }: Pick<AskedScore, 'anchor'> & Pick<ScoredPost, 'postedAtMs'>,
  atMs: EpochMs,
  { askedAnchorMs, scoreMs }: CallRules,
): boolean => (anchor === null ? atMs <= postedAtMs + askedAnchorMs : atMs < anchor.atMs + scoreMs)

const markAtMs = (anchorAtMs: EpochMs, minutes: number): EpochMs => anchorAtMs + minutes * minuteMs

/** Returns the times at which the score needs prices, in ms. The result is empty if there is no anchor. */
export const markInstants = ({ anchor }: AskedScore, { askedMarksMin }: CallRules): readonly number[] =>
  anchor === null ? [] : askedMarksMin.map((minutes) => markAtMs(anchor.atMs, minutes))

type AnsweredPrice = Readonly<{ atMs: EpochMs; answer: PriceAnswered; market: MarketId | null }>

type OpenScore = Readonly<{ asked: AskedScore; post: ScoredPost }>

/** Applies the answer about the price at `answered.atMs`. Returns whether the answer became the anchor or a mark. */
export function takeAskedPrice({ asked, post }: OpenScore, answered: AnsweredPrice, rules: CallRules): boolean {
  if (asked.anchor === null)
    return answered.atMs === post.postedAtMs && takeAnchor(asked, answered, rules.askedAnchorMs)
  return takeMark(asked, answered, rules)
}

/** Makes the price at the post the anchor, unless it was read too late. A late price already contains the effect of the post. */
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
 * Computes the score from the anchor and the marks. Call this function after the last answer, or at the
 * deadline.
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
