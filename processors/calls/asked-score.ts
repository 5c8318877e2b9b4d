/** The 60 minutes after a caller’s post about a token that no followed market prices, from prices that are asked for. */
import type { CallScored, UnscoredReason } from '../../schemas/calls/derived.ts'
import type { PriceAnswered } from '../../schemas/calls/facts.ts'
import { type CallRules, returnMinutes } from '../../schemas/calls/rules.ts'
import { type Hex, minuteMs } from '../../schemas/units.ts'
import { isOneFamily, type PriceFamily } from './question.ts'
import { failed, unknown } from './samples.ts'
import { extremesOf, type ScoredPost, unscored } from './score.ts'

/** Price, `failed` where whoever was asked says that there is none, `unknown` where nobody told one in time; null: not yet. */
type Mark = number | null

export type AskedScore = {
  /** The price in force at the post, as far as it was told in time. */
  anchor: Readonly<{ atMs: number; px: number; source: PriceFamily; market: Hex | null }> | null
  /** Why there is no anchor. */
  reason: UnscoredReason
  /** In the order of `askedMarksMin`. */
  marks: Mark[]
}

export const noAskedScore = ({ askedMarksMin }: CallRules): AskedScore => ({
  ...{ anchor: null, reason: 'unanswered' },
  marks: askedMarksMin.map(() => null),
})

/** Answers may reach the log late. Nobody waits longer for them. */
const answersWithinMs = 15 * minuteMs

export const deadlineOf = (anchorAtMs: number, { scoreMs }: CallRules): number => anchorAtMs + scoreMs + answersWithinMs

/** Whether each price that was asked for is answered. */
export const isComplete = ({ anchor, marks }: AskedScore): boolean => anchor !== null && !marks.includes(null)

/** Whether it still waits for asked prices when somebody else posts: for its hour, or while its anchor may still be told in time. */
export const isAwaitingPrices = (
  { anchor, postedAtMs }: Pick<AskedScore, 'anchor'> & Pick<ScoredPost, 'postedAtMs'>,
  atMs: number,
  { askedAnchorMs, scoreMs }: CallRules,
): boolean => (anchor === null ? atMs <= postedAtMs + askedAnchorMs : atMs < anchor.atMs + scoreMs)

const markAtMs = (anchorAtMs: number, minutes: number): number => anchorAtMs + minutes * minuteMs

/** The instants at which prices are asked for. Empty: there is no anchor. */
export const markInstants = ({ anchor }: AskedScore, { askedMarksMin }: CallRules): readonly number[] =>
  anchor === null ? [] : askedMarksMin.map((minutes) => markAtMs(anchor.atMs, minutes))

type Told = Readonly<{ atMs: number; answer: PriceAnswered; market: Hex | null }>

type Asked = Readonly<{ asked: AskedScore; post: ScoredPost }>

/** Takes the answer to a question of that instant. Returns whether it said anything of the score. */
export function takeAskedPrice({ asked, post }: Asked, told: Told, rules: CallRules): boolean {
  if (asked.anchor === null) return told.atMs === post.postedAtMs && takeAnchor(asked, told, rules.askedAnchorMs)
  return takeMark(asked, told, rules)
}

/** A later price knows what the post did. */
function takeAnchor(asked: AskedScore, { answer, market, atMs: postedAtMs }: Told, askedAnchorMs: number): boolean {
  const { price, answeredAtMs, isWithoutPrice } = answer
  if (price === null) asked.reason = isWithoutPrice ? 'no_price' : 'unanswered'
  else if (answeredAtMs - postedAtMs > askedAnchorMs) asked.reason = 'late_anchor'
  else asked.anchor = { atMs: answeredAtMs, px: price.px, source: price.source, market }
  return asked.anchor !== null
}

function takeMark(asked: AskedScore, { atMs, answer }: Told, rules: CallRules): boolean {
  const { anchor } = asked
  const { price, answeredAtMs, isWithoutPrice } = answer
  const index = markInstants(asked, rules).indexOf(atMs)
  if (index < 0 || asked.marks[index] !== null) return false
  const isInTime = answeredAtMs - atMs <= rules.askedMarkMs
  if (isInTime && price !== null && anchor !== null && isOneFamily(price, anchor)) asked.marks[index] = price.px
  else asked.marks[index] = isWithoutPrice ? failed : unknown
  return true
}

/** Once its last answer is here. */
export function askedScoreOf({ anchor, reason, marks }: AskedScore, post: ScoredPost, rules: CallRules): CallScored {
  if (anchor === null) return unscored(post, reason, true)
  const due = returnMinutes.map((minutes): number => marks[rules.askedMarksMin.indexOf(minutes)] ?? unknown)
  if (due.includes(failed)) return unscored(post, 'no_price', true)
  if (due.includes(unknown)) return unscored(post, 'unanswered', true)
  const [ret1 = null, ret5 = null, ret15 = null, ret60 = null] = due.map((px) => px / anchor.px - 1)
  const told = marks.filter((mark) => mark !== null && mark > 0) as readonly number[]
  return {
    ...post,
    unscored: null,
    market: null,
    anchorAtMs: anchor.atMs,
    anchorPx: anchor.px,
    ...{ ret1, ret5, ret15, ret60, ...extremesOf(told, anchor.px, rules.hits), ruggedAtMs: null, isAsked: true },
  }
}
