/**
 * Computes the score of the hour after a post. The prices come from the log, or from answers about the price
 * of the token.
 */
import type { PriceAnswered } from '../../../../schemas/calls/facts.ts'
import {
  type Anchored,
  deepestAt,
  firstPriceIn,
  hourMs,
  type Markets,
  minuteMs,
  pricesOf,
  pulledAtMs,
  pxFor,
  secondOf,
} from './lines.ts'
import type { CallRules } from './rules.ts'

type Unscored = 'late_anchor' | 'no_price' | 'unanswered' | 'too_many'

export const unscored = (reason: Unscored, isAsked: boolean) => ({
  unscored: reason,
  ...{ market: null, anchorAtMs: null, anchorPx: null, ret1: null, ret5: null, ret15: null, ret60: null },
  ...{ mfe: null, mae: null, isWin35: null, ruggedAtMs: null, isAsked },
})

type Told = Readonly<{ anchor: Anchored & Readonly<{ px: number }>; ruggedAtMs: number | null }>

function anchorOf(markets: Markets, postedAtMs: number, rules: CallRules): Told['anchor'] | Unscored {
  const readAtMs = postedAtMs + rules.anchorDelayMs
  const inForce = deepestAt(markets, readAtMs)
  if (inForce) return { market: inForce.line.market, atMs: readAtMs, px: inForce.px }
  const firstAtMs = firstPriceIn(markets, readAtMs, readAtMs + hourMs)
  if (firstAtMs === null) return 'no_price'
  if (firstAtMs > postedAtMs + rules.anchorLimitMs) return 'late_anchor'
  const first = deepestAt(markets, firstAtMs)
  return first === null ? 'no_price' : { market: first.line.market, atMs: firstAtMs, px: first.px }
}

/**
 * Computes the score from the log. This applies to a token that has a price in a followed market at the time
 * of the post.
 */
export function scoreOn(markets: Markets, postedAtMs: number, rules: CallRules) {
  const anchor = anchorOf(markets, postedAtMs, rules)
  if (typeof anchor === 'string') return unscored(anchor, false)
  const endMs = anchor.atMs + rules.scoreMs
  const rugged = pulledAtMs(markets, anchor, rules.rugLeftMax)
  const ruggedAtMs = rugged !== null && secondOf(rugged) <= endMs ? rugged : null
  const seen = { market: anchor.market, ruggedAtMs }
  if (pxFor(markets, seen, endMs) === null) return unscored('no_price', false)
  const retAfter = (minutes: number) => {
    const px = pxFor(markets, seen, anchor.atMs + minutes * minuteMs)
    return px === null ? null : px / anchor.px - 1
  }
  return {
    ...{ unscored: null, market: anchor.market, anchorAtMs: anchor.atMs, anchorPx: anchor.px, ruggedAtMs },
    ...{ ret1: retAfter(1), ret5: retAfter(5), ret15: retAfter(15), ret60: retAfter(60), isAsked: false },
    ...extremesOf(
      pricesOf(markets, seen, { fromMs: anchor.atMs, toMs: endMs }).map((px) => px / anchor.px),
      rules,
    ),
  }
}

/** Computes the extremes of the hour. `ratios` are the prices divided by the anchor’s price, in time order. */
function extremesOf(ratios: readonly number[], { win, stop }: CallRules) {
  const decided = ratios.find((ratio) => ratio >= win || ratio <= stop)
  const [mfe, mae] = [Math.max(1, ...ratios) - 1, Math.min(1, ...ratios) - 1]
  return { mfe, mae, isWin35: decided !== undefined && decided >= win }
}

export type Asking = Readonly<{
  /** Returns the first answer of a price provider to the request for the price at `atMs`. */
  answerAt(atMs: number): PriceAnswered | undefined
  rules: CallRules
}>

/**
 * Returns the answer about the price at `atMs` if it came in time, or the reason why there is no such price.
 */
function readingAt({ answerAt }: Asking, atMs: number, withinMs: number) {
  const answer = answerAt(atMs)
  if (answer === undefined) return 'silent'
  const { price, isWithoutPrice, answeredAtMs } = answer
  if (price === null || price.px <= 0) return isWithoutPrice ? 'none' : 'silent'
  return answeredAtMs - atMs > withinMs ? 'late' : { ...price, answeredAtMs }
}

const reasons = { none: 'no_price', silent: 'unanswered', late: 'late_anchor' } as const

/**
 * Computes the score from answers of price providers, for a token that has no price in a followed market at
 * the time of the post. `isAnchored` is true if the price at the post came in time.
 */
export function scoreAsked(asking: Asking, postedAtMs: number) {
  const { rules } = asking
  const first = readingAt(asking, postedAtMs, rules.askedAnchorMs)
  if (typeof first === 'string') return { ...unscored(reasons[first], true), isAnchored: false }
  const { answeredAtMs: anchorAtMs, px: anchorPx } = first
  const isUsd = first.source === 'aggregator'
  const readings = new Map(
    rules.askedMarksMin.map((mark) => [mark, readingAt(asking, anchorAtMs + mark * minuteMs, rules.askedMarkMs)]),
  )
  const ratioAt = (mark: number) => {
    const reading = readings.get(mark) ?? 'silent'
    if (reading === 'none') return 'none'
    if (typeof reading === 'string' || (reading.source === 'aggregator') !== isUsd) return null
    return reading.px / anchorPx
  }
  const rets = [1, 5, 15, 60].map(ratioAt)
  if (rets.includes('none')) return { ...unscored('no_price', true), isAnchored: true }
  if (rets.includes(null)) return { ...unscored('unanswered', true), isAnchored: true }
  const [ret1, ret5, ret15, ret60] = rets.map((ratio) => Number(ratio) - 1)
  const ratios = rules.askedMarksMin.map(ratioAt).filter((ratio) => typeof ratio === 'number')
  return {
    ...{ unscored: null, market: null, anchorAtMs, anchorPx, ruggedAtMs: null, isAsked: true },
    ...{ ret1, ret5, ret15, ret60, isAnchored: true },
    ...extremesOf(ratios, rules),
  }
}
