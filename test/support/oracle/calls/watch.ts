/** The rows of a token's watches of 48 hours, from its markets, posts and answers. */
import type { Mentioned, PriceAnswered } from '../../../../schemas/calls/facts.ts'
import {
  deepestAt,
  followedBy,
  hourMs,
  type Line,
  lastOf,
  type Markets,
  marketsOf,
  pulledAtMs,
  pxFor,
} from './lines.ts'
import type { CallRules } from './rules.ts'
import { type Reading, type Seen, shownOf } from './samples.ts'
import { scoreAsked, scoreOn, unscored } from './score.ts'

/** `knownIn` is the number of the tick that ends the range with the post. */
export type Post = Readonly<{ mention: Mentioned; knownIn: number }>
/** `tick` is the first tick after both the post and its `knownIn`. The post counts in that tick. */
export type Counted = Post & Readonly<{ tick: number }>

export type Answered = Readonly<{ tick: number; answer: PriceAnswered }>

/** `tickAtMs`: the block times of all ticks. */
export type Told = Readonly<{
  lines: readonly Line[]
  posts: readonly Post[]
  tickAtMs: readonly number[]
  /** The first answer about an instant, and the tick in which it counts. `askedIn` is the tick of the question. */
  answerTo(atMs: number, askedIn: number): Answered | undefined
  rules: CallRules
  /** Called for each branch that a watch took. */
  seen?: Seen
}>

/** Answers each question in the next tick. */
export const nextTick =
  (tickAtMs: readonly number[], answerTo: (atMs: number) => PriceAnswered): Told['answerTo'] =>
  (atMs, askedIn) =>
    askedIn + 1 < tickAtMs.length ? { tick: askedIn + 1, answer: answerTo(atMs) } : undefined

/** The watches with their posts, in the order in which the posts count. */
export function watchesOf({ posts, tickAtMs, rules }: Told): readonly (readonly Counted[])[] {
  const counted = posts
    .map(({ mention, knownIn }) => ({
      ...{ mention, knownIn },
      tick: Math.max(knownIn + 1, tickAfter(tickAtMs, mention.postedAtMs)),
    }))
    .filter(({ tick }) => tick < tickAtMs.length)
    .sort((one, other) => one.tick - other.tick || one.mention.postedAtMs - other.mention.postedAtMs)
  const watches: Counted[][] = []
  for (const post of counted) {
    const watch = watches.at(-1)
    const begun = watch?.[0]?.mention.postedAtMs
    const isNoToken = watch?.[0]?.mention.hasCode === false && post.mention.hasCode !== false
    const isOver = begun === undefined || post.mention.postedAtMs >= begun + rules.watchMs
    if (watch === undefined || isOver || isNoToken) {
      if (post.mention.kind === 'call') watches.push([post])
    } else if (!watch.some((each) => isSame(each, post))) watch.push(post)
  }
  return watches
}

/** The first tick after the instant. */
export const tickAfter = (tickAtMs: readonly number[], atMs: number): number => lastOf(tickAtMs, atMs) + 1

const isSame = (one: Post, other: Post): boolean =>
  one.mention.chat === other.mention.chat && one.mention.post === other.mention.post

/** The markets of the token. Calls keep them open. */
export function keptMarkets({ lines, posts, rules }: Pick<Told, 'lines' | 'posts' | 'rules'>): Markets {
  const keeps = posts
    .filter(({ mention: { kind, isFollowed } }) => kind === 'call' && isFollowed)
    .map(({ mention }) => ({ knownAtMs: mention.answeredAtMs, untilMs: mention.postedAtMs + rules.keptMs }))
  return marketsOf(lines, keeps, rules.followLeadMs)
}

/** The markets on which the call is measured. */
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
    ...{ stage: stageOf(watch, anchor), chats: chatsOf(posts.map(({ mention }) => mention)), ...shown },
    isDone: dueCount === count,
  }
}

type Watch = Readonly<{ told: Told; markets: Markets; first: Counted; calledAtMs: number }>

function pulledIn({ told, markets, calledAtMs }: Watch, anchor: Readonly<{ market: string; atMs: number }>) {
  const { rules, tickAtMs } = told
  const pulledMs = pulledAtMs(markets, anchor, rules.rugLeftMax)
  const untilMs = Math.min(calledAtMs + rules.watchMs, tickAtMs.at(-1) ?? 0)
  return pulledMs !== null && pulledMs <= untilMs ? pulledMs : null
}

/** The question is asked in the first tick after the instant in which the post counts. */
function answerIn({ told: { tickAtMs, answerTo }, first }: Watch, atMs: number): Answered | undefined {
  const askedIn = Math.max(first.tick, tickAfter(tickAtMs, atMs))
  return askedIn < tickAtMs.length ? answerTo(atMs, askedIn) : undefined
}

/** In one tick, timers run before answers, so the price of the log wins. */
function anchorOf(watch: Watch): Anchor | null {
  const { told, markets, first, calledAtMs } = watch
  const { rules, tickAtMs } = told
  const asked = deepestAt(markets, calledAtMs) === null ? answerIn(watch, calledAtMs) : undefined
  const price = asked?.answer.price
  const answeredAtMs = asked?.answer.answeredAtMs ?? 0
  const isInTime = price != null && price.px > 0 && answeredAtMs - calledAtMs <= rules.askedAnchorMs
  const untilMs = calledAtMs + rules.anchorLimitMs
  for (let atMs = calledAtMs + rules.anchorDelayMs; atMs <= untilMs; atMs += 1000) {
    const tick = Math.max(first.tick, tickAfter(tickAtMs, atMs))
    if (tick >= tickAtMs.length || (isInTime && tick > (asked?.tick ?? 0))) break
    const quote = deepestAt(markets, atMs)
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

/** The stage at the post. If the token had no price then, the stage at the anchor. */
function stageOf({ markets, calledAtMs }: Watch, anchor: Anchor | null): string | null {
  const atMs = deepestAt(markets, calledAtMs) ? calledAtMs : anchor?.market ? anchor.atMs : null
  const quote = atMs === null ? null : deepestAt(markets, atMs)
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

function chatsOf(posts: readonly Mentioned[]) {
  return [...new Set(posts.map(({ chat }) => chat))]
    .map((chat) => {
      const own = posts.filter((each) => each.chat === chat)
      return {
        ...{ chat, chatName: own[0]?.chatName ?? null, posts: own.length },
        firstAtMs: Math.min(...own.map(({ postedAtMs }) => postedAtMs)),
        posters: [...new Set(own.map(({ poster }) => poster))],
      }
    })
    .sort((one, other) => one.firstAtMs - other.firstAtMs || (one.chat < other.chat ? -1 : 1))
}

/** Each caller’s first call of a watch, with its score. */
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

/** A score from asked prices. `answered` is the tick in which the price at the post came in time. */
type Awaiting = Readonly<{ postedAtMs: number; answered: Readonly<{ tick: number; untilMs: number }> | null }>

/** Whether a score was still open when `other` counted: its price at the post could still come, or its hour was not over. */
const isAwaiting = ({ postedAtMs, answered }: Awaiting, other: Counted, rules: CallRules): boolean =>
  answered !== null && answered.tick < other.tick
    ? other.mention.postedAtMs < answered.untilMs
    : other.mention.postedAtMs - postedAtMs <= rules.askedAnchorMs

/** `open` are the earlier scores from asked prices. */
function scoreOf(told: Told, all: Markets, { post, open }: Readonly<{ post: Counted; open: Awaiting[] }>) {
  const { rules, tickAtMs, answerTo } = told
  const { postedAtMs } = post.mention
  const markets = followedFor(all, post.mention, rules)
  if (deepestAt(markets, postedAtMs) !== null) return scoreOn(markets, postedAtMs, rules)
  if (open.filter((one) => isAwaiting(one, post, rules)).length >= rules.askedScoresMax)
    return unscored('too_many', true)
  const answeredTo = (atMs: number) => answerTo(atMs, Math.max(post.tick, tickAfter(tickAtMs, atMs)))
  const answerAt = (atMs: number) => answeredTo(atMs)?.answer
  const asked = scoreAsked({ answerAt, rules }, postedAtMs)
  // If no price came in time, the first price of a followed market counts.
  const onLog = asked.isAnchored ? null : scoreOn(markets, postedAtMs, rules)
  const { isAnchored: _, ...score } = onLog?.unscored === null ? { ...onLog, isAnchored: true } : asked
  const atPost = asked.isAnchored ? answeredTo(postedAtMs) : undefined
  const untilMs = (atPost?.answer.answeredAtMs ?? 0) + rules.scoreMs
  open.push({ postedAtMs, answered: atPost === undefined ? null : { tick: atPost.tick, untilMs } })
  return score
}
