/**
 * Scores a post that recommends a token, by the price in the 60 minutes after the post. Runs as soon as these
 * minutes are over. The prices come from recorded markets.
 */

import assert from 'node:assert/strict'
import type { CallScored, UnscoredReason } from '../../schemas/calls/derived.ts'
import type { CallRules } from '../../schemas/calls/rules.ts'
import { type EpochMs, minuteMs } from '../../schemas/units.ts'
import {
  type Called,
  deepestAt,
  firstPriceAfter,
  holds,
  lineAt,
  type Markets,
  priceAt,
  pricesIn,
  pulledIn,
} from '../markets/markets.ts'
import { secondOf, valueAt } from '../markets/points.ts'
import { fitsCallOf } from './quote.ts'

/** The markets of the token in their current state, and the rules. */
export type Context = Readonly<{ markets: Markets; rules: CallRules }>

/** The fields of a post that are copied into its score. */
export type ScoredPost = Pick<CallScored, 'postedAtMs' | 'chat' | 'post' | 'chatName' | 'poster' | 'tokenCount'>

type Scoring = Pick<Called, 'isFollowed'> & Readonly<{ post: ScoredPost }>

/**
 * Returns the time at which the score can be computed, if the price `anchorDelayMs` after the post is its
 * first price. With a later first price, the score is computed later.
 */
export const scoreDueAtMs = ({ postedAtMs }: ScoredPost, { anchorDelayMs, scoreMs }: CallRules): EpochMs =>
  postedAtMs + anchorDelayMs + scoreMs

type Anchor = Readonly<{ market: CallScored['market'] & string; atMs: EpochMs; px: number }>

/**
 * Returns the score. If it cannot be computed yet, returns the time at which it can. The blocks up to
 * `dueAtMs` must have been processed.
 */
export function scoreOf(
  { markets, rules }: Context,
  { post, isFollowed }: Scoring,
  dueAtMs: EpochMs,
): CallScored | Readonly<{ dueAtMs: EpochMs }> {
  const called = { postedAtMs: post.postedAtMs, isFollowed }
  const anchor = anchorOf({ markets, rules }, called, dueAtMs)
  if (typeof anchor === 'string') return unscored(post, anchor)
  const endMs = anchor.atMs + rules.scoreMs
  if (endMs > dueAtMs) return { dueAtMs: endMs }
  const { rugLeftRatioMax: leftMax } = rules
  const pulledAtMs = pulledIn(markets, anchor.market, { fromMs: anchor.atMs, toMs: endMs, leftMax })
  // If the market closed before the end and no other market replaced it, there is no price for the last
  // return.
  return pulledAtMs === null && lineAt(markets, anchor.market, endMs) === null
    ? unscored(post, 'no_price')
    : measured({ markets, rules }, post, { ...anchor, pulledAtMs })
}

/**
 * Returns the price with which later prices are compared: the price in force `anchorDelayMs` after the post.
 * If there is none, returns the first price up to `anchorLimitMs` after the post. If there is none either,
 * returns the reason.
 */
function anchorOf({ markets, rules }: Context, called: Called, untilMs: EpochMs): Anchor | UnscoredReason {
  const { postedAtMs } = called
  const readAtMs = postedAtMs + rules.anchorDelayMs
  if (!holds(markets, readAtMs)) return 'late_anchor'
  const fits = fitsCallOf(markets, called)
  const anchorAt = (atMs: EpochMs): Anchor | null => {
    const line = deepestAt(markets, atMs, fits)
    const px = line && valueAt(line.prices, atMs)
    return line === null || px === null ? null : { market: line.market, atMs, px }
  }
  const inForce = anchorAt(readAtMs)
  if (inForce !== null) return inForce
  const firstAtMs = firstPriceAfter(markets, { afterMs: readAtMs, untilMs, fits })
  if (firstAtMs === null) return 'no_price'
  if (firstAtMs > postedAtMs + rules.anchorLimitMs) return 'late_anchor'
  const first = anchorAt(firstAtMs)
  assert(first !== null)
  return first
}

const nothingMeasured = {
  ...{ market: null, anchorAtMs: null, anchorPx: null, ret1: null, ret5: null, ret15: null, ret60: null },
  ...{ mfe: null, mae: null, isWin35: null, ruggedAtMs: null },
} as const

export const unscored = (post: ScoredPost, reason: UnscoredReason, isAsked = false): CallScored => ({
  ...post,
  unscored: reason,
  ...nothingMeasured,
  isAsked,
})

type Measuring = Anchor & Readonly<{ pulledAtMs: EpochMs | null }>

function measured(
  { markets, rules }: Context,
  post: ScoredPost,
  { market, atMs, px: anchorPx, pulledAtMs }: Measuring,
): CallScored {
  // A price is stored under the whole second that follows it. In the second in which the liquidity was
  // removed, the price is 0, so this second is left out.
  const window = { fromMs: atMs, toMs: pulledAtMs === null ? atMs + rules.scoreMs : secondOf(pulledAtMs) - 1 }
  const prices = pricesIn(markets, market, window).map(({ px }) => px)
  const retAfter = (minutes: number): number | null => {
    const markAtMs = atMs + minutes * minuteMs
    if (pulledAtMs !== null && pulledAtMs <= markAtMs) return -1
    const px = priceAt(markets, market, markAtMs)
    return px === null ? null : px / anchorPx - 1
  }
  return {
    ...post,
    unscored: null,
    market,
    anchorAtMs: atMs,
    anchorPx,
    ...{ ret1: retAfter(1), ret5: retAfter(5), ret15: retAfter(15), ret60: retAfter(60) },
    ...extremesOf(pulledAtMs === null ? prices : [...prices, 0], anchorPx, rules.hits),
    ...{ ruggedAtMs: pulledAtMs, isAsked: false },
  }
}

/**
 * Returns the highest and the lowest return (`mfe`, `mae`), and whether the call wins. The first price counts
 * as a price with return 0, so `mfe` is at least 0 and `mae` at most 0.
 */
export function extremesOf(
  prices: readonly number[],
  anchorPx: number,
  { winRet, lossRet }: CallRules['hits'],
): Pick<CallScored, 'mfe' | 'mae' | 'isWin35'> {
  let [high, low] = [anchorPx, anchorPx]
  let isWin35: boolean | null = null
  for (const px of prices) {
    if (px > high) high = px
    if (px < low) low = px
    if (px <= (1 + lossRet) * anchorPx) isWin35 ??= false
    else if (px >= (1 + winRet) * anchorPx) isWin35 ??= true
  }
  return { mfe: high / anchorPx - 1, mae: low / anchorPx - 1, isWin35: isWin35 ?? false }
}
