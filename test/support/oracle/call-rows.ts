/**
 * The rows of calls of one mint of chain B, counted a second time, slowly: from the whole list of facts, posts and answers, by
 * the sentences of the rules. The mint is launched once; its posts become known soon after they were posted.
 */
import type { Mentioned, PriceAnswered } from '../../../schemas/calls/facts.ts'
import type { ChainBFact } from '../../../schemas/chain-b/facts.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const sampleCount = 288

/** `tickAtMs`: the block times of all ticks. `knownIn`: the number of the tick that the post came in. */
export type Told = Readonly<{
  token: string
  facts: readonly ChainBFact[]
  posts: readonly Readonly<{ mention: Mentioned; knownIn: number }>[]
  tickAtMs: readonly number[]
  answerTo(questionId: string): PriceAnswered
}>

type Trading = Readonly<{
  atMs: number
  market: string
  source: string
  px: number
  fill: number | null
  openedAtMs: number
}>
type Priced = Readonly<{
  atMs: number
  px: number
  source: string
  market: string | null
  mcapUsd: number | null
  mcapCoin: number | null
  isAsked: boolean
}>

const wholeSecond = (atMs: number) => Math.ceil(atMs / 1000) * 1000
const supply = 1e15
const forSale = 793_100_000_000_000

/** What the mint trades at from each instant on, and when it is no longer tracked. */
function tradingOf(facts: readonly ChainBFact[]) {
  const states = facts.flatMap((fact) => stateAfter(fact, facts) ?? [])
  const completeAtMs = states.find(({ fill }) => fill === 1)?.atMs
  const newestAtMs = facts.at(-1)?.data.blockAtMs ?? 0
  const closedAtMs = completeAtMs === undefined ? newestAtMs + 24 * hourMs : completeAtMs + 65 * minuteMs
  return { states, closedAtMs: facts.length === 0 ? 0 : wholeSecond(closedAtMs) }
}

function stateAfter({ type, data }: ChainBFact, facts: readonly ChainBFact[]): Trading | null {
  const { blockAtMs: atMs } = data
  const opening = facts.find((fact) => fact.type === (type === 'PoolTraded' ? 'CurveMigrated' : 'CurveLaunched'))?.data
  if (type === 'CurveLaunched' || type === 'CurveTraded') {
    const px = Number(data.virtualQuoteRaw) / 1e9 / Number(data.virtualTokenRaw)
    const fill = 1 - Number(data.realTokenRaw) / forSale
    const market = type === 'CurveLaunched' ? data.curve : opening && 'curve' in opening ? String(opening.curve) : ''
    return { atMs, market, source: 'curve', px, fill, openedAtMs: opening?.blockAtMs ?? atMs }
  }
  if (type !== 'CurveMigrated' && type !== 'PoolTraded') return null
  const px = Number(data.poolQuoteRaw) / 1e9 / Number(data.poolTokenRaw)
  const opened = type === 'CurveMigrated' ? data : opening
  const market = opened && 'pool' in opened ? String(opened.pool) : ''
  return { atMs, market, source: 'pool', px, fill: null, openedAtMs: opened?.blockAtMs ?? atMs }
}

export function recountCalls(told: Told) {
  const { states, closedAtMs } = tradingOf(told.facts)
  const tradingAt = (atMs: number): Trading | undefined =>
    atMs < closedAtMs ? states.findLast((state) => state.atMs <= atMs) : undefined
  return watchesOf(told).map((posts) => rowOf(told, posts, tradingAt))
}

/** A post counts in the first tick that follows the one it came in and is later than the post. */
function watchesOf({ posts, tickAtMs }: Told): readonly (readonly Mentioned[])[] {
  const effective = posts
    .map(({ mention, knownIn }) => ({
      mention,
      tick: tickAtMs.findIndex((atMs, tick) => tick > knownIn && atMs > mention.postedAtMs),
    }))
    .filter(({ tick }) => tick >= 0)
    .sort((one, other) => one.tick - other.tick || one.mention.postedAtMs - other.mention.postedAtMs)
  const watches: Mentioned[][] = []
  for (const { mention } of effective) {
    const watch = watches.at(-1)
    const isCovered = watch?.[0] && mention.postedAtMs < watch[0].postedAtMs + 48 * hourMs
    if (!isCovered) {
      if (mention.kind === 'call') watches.push([mention])
    } else if (!watch.some(({ chat, post }) => chat === mention.chat && post === mention.post)) watch.push(mention)
  }
  return watches
}

type TradingAt = (atMs: number) => Trading | undefined

function rowOf(told: Told, posts: readonly Mentioned[], tradingAt: TradingAt) {
  const [first] = posts as readonly [Mentioned, ...Mentioned[]]
  const { postedAtMs: calledAtMs, seenAtMs: firstSeenAtMs, isLate } = first
  const anchor = anchorOf(told, calledAtMs, tradingAt)
  const samples = anchor ? samplesOf(told, { calledAtMs, anchor }, tradingAt) : []
  const lastTick = told.tickAtMs.at(-1) ?? 0
  const dueCount = Array.from({ length: sampleCount }, (_, index) => index + 1).filter(
    (count) => calledAtMs + count * 10 * minuteMs < lastTick,
  ).length
  return {
    ...{
      hasCode: null,
      ruggedAtMs: null,
      calledAtMs,
      firstSeenAtMs,
      isLate,
      recalls: posts.length - 1,
      anchor: anchor ?? null,
    },
    stage: stageAt(calledAtMs, tradingAt, anchor),
    chats: chatsOf(posts),
    ...shownOf(samples, { calledAtMs, px: anchor?.px ?? 1, dueCount }),
    isDone: dueCount === sampleCount,
  }
}

/** An answer has come if two ticks followed the instant that was asked about. */
function answerAt({ token, tickAtMs, answerTo }: Told, atMs: number): PriceAnswered | undefined {
  return tickAtMs.filter((tick) => tick > atMs).length >= 2 ? answerTo(`${token}:${atMs}`) : undefined
}

function anchorOf(told: Told, calledAtMs: number, tradingAt: TradingAt): Priced | undefined {
  const lastTick = told.tickAtMs.at(-1) ?? 0
  for (let sec = 3; sec <= 120; sec++) {
    const atMs = calledAtMs + sec * 1000
    const trading = atMs < lastTick ? tradingAt(atMs) : undefined
    if (trading === undefined) continue
    const { px, source, market } = trading
    return { atMs, px, source, market, mcapUsd: null, mcapCoin: px * supply, isAsked: false }
  }
  for (const atMs of [calledAtMs, calledAtMs + 10 * minuteMs]) {
    const price = tradingAt(atMs) ? null : answerAt(told, atMs)?.price
    if (!price) continue
    const { px, source, mcapUsd } = price
    return { atMs, px, source, market: null, mcapUsd, mcapCoin: null, isAsked: true }
  }
  return undefined
}

type Sample = number | 'failed' | 'unknown'
type Anchored = Readonly<{ calledAtMs: number; anchor: Priced }>

/** One for each that is due, up to the one that finds the token dead. */
function samplesOf(told: Told, { calledAtMs, anchor }: Anchored, tradingAt: TradingAt): readonly Sample[] {
  const samples: Sample[] = []
  const isOutside = anchor.source === 'aggregator'
  const lastTick = told.tickAtMs.at(-1) ?? 0
  for (let count = 1; count <= sampleCount; count++) {
    const atMs = calledAtMs + count * 10 * minuteMs
    if (atMs >= lastTick) break
    const trading = tradingAt(atMs)
    if (trading && !isOutside) samples.push(trading.px)
    else samples.push(sampleIn(answerAt(told, atMs), isOutside))
    if (samples.slice(-18).length === 18 && samples.slice(-18).every((sample) => sample === 'failed')) break
  }
  return samples
}

function sampleIn(answer: PriceAnswered | undefined, isOutside: boolean): Sample {
  if (answer === undefined || answer.failure === 'too old') return 'unknown'
  const { price } = answer
  return price && (price.source === 'aggregator') === isOutside ? price.px : 'failed'
}

function shownOf(
  samples: readonly Sample[],
  { calledAtMs, px, dueCount }: Readonly<{ calledAtMs: number; px: number; dueCount: number }>,
) {
  const isDead = samples.length >= 18 && samples.slice(-18).every((sample) => sample === 'failed')
  const rets = samples.map((sample) => (typeof sample === 'number' ? sample / px - 1 : null))
  const retAt = (hours: number) => {
    const count = hours * 6
    if (count > dueCount) return null
    return isDead && count > samples.length ? -1 : (rets[count - 1] ?? null)
  }
  const known = rets.filter((ret) => ret !== null)
  const maxRet = known.length === 0 ? null : Math.max(...known)
  const maxIndex = rets.indexOf(maxRet)
  const lastIndex = rets.findLastIndex((ret) => ret !== null)
  const instantOf = (index: number) => (index < 0 ? null : calledAtMs + (index + 1) * 10 * minuteMs)
  return {
    ...{ ret1h: retAt(1), ret4h: retAt(4), ret12h: retAt(12), ret24h: retAt(24), ret48h: retAt(48) },
    ...{ lastRet: isDead ? -1 : (rets[lastIndex] ?? null), lastSampleAtMs: instantOf(lastIndex), isDead },
    ...{ maxRet, maxAtMs: maxRet === null ? null : instantOf(maxIndex) },
    dipBeforeMax: maxRet === null ? null : Math.min(...rets.slice(0, maxIndex + 1).filter((ret) => ret !== null)),
  }
}

/** That of the post, or of the anchor where the token was not tracked at the post. */
function stageAt(calledAtMs: number, tradingAt: TradingAt, anchor: Priced | undefined): string | null {
  const atMs = tradingAt(calledAtMs) ? calledAtMs : anchor?.market ? anchor.atMs : null
  const trading = atMs === null ? undefined : tradingAt(atMs)
  if (trading === undefined || atMs === null) return null
  if (trading.fill !== null)
    return (
      ['curve_0_25', 'curve_25_55', 'curve_55_100'][
        [0.25, 0.55].filter((from) => (trading.fill ?? 0) >= from).length
      ] ?? null
    )
  const hours = (atMs - trading.openedAtMs) / hourMs
  return (
    ['pool_under_1h', 'pool_1_6h', 'pool_6_24h', 'pool_over_24h'][[1, 6, 24].filter((from) => hours >= from).length] ??
    null
  )
}

function chatsOf(posts: readonly Mentioned[]) {
  const ids = [...new Set(posts.map(({ chat }) => chat))]
  return ids
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
