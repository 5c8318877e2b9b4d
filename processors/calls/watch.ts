/**
 * The 48 hours after a token was first posted: who posted it, and what became of its price. The book keeps the order of things;
 * the watch counts posts and samples. It is plain data, and its functions change it in place.
 */
import type { Call, CallStage, PriceAsked } from '../../schemas/calls/derived.ts'
import type { Mentioned, PriceAnswered } from '../../schemas/calls/facts.ts'
import { callRules } from '../../schemas/calls/rules.ts'
import type { Hex } from '../../schemas/units.ts'
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
  sampleCount,
  shownOf,
  unknown,
  worthless,
} from './samples.ts'
import { stageOf } from './stage.ts'

const { anchorDelayMs, anchorLimitMs, askedAnchorMs, askedSampleMs, rugLeftMax, sampleEveryMs, watchMs } = callRules
const secondMs = 1_000

export type WatchRecord = Readonly<{ type: 'Call'; data: Call }> | Readonly<{ type: 'PriceAsked'; data: PriceAsked }>

/** What a step of the watch asks for: records to emit, in order, and instants to be called at (`takeSample`). They may be past. */
export type WatchStep = Readonly<{ records: readonly WatchRecord[]; wakeAtMs: readonly number[] }>

type Chat = Call['chats'][number]

export type Watch = {
  readonly token: string
  readonly calledAtMs: number
  readonly firstSeenAtMs: number
  readonly isLate: boolean
  readonly hasCode: boolean | null
  readonly isFollowed: boolean
  /** By their first post. A call shows them at every sample, so they are replaced, never changed. */
  chats: readonly Chat[]
  recalls: number
  anchor: Call['anchor']
  stage: CallStage | null
  triggered: Readonly<{ tier: string; atMs: number }> | null
  /** Where a price is read when no followed market has one. Null: nothing is known of it. */
  market: Hex | null
  /** What the call was anchored on, as it stands now. Null: it was anchored on no market of the log. */
  held: Holding | null
  ruggedAtMs: number | null
  samples: number[]
}

/** Real calls come nowhere near. Chats and posters beyond are not listed; their posts count in `recalls`. */
export const watchLimits = { chatsMax: 200, postersMax: 400 } as const

const nothing: WatchStep = { records: [], wakeAtMs: [] }

/** Begins a watch with a call that no watch covers, once block time has passed the post. */
export function openWatch(
  token: string,
  mention: Mentioned,
  markets: Markets,
): Readonly<{ watch: Watch; step: WatchStep }> {
  const { postedAtMs: calledAtMs, seenAtMs: firstSeenAtMs, isLate, hasCode, isFollowed } = mention
  const watch: Watch = {
    ...{
      token,
      calledAtMs,
      firstSeenAtMs,
      isLate,
      hasCode,
      isFollowed,
      chats: [],
      recalls: 0,
      anchor: null,
      stage: null,
    },
    ...{ triggered: null, market: null, held: null, ruggedAtMs: null, samples: [] },
  }
  addPost(watch, mention)
  const quote = quoteForCall(markets, calledAtMs, mention)
  if (quote) learn(watch, quote, calledAtMs)
  // A market that is not followed is asked at the node.
  else watch.market = deepestAt(markets, calledAtMs)?.market ?? null
  const call: WatchRecord = { type: 'Call', data: { ...callOf(watch), isFirst: true } }
  if (hasCode === false) return { watch, step: { records: [call], wakeAtMs: [] } }
  const records = quote ? [call] : [call, priceAsked(watch, calledAtMs)]
  return { watch, step: { records, wakeAtMs: [calledAtMs + anchorDelayMs, instantOf(watch, 1)] } }
}

/** A further post within the watch, of any kind and any instant, each once. */
export function takePost(watch: Watch, mention: Mentioned): WatchStep {
  addPost(watch, mention)
  watch.recalls++
  return changed(watch)
}

/** Block time has passed an instant that a step asked for. */
export function takeSample(watch: Watch, dueAtMs: number, markets: Markets): WatchStep {
  const sinceMs = dueAtMs - watch.calledAtMs
  return sinceMs <= anchorLimitMs ? seekAnchor(watch, dueAtMs, markets) : sample(watch, dueAtMs, markets)
}

/** Any answer for the token: it may be to another’s question, or to one of a branch that a reorg left. */
export function takePrice(watch: Watch, answer: PriceAnswered): WatchStep {
  const count = countOf(watch, answer)
  if (count === null) return nothing
  return count === 0 ? takeAskedAnchor(watch, answer) : takeAskedSample(watch, count, answer)
}

/** A burst after the first post. It may have happened before the post was known. */
export function takeBurst(watch: Watch, tier: string, atMs: number): WatchStep {
  const { calledAtMs, triggered } = watch
  if (atMs <= calledAtMs || atMs > calledAtMs + watchMs || (triggered && triggered.atMs <= atMs)) return nothing
  watch.triggered = { tier, atMs }
  return changed(watch)
}

/** A move of one of the token’s markets: that of the anchor may be pulled, or go on in another. */
export function takeMove(watch: Watch, move: Move, markets: Markets): WatchStep {
  const { held, ruggedAtMs } = watch
  if (held === null || held.market !== move.market || ruggedAtMs !== null) return nothing
  if (move.type === 'closed' && move.next !== null) return goOn(watch, { ...move, next: move.next }, markets)
  return move.type === 'liquidity' ? takeLeft(watch, held.left, move) : nothing
}

/** In the market that takes the place of the anchor’s. It may have been pulled in the same block. */
function goOn(watch: Watch, { next, atMs }: Readonly<{ next: Hex; atMs: number }>, markets: Markets): WatchStep {
  const line = lineOf(markets, next)
  const before = line ? leftAt(line, atMs - 1) : 1
  watch.held = { market: next, left: before }
  return line ? takeLeft(watch, before, { left: leftNow(line), atMs }) : nothing
}

function takeLeft(watch: Watch, before: number, { left, atMs }: Readonly<{ left: number; atMs: number }>): WatchStep {
  if (atMs > watch.calledAtMs + watchMs || !isPulled(before, left, rugLeftMax)) return nothing
  watch.ruggedAtMs = atMs
  return changed(watch)
}

const instantOf = ({ calledAtMs }: Watch, count: number): number => calledAtMs + count * sampleEveryMs

const changed = (watch: Watch): WatchStep => ({ records: [{ type: 'Call', data: callOf(watch) }], wakeAtMs: [] })

function addPost(watch: Watch, { chat, chatName, poster, postedAtMs }: Mentioned): void {
  const known = watch.chats.find((each) => each.chat === chat)
  if (known === undefined && watch.chats.length >= watchLimits.chatsMax) return
  const before: Chat = known ?? { chat, chatName, firstAtMs: postedAtMs, posts: 0, posters: [] }
  const listed = watch.chats.reduce((sum, { posters }) => sum + posters.length, 0)
  const isListed = before.posters.includes(poster) || listed >= watchLimits.postersMax
  const after: Chat = {
    ...before,
    firstAtMs: Math.min(before.firstAtMs, postedAtMs),
    posts: before.posts + 1,
    posters: isListed ? before.posters : [...before.posters, poster],
  }
  watch.chats = [...watch.chats.filter((each) => each !== known), after].sort(
    (one, other) => one.firstAtMs - other.firstAtMs || (one.chat < other.chat ? -1 : 1),
  )
}

/** What a price of the log says beside the price. */
function learn(watch: Watch, quote: Quote, atMs: number): void {
  watch.market = quote.market
  watch.stage ??= stageOf(quote, atMs)
}

/** The price in force a few seconds after the post; where there is none, the first one of the next seconds. */
function seekAnchor(watch: Watch, dueAtMs: number, markets: Markets): WatchStep {
  const { calledAtMs, isFollowed } = watch
  if (watch.anchor !== null) return nothing
  const quote = quoteForCall(markets, dueAtMs, { postedAtMs: calledAtMs, isFollowed })
  if (quote === null) {
    const nextAtMs = dueAtMs + secondMs
    return nextAtMs <= calledAtMs + anchorLimitMs ? { records: [], wakeAtMs: [nextAtMs] } : nothing
  }
  const { px, source, market, supplyRaw } = quote
  learn(watch, quote, dueAtMs)
  const mcapCoin = supplyRaw === null ? null : px * supplyRaw
  watch.anchor = { atMs: dueAtMs, px, mcapUsd: null, mcapCoin, source, market, isAsked: false }
  // The post may have become known long after it.
  watch.ruggedAtMs = pulledIn(markets, market, { fromMs: dueAtMs, toMs: calledAtMs + watchMs })
  watch.held = holdingOf(markets, market, dueAtMs)
  return changed(watch)
}

/** Later it would be a price that knows what the post did. */
function takeAskedAnchor(watch: Watch, { price, answeredAtMs }: PriceAnswered): WatchStep {
  if (watch.anchor !== null || price === null || answeredAtMs - watch.calledAtMs > askedAnchorMs) return nothing
  const { px, source, mcapUsd } = price
  watch.anchor = { atMs: answeredAtMs, px, mcapUsd, mcapCoin: null, source, market: null, isAsked: true }
  return changed(watch)
}

function sample(watch: Watch, dueAtMs: number, markets: Markets): WatchStep {
  const { samples, anchor } = watch
  const count = Math.round((dueAtMs - watch.calledAtMs) / sampleEveryMs)
  const isRugged = watch.ruggedAtMs !== null && dueAtMs >= watch.ruggedAtMs
  while (samples.length < count) samples.push(isRugged ? worthless : unknown)
  const wakeAtMs = count < sampleCount ? [instantOf(watch, nextCount(watch, count, isRugged))] : []
  if (isRugged || anchor === null)
    return isMark(count) || count === sampleCount ? { ...changed(watch), wakeAtMs } : { records: [], wakeAtMs }
  const quote = anchor.isAsked || watch.market === null ? null : quoteOn(markets, watch.market, dueAtMs)
  if (quote !== null) {
    samples[count - 1] = quote.px
    watch.market = quote.market
    return { ...changed(watch), wakeAtMs }
  }
  // Its death may have become known since this sample was awaited.
  if (!isDueOf(samples, count)) return { records: [], wakeAtMs }
  // A return that is due is told as far as it is known; an answer tells it again.
  const records = isMark(count) ? changed(watch).records : []
  return { records: [...records, priceAsked(watch, dueAtMs)], wakeAtMs }
}

function nextCount({ samples }: Watch, count: number, isRugged: boolean): number {
  if (isRugged) return nextMark(count)
  return isDead(samples) ? nextOfDead(count) : count + 1
}

function takeAskedSample(watch: Watch, count: number, { price, isWithoutPrice }: PriceAnswered): WatchStep {
  const { samples, anchor } = watch
  if (anchor === null || (price === null && !isWithoutPrice) || !isDueOf(samples, count)) return nothing
  const wasDead = isDead(samples)
  samples[count - 1] = price !== null && isOneFamily(price, anchor) ? price.px : failed
  const isNowDead = isDead(samples)
  // A token that lives again is read every ten minutes again.
  const wakeAtMs = wasDead && !isNowDead && samples.length < sampleCount ? [instantOf(watch, samples.length + 1)] : []
  const isNews = samples[count - 1] !== failed || wasDead !== isNowDead
  return { records: isNews ? changed(watch).records : [], wakeAtMs }
}

function priceAsked({ token, calledAtMs, anchor, market }: Watch, atMs: number): WatchRecord {
  const asking = {
    token,
    source: anchor?.source ?? null,
    market,
    usefulMs: atMs === calledAtMs ? askedAnchorMs : askedSampleMs,
  }
  return { type: 'PriceAsked', data: priceQuestion(asking, atMs) }
}

/** Which of the watch’s open questions this answers: 0, the one at the call, or the number of the sample. Null: none. */
function countOf(watch: Watch, { questionId }: PriceAnswered): number | null {
  const atMs = askedAtMs(questionId, watch.token)
  if (atMs === null) return null
  const count = (atMs - watch.calledAtMs) / sampleEveryMs
  return count === 0 || watch.samples[count - 1] === unknown ? count : null
}

function callOf(watch: Watch): Call {
  const { anchor, samples, ruggedAtMs } = watch
  const seen: Samples = anchor === null ? [] : samples
  const shown = shownOf(seen, anchor?.px ?? 1)
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
    lastSampleAtMs: shown.lastCount && instantOf(watch, shown.lastCount),
    lastRet: ruggedAtMs === null ? shown.lastRet : -1,
    ret1h: shown.ret1h,
    ret4h: shown.ret4h,
    ret12h: shown.ret12h,
    ret24h: shown.ret24h,
    ret48h: shown.ret48h,
    maxRet: shown.maxRet,
    maxAtMs: shown.maxCount && instantOf(watch, shown.maxCount),
    dipBeforeMax: shown.dipBeforeMax,
    ruggedAtMs,
    isDead: shown.isDead,
    isDone: samples.length >= sampleCount,
  }
}
