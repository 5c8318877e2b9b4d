/** The 60 minutes after a caller’s post about a token that no followed market prices, from prices that are asked for. */
import type { CallScored, PriceAsked, UnscoredReason } from '../../schemas/calls/derived.ts'
import type { PriceAnswered } from '../../schemas/calls/facts.ts'
import { callRules } from '../../schemas/calls/rules.ts'
import type { Hex } from '../../schemas/units.ts'
import { extremesOf, type ScoredPost, unscored } from './score.ts'
import { isOneFamily } from './watch.ts'

const minuteMs = 60_000
const { askedAnchorMs, askedMarkMs, askedMarksMin, scoreMs } = callRules

/** Price, 0 where whoever was asked says that there is none, or null: nobody answered. */
type Mark = number | null

export type AskedScore = {
  /** The price in force at the post, as far as it was told in time. */
  anchor: Readonly<{ atMs: number; px: number; source: Source; market: Hex | null }> | null
  /** Why there is no anchor. */
  reason: UnscoredReason
  /** In the order of `askedMarksMin`. */
  marks: Mark[]
}

type Source = NonNullable<PriceAnswered['price']>['source']

export const noAskedScore = (): AskedScore => ({
  ...{ anchor: null, reason: 'unanswered' },
  marks: askedMarksMin.map(() => null),
})

/** When the last answer that counts is here. */
export const settledAtMs = ({ anchorAtMs }: Readonly<{ anchorAtMs: number }>): number =>
  anchorAtMs + scoreMs + 2 * askedMarkMs

const markAtMs = (anchorAtMs: number, minutes: number): number => anchorAtMs + minutes * minuteMs

/** The instants at which prices are asked for. Empty: there is no anchor. */
export const markInstants = ({ anchor }: AskedScore): readonly number[] =>
  anchor === null ? [] : askedMarksMin.map((minutes) => markAtMs(anchor.atMs, minutes))

type Asking = Readonly<{ token: string; market: Hex | null }>

export const priceQuestion = ({ token, market }: Asking, atMs: number): PriceAsked => ({
  questionId: `${token}:${atMs}`,
  revision: 0,
  atMs,
  market,
})

type Told = Readonly<{ atMs: number; answer: PriceAnswered; market: Hex | null }>

/** Takes the answer to a question of that instant. Returns whether it gave the score its anchor. */
export function takeAskedPrice(asked: AskedScore, post: ScoredPost, told: Told): boolean {
  if (asked.anchor === null) return told.atMs === post.postedAtMs && takeAnchor(asked, post, told)
  takeMark(asked, asked.anchor, told)
  return false
}

/** A later price knows what the post did. */
function takeAnchor(asked: AskedScore, { postedAtMs }: ScoredPost, { answer, market }: Told): boolean {
  const { price, answeredAtMs, isWithoutPrice } = answer
  if (price === null) asked.reason = isWithoutPrice ? 'no_price' : 'unanswered'
  else if (answeredAtMs - postedAtMs > askedAnchorMs) asked.reason = 'late_anchor'
  else asked.anchor = { atMs: answeredAtMs, px: price.px, source: price.source, market }
  return asked.anchor !== null
}

function takeMark(asked: AskedScore, anchor: NonNullable<AskedScore['anchor']>, { atMs, answer }: Told): void {
  const { price, answeredAtMs, isWithoutPrice } = answer
  const index = markInstants(asked).indexOf(atMs)
  if (index < 0 || answeredAtMs - atMs > askedMarkMs) return
  if (price === null ? isWithoutPrice : isOneFamily(price, anchor)) asked.marks[index] ??= price?.px ?? 0
}

/** Once its last answer is here. */
export function askedScoreOf({ anchor, reason, marks }: AskedScore, post: ScoredPost): CallScored {
  if (anchor === null) return unscored(post, reason)
  const markAfter = (minutes: (typeof askedMarksMin)[number]): Mark => marks[askedMarksMin.indexOf(minutes)] ?? null
  const due = [markAfter(1), markAfter(5), markAfter(15), markAfter(60)]
  if (due.includes(0)) return unscored(post, 'no_price')
  if (due.includes(null)) return unscored(post, 'unanswered')
  const [ret1 = null, ret5 = null, ret15 = null, ret60 = null] = due.map((px) => (px ?? 0) / anchor.px - 1)
  const told = askedMarksMin.flatMap((_, index) => marks[index] || [])
  return {
    ...post,
    unscored: null,
    market: anchor.market,
    anchorAtMs: anchor.atMs,
    anchorPx: anchor.px,
    ...{ ret1, ret5, ret15, ret60, ...extremesOf(told, anchor.px), ruggedAtMs: null, isAsked: true },
  }
}
