/**
 * Computes the rows of a token's watches from its markets, posts and answers. A watch observes a called token
 * for 48 hours.
 */
import type { Mentioned, PriceAnswered } from '../../../../schemas/calls/facts.ts'
import {
  deepestAt,
  followedBy,
  hourMs,
  type Line,
  type Markets,
  marketsOf,
  pulledAtMs,
  pxFor,
  type Quote,
  secondOf,
  standing,
} from './lines.ts'
import { type Counted, chatsOf, type Post, seenUntilMs, tickAfter, watchesOf } from './posts.ts'
import type { CallRules } from './rules.ts'
import { type Reading, type Seen, shownOf } from './samples.ts'
import { scoreAsked, scoreOn, unscored } from './score.ts'

export type Answered = Readonly<{ tick: number; answer: PriceAnswered }>

type Burst = Readonly<{ tier: string; atMs: number }>

/** The input. `tickAtMs` are the block times of all ticks. */
export type Told = Readonly<{
  lines: readonly Line[]
  posts: readonly Post[]
  tickAtMs: readonly number[]
  /**
   * Returns the first answer to the request for the price at `atMs`, and the number of the tick in which the
   * answer counts. `askedIn` is the number of the tick in which the service made the request.
   */
  answerTo(atMs: number, askedIn: number): Answered | undefined
  rules: CallRules
  /** In order. */
  bursts?: readonly Burst[]
  /** Called with the name of each branch that the computation of a watch takes. */
  seen?: Seen
}>

/** Returns an `answerTo` that answers each request one tick after the request. */
export const nextTick =
  (tickAtMs: readonly number[], answerTo: (atMs: number) => PriceAnswered): Told['answerTo'] =>
  (atMs, askedIn) =>
    askedIn + 1 < tickAtMs.length ? { tick: askedIn + 1, answer: answerTo(atMs) } : undefined

/** Returns the markets of the token. They are followed as long as the calls of the token need them. */
export function keptMarkets({ lines, posts, rules }: Pick<Told, 'lines' | 'posts' | 'rules'>): Markets {
  const keeps = posts
    .filter(({ mention: { kind, isFollowed } }) => kind === 'call' && isFollowed)
    .map(({ mention }) => ({ knownAtMs: mention.answeredAtMs, untilMs: mention.postedAtMs + rules.keptMs }))
  return marketsOf(lines, keeps, rules.followLeadMs)
}

/** Returns the markets on which the call is measured. */
export const followedFor = (all: Markets, { answeredAtMs, postedAtMs, isFollowed }: Mentioned, { keptMs }: CallRules) =>
  followedBy(all, answeredAtMs, isFollowed ? null : postedAtMs + keptMs)

type Anchor = Readonly<{
  atMs: number
  px: number
  source: string
  market: string | null
  mcapUsd: number | null
  mcapCoin: number | null
  isAsked: boolean
}>

/** The rows at the last tick. */
export function rowsOf(told: Told) {
  const markets = keptMarkets(told)
  return watchesOf(told).map((posts) => rowOf(told, markets, posts))
}

function rowOf(told: Told, all: Markets, posts: readonly Counted[]) {
  const { rules, tickAtMs } = told
  const [first] = posts as readonly [Counted, ...Counted[]]
  const { postedAtMs: calledAtMs, seenAtMs: firstSeenAtMs, isLate, hasCode } = first.mention
  const lastMs = tickAtMs.at(-1) ?? 0
  const markets = followedFor(all, first.mention, rules)
  const watch = { told, markets, first, calledAtMs }
  const anchor = hasCode === false ? null : anchorOf(watch)
  const count = rules.watchMs / rules.sampleEveryMs
  const dueCount = Math.min(count, Math.max(0, Math.ceil((lastMs - calledAtMs) / rules.sampleEveryMs) - 1))
  const ruggedAtMs = anchor?.market ? pulledIn(watch, { market: anchor.market, atMs: anchor.atMs }) : null
  const ruggedFrom = ruggedAtMs === null ? null : Math.ceil((ruggedAtMs - calledAtMs) / rules.sampleEveryMs)
  const watched = {
    ...{ calledAtMs, anchorPx: anchor?.px ?? null, dueCount, ruggedFrom, isRugged: ruggedAtMs !== null, rules },
    readingOf: (each: number) => readingOf(watch, anchor as Anchor, calledAtMs + each * rules.sampleEveryMs),
  }
  const shown = shownOf(watched, told.seen)
  return {
    ...{ calledAtMs, firstSeenAtMs, isLate, hasCode, recalls: posts.length - 1, anchor, ruggedAtMs },
    ...{ stage: stageOf(watch, anchor), triggered: triggeredOf(watch) },
    ...{ chats: chatsOf(posts.map(({ mention }) => mention)), ...shown },
    isDone: dueCount === count,
  }
}

/**
 * Returns the time from which the service still has prices and bursts in memory when the post counts. If a
 * market is quiet, its older prices are kept for longer.
 */
export function keptFromMs({ lines, tickAtMs, rules }: Told, post: Counted): number {
  const untilMs = seenUntilMs(tickAtMs, post)
  const newestMs = Math.max(...lines.map(({ prices }) => secondOf(standing(prices, secondOf(untilMs))?.atMs ?? 0)))
  return newestMs - rules.pathMs
}

/**
 * Returns the price at `atMs`. Returns null if there was no price, or if the price is no longer kept when the
 * post counts.
 */
const quoteFor = ({ told, markets, first }: Watch, atMs: number): Quote | null =>
  atMs < keptFromMs(told, first) ? null : deepestAt(markets, atMs)

/**
 * Returns the tier of the first burst after the post. A burst before the post counted is found only if it was
 * still kept at that time.
 */
function triggeredOf({ told: { bursts = [], rules, tickAtMs }, first, calledAtMs }: Watch): string | null {
  const fromMs = Math.max(calledAtMs, seenUntilMs(tickAtMs, first) - rules.pathMs)
  return bursts.find(({ atMs }) => atMs > fromMs && atMs <= calledAtMs + rules.watchMs)?.tier ?? null
}

type Watch = Readonly<{ told: Told; markets: Markets; first: Counted; calledAtMs: number }>

function pulledIn({ told, markets, calledAtMs }: Watch, anchor: Readonly<{ market: string; atMs: number }>) {
  const { rules, tickAtMs } = told
  const pulledMs = pulledAtMs(markets, anchor, rules.rugLeftMax)
  const untilMs = Math.min(calledAtMs + rules.watchMs, tickAtMs.at(-1) ?? 0)
  return pulledMs !== null && pulledMs <= untilMs ? pulledMs : null
}

/**
 * Returns the answer to the request for the price at `atMs`. The service makes the request in the first tick
 * after `atMs`, but not before the post counts.
 */
function answerIn({ told: { tickAtMs, answerTo }, first }: Watch, atMs: number): Answered | undefined {
  const askedIn = Math.max(first.tick, tickAfter(tickAtMs, atMs))
  return askedIn < tickAtMs.length ? answerTo(atMs, askedIn) : undefined
}

/**
 * Returns the anchor: the price from which returns are measured. It comes from the log or from an answer of a
 * price provider. If both come in one tick, the price from the log is used, because timers run before
 * answers.
 */
function anchorOf(watch: Watch): Anchor | null {
  const { told, first, calledAtMs } = watch
  const { rules, tickAtMs } = told
  const asked = quoteFor(watch, calledAtMs) === null ? answerIn(watch, calledAtMs) : undefined
  const price = asked?.answer.price
  const answeredAtMs = asked?.answer.answeredAtMs ?? 0
  const isInTime = price != null && price.px > 0 && answeredAtMs - calledAtMs <= rules.askedAnchorMs
  const untilMs = calledAtMs + rules.anchorLimitMs
  for (let atMs = calledAtMs + rules.anchorDelayMs; atMs <= untilMs; atMs += 1000) {
    const tick = Math.max(first.tick, tickAfter(tickAtMs, atMs))
    if (tick >= tickAtMs.length || (isInTime && tick > (asked?.tick ?? 0))) break
    const quote = quoteFor(watch, atMs)
    if (quote === null) continue
    const { px, line } = quote
    const mcapCoin = line.supplyRaw === null ? null : px * line.supplyRaw
    return { atMs, px, source: line.source, market: line.market, mcapUsd: null, mcapCoin, isAsked: false }
  }
  if (!isInTime || price == null) return null
  const { px, source, mcapUsd } = price
  return { atMs: answeredAtMs, px, source, market: null, mcapUsd, mcapCoin: null, isAsked: true }
}

function readingOf(watch: Watch, anchor: Anchor, atMs: number): Reading {
  const px = anchor.market === null ? null : pxFor(watch.markets, { market: anchor.market, ruggedAtMs: null }, atMs)
  if (px !== null) return px
  const answered = answerIn(watch, atMs)
  if (answered === undefined) return 'unknown'
  const { price, isWithoutPrice } = answered.answer
  if (price === null || price.px <= 0) return isWithoutPrice ? 'failed' : 'unknown'
  return (price.source === 'aggregator') === (anchor.source === 'aggregator') ? price.px : 'failed'
}

/**
 * Returns the stage of the market at the time of the post. If the token had no price then, the stage is that
 * at the time of the anchor.
 */
function stageOf(watch: Watch, anchor: Anchor | null): string | null {
  const { calledAtMs } = watch
  const atMs = quoteFor(watch, calledAtMs) ? calledAtMs : anchor?.market ? anchor.atMs : null
  const quote = atMs === null ? null : quoteFor(watch, atMs)
  if (quote === null || atMs === null) return null
  const { line, fill } = quote
  const ageMs = line.openedAtMs === null ? null : atMs - line.openedAtMs
  return line.source === 'curve' ? nameIn(curveStages, fill) : nameIn(poolStages, ageMs)
}

const curveStages = [
  [0.55, 'curve_55_100'],
  [0.25, 'curve_25_55'],
  [Number.NEGATIVE_INFINITY, 'curve_0_25'],
] as const
const poolStages = [
  [24 * hourMs, 'pool_over_24h'],
  [6 * hourMs, 'pool_6_24h'],
  [hourMs, 'pool_1_6h'],
  [Number.NEGATIVE_INFINITY, 'pool_under_1h'],
] as const

const nameIn = (stages: readonly (readonly [from: number, name: string])[], value: number | null): string | null =>
  value === null ? null : (stages.find(([from]) => value >= from)?.[1] ?? null)

/** Returns each caller’s first call of a watch, with its score. */
export function scoresOf(told: Told) {
  const markets = keptMarkets(told)
  return watchesOf(told).flatMap((posts) => {
    const open: Awaiting[] = []
    const callers = new Set<string>()
    return posts.flatMap((post) => {
      const { chat, poster, kind, hasCode } = post.mention
      if (kind !== 'call' || callers.has(`${chat}:${poster}`)) return []
      callers.add(`${chat}:${poster}`)
      return hasCode === false
        ? []
        : [{ mention: post.mention, tick: post.tick, ...scoreOf(told, markets, { post, open }) }]
    })
  })
}

/**
 * A score that is computed from answers. `answered` gives the tick in which the price at the post came in
 * time, and the end of the score's hour.
 */
type Awaiting = Readonly<{ postedAtMs: number; answered: Readonly<{ tick: number; untilMs: number }> | null }>

/**
 * Returns true if a score was still open when `other` counted. A score is open while its price at the post
 * can still come, and then until its hour is over.
 */
const isAwaiting = ({ postedAtMs, answered }: Awaiting, other: Counted, rules: CallRules): boolean =>
  answered !== null && answered.tick < other.tick
    ? other.mention.postedAtMs < answered.untilMs
    : other.mention.postedAtMs - postedAtMs <= rules.askedAnchorMs

/** Computes the score of a call. `open` are the scores of earlier calls that are computed from answers. */
function scoreOf(told: Told, all: Markets, { post, open }: Readonly<{ post: Counted; open: Awaiting[] }>) {
  const { rules, tickAtMs, answerTo } = told
  const { postedAtMs } = post.mention
  const markets = followedFor(all, post.mention, rules)
  const readAtMs = postedAtMs + rules.anchorDelayMs
  if (readAtMs < keptFromMs(told, post)) return unscored('late_anchor', false)
  if (deepestAt(markets, postedAtMs) !== null) return scoreOn(markets, postedAtMs, rules)
  if (open.filter((one) => isAwaiting(one, post, rules)).length >= rules.askedScoresMax)
    return unscored('too_many', true)
  // If there is no price at the post, the score is published in tick `toldIn`, after its hour. A price at the
  // post that is answered in this tick or later does not count.
  const toldIn = Math.max(post.tick, tickAfter(tickAtMs, readAtMs + rules.scoreMs))
  const answeredTo = (atMs: number) => {
    const answered = answerTo(atMs, Math.max(post.tick, tickAfter(tickAtMs, atMs)))
    return atMs === postedAtMs && (answered?.tick ?? 0) >= toldIn ? undefined : answered
  }
  const answerAt = (atMs: number) => answeredTo(atMs)?.answer
  const asked = scoreAsked({ answerAt, rules }, postedAtMs)
  // If no answer came in time, the first price in a followed market counts.
  const onLog = asked.isAnchored ? null : scoreOn(markets, postedAtMs, rules)
  const { isAnchored: _, ...score } = onLog?.unscored === null ? { ...onLog, isAnchored: true } : asked
  const atPost = asked.isAnchored ? answeredTo(postedAtMs) : undefined
  const untilMs = (atPost?.answer.answeredAtMs ?? 0) + rules.scoreMs
  open.push({ postedAtMs, answered: atPost === undefined ? null : { tick: atPost.tick, untilMs } })
  return score
}
