/**
 * Observes a token for 48 hours after a post that recommends it: collects further posts and samples the
 * price. A watch is plain data, which is changed in place.
 */
import type { Call, CallStage, PriceAsked } from '../../schemas/calls/derived.ts'
import type { Mentioned, PriceAnswered } from '../../schemas/calls/facts.ts'
import { type EpochMs, type MarketId, secondMs } from '../../schemas/units.ts'
import {
  deepestAt,
  type Holding,
  holdingOf,
  leftAt,
  leftNow,
  lineOf,
  type Markets,
  pulledIn,
} from '../markets/markets.ts'
import { isPulled, type Move } from '../markets/move.ts'
import type { Quote } from '../markets/prices.ts'
import { chatsWith } from './chats.ts'
import type { Burst } from './dependencies.ts'
import { askedAtMs, isOneFamily, priceQuestion } from './question.ts'
import { quoteForCall, quoteOn } from './quote.ts'
import {
  failed,
  isDead,
  isDueOf,
  isMark,
  nextMark,
  nextOfDead,
  type Samples,
  type Sampling,
  shownOf,
  unknown,
  type WatchRules,
  worthless,
} from './samples.ts'
import { stageOf } from './stage.ts'

/** The markets of the token in their current state, and the rules. */
type Context = Readonly<{ markets: Markets; rules: WatchRules }>

export type WatchRecord = Readonly<{ type: 'Call'; data: Call }> | Readonly<{ type: 'PriceAsked'; data: PriceAsked }>

/** The result of a step: records to emit, in order, and times for `takeSample`, perhaps in the past. */
export type WatchStep = Readonly<{ records: readonly WatchRecord[]; wakeAtMs: readonly EpochMs[] }>

export type Watch = {
  readonly token: string
  readonly calledAtMs: EpochMs
  readonly firstSeenAtMs: EpochMs
  readonly isLate: boolean
  readonly hasCode: boolean | null
  readonly isFollowed: boolean
  /**
   * The chats that posted about the token, ordered by their first post. Emitted records refer to this list,
   * so the list is replaced and never changed in place.
   */
  chats: Call['chats']
  recalls: number
  anchor: Call['anchor']
  stage: CallStage | null
  triggered: Readonly<{ tier: string; atMs: EpochMs }> | null
  /** The market from which prices are read. Null: no market of the token is known. */
  market: MarketId | null
  /** The market of `anchor`, or the one that replaced it. Null: `anchor` is unset or was looked up. */
  held: Holding | null
  ruggedAtMs: EpochMs | null
  samples: number[]
}

const nothing: WatchStep = { records: [], wakeAtMs: [] }

/** Opens a 48-hour observation of a token. The blocks up to the time of the post must be processed. */
export function openWatch(
  token: string,
  mention: Mentioned,
  { markets, rules }: Context,
): Readonly<{ watch: Watch; step: WatchStep }> {
  const { postedAtMs: calledAtMs, seenAtMs: firstSeenAtMs, isLate, hasCode, isFollowed } = mention
  const watch: Watch = {
    token,
    ...{ calledAtMs, firstSeenAtMs, isLate, hasCode, isFollowed, chats: [], recalls: 0, anchor: null, stage: null },
    ...{ triggered: null, market: null, held: null, ruggedAtMs: null, samples: [] },
  }
  watch.chats = chatsWith(watch.chats, mention)
  const quote = quoteForCall(markets, calledAtMs, mention)
  if (quote) learn(watch, quote, calledAtMs)
  // If no recorded market has a price, a lookup reads the price of this market at the node.
  else watch.market = deepestAt(markets, calledAtMs)?.market ?? null
  const call: WatchRecord = { type: 'Call', data: { ...callOf(watch, rules), isFirst: true } }
  if (hasCode === false) return { watch, step: { records: [call], wakeAtMs: [] } }
  const records = quote ? [call] : [call, priceAsked(watch, calledAtMs, rules)]
  return { watch, step: { records, wakeAtMs: [calledAtMs + rules.anchorDelayMs, instantOf(watch, 1, rules)] } }
}

/** Adds a further post about the token, of any kind and time. The caller must have removed duplicates. */
export function takePost(watch: Watch, mention: Mentioned, rules: WatchRules): WatchStep {
  watch.chats = chatsWith(watch.chats, mention)
  watch.recalls++
  return changed(watch, rules)
}

/** Handles one of the times in `wakeAtMs`. The blocks up to `dueAtMs` must have been processed. */
export function takeSample(watch: Watch, dueAtMs: EpochMs, context: Context): WatchStep {
  const sinceMs = dueAtMs - watch.calledAtMs
  return sinceMs <= context.rules.anchorLimitMs ? seekAnchor(watch, dueAtMs, context) : sample(watch, dueAtMs, context)
}

/** Stores a looked-up price. It is ignored if the observation has not requested it or already has it. */
export function takePrice(watch: Watch, answer: PriceAnswered, rules: WatchRules): WatchStep {
  const count = countOf(watch, answer, rules)
  if (count === null) return nothing
  return count === 0 ? takeAskedAnchor(watch, answer, rules) : takeAskedSample(watch, { ...answer, count }, rules)
}

/** Notes a burst of purchases after the first post. The post may have been recorded only after the burst. */
export function takeBurst(watch: Watch, { tier, atMs }: Burst, rules: WatchRules): WatchStep {
  const { calledAtMs, triggered } = watch
  if (atMs <= calledAtMs || atMs > calledAtMs + rules.watchMs || (triggered && triggered.atMs <= atMs)) return nothing
  watch.triggered = { tier, atMs }
  return changed(watch, rules)
}

/** Handles a change of the market of `anchor`: another replaces it, or its liquidity is removed. */
export function takeMove(watch: Watch, move: Move, context: Context): WatchStep {
  const { held, ruggedAtMs } = watch
  if (held === null || held.market !== move.market || ruggedAtMs !== null) return nothing
  if (move.type === 'closed' && move.next !== null) return goOn(watch, { ...move, next: move.next }, context)
  return move.type === 'liquidity' ? takeLeft(watch, { ...move, before: held.left }, context.rules) : nothing
}

/** Continues on the replacing market. Its liquidity may have been removed in the same block. */
function goOn(watch: Watch, { next, atMs }: Readonly<{ next: MarketId; atMs: EpochMs }>, context: Context): WatchStep {
  const line = lineOf(context.markets, next)
  const before = line ? leftAt(line, atMs - 1) : 1
  watch.held = { market: next, left: before }
  return line ? takeLeft(watch, { before, left: leftNow(line), atMs }, context.rules) : nothing
}

type Left = Readonly<{ before: number; left: number; atMs: EpochMs }>

function takeLeft(watch: Watch, { before, left, atMs }: Left, rules: WatchRules): WatchStep {
  if (atMs > watch.calledAtMs + rules.watchMs || !isPulled(before, left, rules.rugLeftRatioMax)) return nothing
  watch.ruggedAtMs = atMs
  return changed(watch, rules)
}

const instantOf = ({ calledAtMs }: Watch, count: number, { sampleEveryMs }: WatchRules): EpochMs =>
  calledAtMs + count * sampleEveryMs

const changed = (watch: Watch, rules: WatchRules): WatchStep => ({
  records: [{ type: 'Call', data: callOf(watch, rules) }],
  wakeAtMs: [],
})

/** Stores the market with the price, and the `CallStage` (curve fill or pool age) if it is unknown. */
function learn(watch: Watch, quote: Quote, atMs: EpochMs): void {
  watch.market = quote.market
  watch.stage ??= stageOf(quote, atMs)
}

/** Makes the price at `dueAtMs` the anchor. Without a price, tries again each second for some time. */
function seekAnchor(watch: Watch, dueAtMs: EpochMs, { markets, rules }: Context): WatchStep {
  const { calledAtMs, isFollowed } = watch
  if (watch.anchor !== null) return nothing
  const quote = quoteForCall(markets, dueAtMs, { postedAtMs: calledAtMs, isFollowed })
  if (quote === null) {
    const nextAtMs = dueAtMs + secondMs
    return nextAtMs <= calledAtMs + rules.anchorLimitMs ? { records: [], wakeAtMs: [nextAtMs] } : nothing
  }
  const { px, source, market, supplyRaw } = quote
  learn(watch, quote, dueAtMs)
  const mcapCoin = supplyRaw === null ? null : px * supplyRaw
  watch.anchor = { atMs: dueAtMs, px, mcapUsd: null, mcapCoin, source, market, isAsked: false }
  // If the post was recorded late, the liquidity of the market may already be removed.
  const { watchMs, rugLeftRatioMax: leftMax } = rules
  watch.ruggedAtMs = pulledIn(markets, market, { fromMs: dueAtMs, toMs: calledAtMs + watchMs, leftMax })
  watch.held = holdingOf(markets, market, dueAtMs)
  return changed(watch, rules)
}

/** Makes a looked-up price the anchor, unless it was read so late that the post has affected it. */
function takeAskedAnchor(watch: Watch, { price, answeredAtMs }: PriceAnswered, rules: WatchRules): WatchStep {
  const lateMs = answeredAtMs - watch.calledAtMs
  if (watch.anchor !== null || price === null || lateMs > rules.askedAnchorMs) return nothing
  const { px, source, mcapUsd } = price
  watch.anchor = { atMs: answeredAtMs, px, mcapUsd, mcapCoin: null, source, market: null, isAsked: true }
  return changed(watch, rules)
}

function sample(watch: Watch, dueAtMs: EpochMs, { markets, rules }: Context): WatchStep {
  const { samples, anchor } = watch
  const { sampling } = rules
  const { sampleCount } = sampling
  const count = Math.round((dueAtMs - watch.calledAtMs) / sampling.sampleEveryMs)
  const isRugged = watch.ruggedAtMs !== null && dueAtMs >= watch.ruggedAtMs
  while (samples.length < count) samples.push(isRugged ? worthless : unknown)
  const wakeAtMs =
    count < sampleCount ? [instantOf(watch, nextCount(samples, { count, isRugged }, sampling), rules)] : []
  if (isRugged || anchor === null)
    return isMark(count, sampling) || count === sampleCount
      ? { ...changed(watch, rules), wakeAtMs }
      : { records: [], wakeAtMs }
  const quote = anchor.isAsked || watch.market === null ? null : quoteOn(markets, watch.market, dueAtMs)
  if (quote !== null) {
    samples[count - 1] = quote.px
    watch.market = quote.market
    return { ...changed(watch, rules), wakeAtMs }
  }
  // If the token died after this sample was scheduled, its price is sampled less often.
  if (!isDueOf(samples, count, sampling)) return { records: [], wakeAtMs }
  // The record `Call` is emitted now, and again when the looked-up price of this sample arrives.
  const records = isMark(count, sampling) ? changed(watch, rules).records : []
  return { records: [...records, priceAsked(watch, dueAtMs, rules)], wakeAtMs }
}

type Sampled = Readonly<{ count: number; isRugged: boolean }>

function nextCount(samples: Samples, { count, isRugged }: Sampled, sampling: Sampling): number {
  if (isRugged) return nextMark(count, sampling)
  return isDead(samples, sampling) ? nextOfDead(count, sampling) : count + 1
}

type CountedAnswer = Pick<PriceAnswered, 'price' | 'isWithoutPrice'> & Readonly<{ count: number }>

function takeAskedSample(watch: Watch, { count, price, isWithoutPrice }: CountedAnswer, rules: WatchRules): WatchStep {
  const { samples, anchor } = watch
  const { sampling } = rules
  if (anchor === null || (price === null && !isWithoutPrice) || !isDueOf(samples, count, sampling)) return nothing
  const wasDead = isDead(samples, sampling)
  samples[count - 1] = price !== null && isOneFamily(price, anchor) ? price.px : failed
  const isNowDead = isDead(samples, sampling)
  // A token that has a price again is sampled at every interval again.
  const isAlive = wasDead && !isNowDead && samples.length < sampling.sampleCount
  const wakeAtMs = isAlive ? [instantOf(watch, samples.length + 1, rules)] : []
  const isNews = samples[count - 1] !== failed || wasDead !== isNowDead
  return { records: isNews ? changed(watch, rules).records : [], wakeAtMs }
}

function priceAsked({ token, calledAtMs, anchor, market }: Watch, atMs: EpochMs, rules: WatchRules): WatchRecord {
  const question = {
    token,
    source: anchor?.source ?? null,
    market,
    usefulMs: atMs === calledAtMs ? rules.askedAnchorMs : rules.askedSampleMs,
  }
  return { type: 'PriceAsked', data: priceQuestion(question, atMs) }
}

/**
 * Returns the number of the sample that this looked-up price belongs to, or 0 for the price at the call.
 * Null: the price was not requested, or the sample already has a price.
 */
function countOf(watch: Watch, { questionId }: PriceAnswered, { sampleEveryMs }: WatchRules): number | null {
  const count = (askedAtMs(questionId) - watch.calledAtMs) / sampleEveryMs
  return count === 0 || watch.samples[count - 1] === unknown ? count : null
}

function callOf(watch: Watch, rules: WatchRules): Call {
  const { anchor, samples, ruggedAtMs } = watch
  const seen: Samples = anchor === null ? [] : samples
  const shown = shownOf(seen, anchor?.px ?? 1, rules.sampling)
  return {
    calledAtMs: watch.calledAtMs,
    firstSeenAtMs: watch.firstSeenAtMs,
    isLate: watch.isLate,
    hasCode: watch.hasCode,
    isFirst: false,
    chats: watch.chats,
    recalls: watch.recalls,
    anchor,
    stage: watch.stage,
    triggered: watch.triggered?.tier ?? null,
    lastSampleAtMs: shown.lastCount && instantOf(watch, shown.lastCount, rules),
    lastRet: ruggedAtMs === null ? shown.lastRet : -1,
    ret1h: shown.ret1h,
    ret4h: shown.ret4h,
    ret12h: shown.ret12h,
    ret24h: shown.ret24h,
    ret48h: shown.ret48h,
    maxRet: shown.maxRet,
    maxAtMs: shown.maxCount && instantOf(watch, shown.maxCount, rules),
    dipBeforeMax: shown.dipBeforeMax,
    ruggedAtMs,
    isDead: shown.isDead,
    isDone: samples.length >= rules.sampling.sampleCount,
  }
}
