/** The 48 hours after a token was first posted: who posted it, and what became of its price. */
import type { Call, CallStage } from '../../schemas/calls/derived.ts'
import { type Mentioned, type PriceAnswered, tooOld } from '../../schemas/calls/facts.ts'
import { callRules } from '../../schemas/calls/rules.ts'
import type { Hex } from '../../schemas/units.ts'
import type { Quote } from './prices.ts'
import { deadAt, failed, nextMark, sampleCount, shownOf, unknown } from './samples.ts'
import { stageOf } from './stage.ts'
import type { Watching, WatchRecord, WatchStep } from './watching.ts'

const { anchorDelayMs, anchorLimitMs, sampleEveryMs, watchMs } = callRules
const secondMs = 1_000

type Chat = Call['chats'][number]

export type Watch = {
  readonly token: string
  readonly calledAtMs: number
  readonly firstSeenAtMs: number
  readonly isLate: boolean
  /** By their first post. A call shows them at every sample, so they are replaced, never changed. */
  chats: readonly Chat[]
  recalls: number
  anchor: Call['anchor']
  stage: CallStage | null
  triggered: Readonly<{ tier: string; atMs: number }> | null
  /** Where a price is read when the stage no longer tracks the token. Null: nothing is known of it. */
  market: Hex | null
  samples: number[]
  /** Samples that were due when it was found dead. Null: it lives. */
  deadCount: number | null
}

/** Real calls come nowhere near. Chats and posters beyond are not listed; their posts count in `recalls`. */
export const watchLimits = { chatsMax: 200, postersMax: 400 } as const

export const watching: Watching<Watch> = {
  open(token, mention, quote) {
    const { postedAtMs: calledAtMs, seenAtMs: firstSeenAtMs, isLate } = mention
    const watch: Watch = {
      ...{ token, calledAtMs, firstSeenAtMs, isLate, chats: [], recalls: 0 },
      ...{ anchor: null, stage: null, triggered: null, market: null, samples: [], deadCount: null },
    }
    addPost(watch, mention)
    if (quote) learn(watch, quote, calledAtMs)
    const call: WatchRecord = { type: 'Call', data: { ...callOf(watch), isFirst: true } }
    const records = quote ? [call] : [call, questionOf(watch, calledAtMs)]
    return { watch, step: { records, wakeAtMs: [calledAtMs + anchorDelayMs, instantOf(watch, 1)] } }
  },
  onMention(watch, mention) {
    addPost(watch, mention)
    watch.recalls++
    return changed(watch)
  },
  marketOf: ({ anchor, market }) => anchor && market,
  onSample(watch, dueAtMs, quote) {
    const sinceMs = dueAtMs - watch.calledAtMs
    return sinceMs <= anchorLimitMs ? seekAnchor(watch, dueAtMs, quote) : sample(watch, dueAtMs, quote)
  },
  onPrice(watch, answer) {
    const count = countOf(watch, answer)
    if (count === null || answer.failure === tooOld || watch.deadCount !== null) return nothing
    const price = answer.price !== null && answer.price.px > 0 ? answer.price : null
    const hadAnchor = watch.anchor !== null
    // The answer to the first two questions is what an untracked token was worth at the call.
    if (!hadAnchor && price !== null && count <= 1) {
      const { px, source, mcapUsd } = price
      watch.anchor = { atMs: instantOf(watch, count), px, mcapUsd, mcapCoin: null, source, market: null, isAsked: true }
    }
    if (watch.anchor === null || count === 0) return hadAnchor === (watch.anchor !== null) ? nothing : changed(watch)
    watch.samples[count - 1] = price !== null && isOneFamily(price, watch.anchor) ? price.px : failed
    watch.deadCount = deadAt(watch.samples)
    return watch.samples[count - 1] === failed && watch.deadCount === null ? nothing : changed(watch)
  },
  onBurst(watch, tier, atMs) {
    const { calledAtMs, triggered } = watch
    if (atMs <= calledAtMs || atMs > calledAtMs + watchMs || (triggered && triggered.atMs <= atMs)) return nothing
    watch.triggered = { tier, atMs }
    return changed(watch)
  },
}

const nothing: WatchStep = { records: [], wakeAtMs: [] }

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

/** What a price of the stage says beside the price. */
function learn(watch: Watch, quote: Quote, atMs: number): void {
  watch.market = quote.market
  watch.stage ??= stageOf(quote, atMs)
}

/** The price in force a few seconds after the post; where there is none, the first one of the next seconds. */
function seekAnchor(watch: Watch, dueAtMs: number, quote: Quote | null): WatchStep {
  if (watch.anchor !== null) return nothing
  if (quote === null) {
    const nextAtMs = dueAtMs + secondMs
    return nextAtMs <= watch.calledAtMs + anchorLimitMs ? { records: [], wakeAtMs: [nextAtMs] } : nothing
  }
  const { px, source, market, supplyRaw } = quote
  learn(watch, quote, dueAtMs)
  const mcapCoin = supplyRaw === null ? null : px * supplyRaw
  watch.anchor = { atMs: dueAtMs, px, mcapUsd: null, mcapCoin, source, market, isAsked: false }
  return changed(watch)
}

function sample(watch: Watch, dueAtMs: number, quote: Quote | null): WatchStep {
  const { samples, deadCount, anchor } = watch
  const count = Math.round((dueAtMs - watch.calledAtMs) / sampleEveryMs)
  while (samples.length < count) samples.push(deadCount === null ? unknown : failed)
  const nextCount = deadCount === null ? count + 1 : nextMark(count)
  const wakeAtMs = count < sampleCount ? [instantOf(watch, nextCount)] : []
  const isAsked = quote === null || anchor?.source === 'aggregator'
  // Without a price at the call there are no returns. One that was still asked for may come later.
  const isOver = deadCount !== null || (anchor === null && (count > 1 || quote !== null))
  if (!isOver && !isAsked) {
    samples[count - 1] = quote.px
    watch.market = quote.market
    return { ...changed(watch), wakeAtMs }
  }
  const isDue = count === sampleCount || (deadCount !== null && nextMark(count - 1) === count)
  const records = [...(isDue ? changed(watch).records : []), ...(isOver ? [] : [questionOf(watch, dueAtMs)])]
  return { records, wakeAtMs }
}

/** A watch whose anchor came from outside is read there, wherever the token trades now. */
function questionOf(watch: Watch, atMs: number): WatchRecord {
  const market = watch.anchor?.source === 'aggregator' ? null : watch.market
  const isAtPost = atMs === watch.calledAtMs
  return { type: 'PriceAsked', data: { questionId: `${watch.token}:${atMs}`, revision: 0, atMs, market, isAtPost } }
}

/** Which of the watch’s open questions this answers: 0, the one at the call, or the number of the sample. Null: none. */
function countOf(watch: Watch, { questionId }: PriceAnswered): number | null {
  const colon = questionId.lastIndexOf(':')
  if (questionId.slice(0, colon) !== watch.token) return null
  const count = (Number(questionId.slice(colon + 1)) - watch.calledAtMs) / sampleEveryMs
  return count === 0 || watch.samples[count - 1] === unknown ? count : null
}

type Source = NonNullable<Call['anchor']>['source']

/** Prices of the chain are in its coin, those of an aggregator in USD: a return needs two of one kind. */
const isOneFamily = (one: Readonly<{ source: Source }>, other: Readonly<{ source: Source }>): boolean =>
  (one.source === 'aggregator') === (other.source === 'aggregator')

function callOf(watch: Watch): Call {
  const { anchor, samples, deadCount } = watch
  const shown = shownOf(anchor === null ? [] : samples, anchor?.px ?? 1, deadCount)
  return {
    calledAtMs: watch.calledAtMs,
    firstSeenAtMs: watch.firstSeenAtMs,
    isLate: watch.isLate,
    hasCode: null,
    isFirst: false,
    chats: watch.chats,
    recalls: watch.recalls,
    anchor,
    stage: watch.stage,
    triggered: watch.triggered?.tier ?? null,
    lastSampleAtMs: shown.lastCount && instantOf(watch, shown.lastCount),
    lastRet: shown.lastRet,
    ret1h: shown.ret1h,
    ret4h: shown.ret4h,
    ret12h: shown.ret12h,
    ret24h: shown.ret24h,
    ret48h: shown.ret48h,
    maxRet: shown.maxRet,
    maxAtMs: shown.maxCount && instantOf(watch, shown.maxCount),
    dipBeforeMax: shown.dipBeforeMax,
    ruggedAtMs: null,
    isDead: deadCount !== null,
    isDone: samples.length >= sampleCount,
  }
}
