/**
 * Plans the posts of one hour of the simulated chats, with their edits and deletions, as a pure function of the seed.
 */
import type { CallTimeKind } from '../../simulated/market/call-times.ts'
import { createRandom, type Random } from '../../simulated/random.ts'
import { type HistoriesOfHour, type TokenHistory, winsAfter } from '../../simulated/token-history.ts'
import type { Caller, Cast, Chat } from './cast.ts'
import {
  bragText,
  callText,
  cardBots,
  chatterText,
  listText,
  placeholderText,
  recallText,
  strayText,
  type Text,
  teaserText,
} from './texts.ts'

/** A planned post, edit or deletion in a chat. `second` is its time on the platform, in Unix seconds. */
export type ChatEvent = Readonly<{ second: number; chat: Chat; post: number }> &
  Readonly<
    | { kind: 'post'; poster: string; bot: string | null; text: Text; replyTo: number | null; origin: Chat | null }
    | { kind: 'edit'; poster: string; bot: string | null; postedSec: number; text: Text; replyTo: number | null }
    | { kind: 'delete' }
  >

export type ChatSimulation = Readonly<{
  seed: number
  cast: Cast
  callsPerHour: number
  /**
   * The interval at which many callers name the same token within seconds, in hours. Null if this never
   * happens.
   */
  crowdEveryHours: number | null
  markets: readonly HistoriesOfHour[]
}>

const hourSec = 3600
/**
 * The first and the last second of the posts, edits and deletions that are planned for one hour. Both are
 * counted from the start of the hour.
 */
export const planFromSec = -600
export const planUntilSec = 4 * hourSec
/** The maximum number of posts that are planned for one hour, over all chats. */
const postsMax = 4096

/**
 * Returns the posts, edits and deletions that are planned for one hour, in time order. Events of the same
 * second keep the order in which they were planned.
 */
export function eventsOf(world: ChatSimulation, hour: number): readonly ChatEvent[] {
  const random = createRandom(world.seed, hour, 63)
  const markets = world.markets
    .map((historiesOf) => tokensOf(historiesOf(hour), hour))
    .filter(({ histories }) => histories.length > 0)
  const events: ChatEvent[] = []
  let posts = 0
  const nextPost = () => hour * postsMax + posts++
  for (let left = world.callsPerHour; left > 0 && markets.length > 0; left--) {
    const caller = random.pick(world.cast.callers)
    if (random.chance(strayShare)) {
      events.push(...strayPost({ caller, hour, post: nextPost() }, random))
      continue
    }
    const tokens = markets[random.whole(0, markets.length - 1)] as Tokens
    const call = random.chance(callTimeShare)
      ? planCallAtTime(tokens, random)
      : planCall({ caller, hour, ...tokens }, random)
    if (call !== null)
      events.push(...eventsOfCall({ caller, nextPost, cast: world.cast, histories: tokens.histories, ...call }, random))
  }
  events.push(...crowdOf(world, { hour, markets, nextPost }))
  for (let left = Math.ceil(world.callsPerHour / 4); left > 0; left--) {
    const { chat, poster } = random.pick(world.cast.callers)
    const second = hour * hourSec + random.whole(0, hourSec - 1)
    events.push(...post({ second, chat, post: nextPost() }, { poster, text: chatterText(random) }))
  }
  return events
    .map((event, index) => ({ event, index }))
    .sort((left, right) => left.event.second - right.event.second || left.index - right.index)
    .map(({ event }) => event)
}

type Choice = Tokens & Readonly<{ caller: Caller; hour: number }>
/**
 * A planned recommendation of a token (a call). `wins` computes from the token's later prices whether the
 * call wins. The computation is slow, so `wins` is called only when the outcome is needed.
 */
type PlannedCall = Readonly<{ history: TokenHistory; postedSec: number; wins: () => boolean }>

/** The share of calls that are not made at a burst of the token. */
const callTimeShare = 0.3
/** The share of posts that contain an address which is not a token. */
const strayShare = 0.03

const isInHour = (second: number, hour: number): boolean => Math.floor(second / hourSec) === hour

type PlannedCallTime = Readonly<{ kind: CallTimeKind; history: TokenHistory; atSec: number }>

/**
 * The tokens of one chain that can be called in an hour. `bursting` are the tokens with a burst in this hour.
 * `callTimes` are other times at which tokens are called, grouped by kind.
 */
type Tokens = Readonly<{
  histories: readonly TokenHistory[]
  bursting: readonly TokenHistory[]
  callTimes: readonly (readonly PlannedCallTime[])[]
}>

function tokensOf(histories: readonly TokenHistory[], hour: number): Tokens {
  const byKind = new Map<CallTimeKind, PlannedCallTime[]>()
  for (const history of histories)
    for (const { kind, atSec } of history.callTimes) {
      if (!isInHour(atSec, hour)) continue
      const ofKind = byKind.get(kind)
      if (ofKind) ofKind.push({ kind, history, atSec })
      else byKind.set(kind, [{ kind, history, atSec }])
    }
  const bursting = histories.filter(({ bursts }) => bursts.some(({ startSec }) => isInHour(startSec, hour)))
  return { histories, bursting, callTimes: [...byKind.values()] }
}

/**
 * Plans a call that is not at a burst. For example, the call comes before or after a pull, or names a second
 * pool or an old token. All kinds of call times in the hour are equally likely.
 */
function planCallAtTime({ callTimes }: Tokens, random: Random): PlannedCall | null {
  const ofKind = callTimes[random.whole(0, callTimes.length - 1)]
  const callTime = ofKind?.[random.whole(0, ofKind.length - 1)]
  if (callTime === undefined) return null
  const { history } = callTime
  const postedSec = callTime.atSec + random.whole(0, 30)
  return { history, postedSec, wins: () => winsAfter(history.prices(), postedSec) ?? false }
}

type Crowd = Readonly<{ hour: number; markets: readonly Tokens[]; nextPost: () => number }>

/** Plans posts in which many callers name the same old token, in the last seconds of a minute. */
function crowdOf(
  { seed, cast, crowdEveryHours }: ChatSimulation,
  { hour, markets, nextPost }: Crowd,
): readonly ChatEvent[] {
  if (crowdEveryHours === null || hour % crowdEveryHours !== 0) return []
  const random = createRandom(seed, hour, 64)
  const old = markets
    .flatMap(({ callTimes }) => callTimes.flat())
    .filter(({ kind }) => kind === 'aged' || kind === 'longGraduated')
  const found = old[random.whole(0, old.length - 1)]
  if (found === undefined) return []
  const minuteSec = Math.floor(found.atSec / 60) * 60
  return Array.from({ length: crowdSize }, () => {
    const { chat, poster } = random.pick(cast.callers)
    const second = minuteSec + random.whole(48, 59)
    return post({ second, chat, post: nextPost() }, { poster, text: callText(found.history.token, random) })
  }).flat()
}

const crowdSize = 60

type Stray = Readonly<{ caller: Caller; hour: number; post: number }>

const strayPost = ({ caller: { chat, poster }, hour, post: number }: Stray, random: Random): ChatEvent[] =>
  post(
    { second: hour * hourSec + random.whole(0, hourSec - 1), chat, post: number },
    { poster, text: strayText(random) },
  )

const triesMax = 8

/**
 * Plans a call (recommendation) at a burst. A caller whose call should win posts before the burst. A caller
 * whose call should lose posts after the burst. Only the prices after the post show whether the call really
 * wins, so the function tries several bursts.
 */
function planCall({ caller, hour, bursting }: Choice, random: Random): PlannedCall | null {
  const shouldWin = random.chance(caller.skill)
  let call: PlannedCall | null = null
  for (let tries = triesMax; tries > 0; tries--) {
    const history = bursting[random.whole(0, bursting.length - 1)]
    const burst = history?.bursts.find(({ startSec }) => isInHour(startSec, hour))
    if (history === undefined || burst === undefined) continue
    const postedSec = postingSec({ burst, isEarly: shouldWin && caller.manner !== 'shill' }, random)
    if (postedSec <= history.fromSec || postedSec >= history.untilSec) continue
    const wins = winsAfter(history.prices(), postedSec)
    if (wins === null) continue
    call = { history, postedSec, wins: () => wins }
    if (wins === shouldWin && (caller.manner !== 'shill' || burst.isPrepared)) break
  }
  return call
}

type Timing = Readonly<{ burst: TokenHistory['bursts'][number]; isEarly: boolean }>

/**
 * Draws the time of the post, in seconds. A shill posts after the burst, because the buys of the burst are
 * from the shill's own wallets.
 */
const postingSec = ({ burst, isEarly }: Timing, random: Random): number =>
  isEarly ? burst.startSec - random.whole(20, 280) : burst.endSec + random.whole(20, 120)

type Posting = PlannedCall &
  Readonly<{ caller: Caller; nextPost: () => number; cast: Cast; histories: readonly TokenHistory[] }>

function eventsOfCall(posting: Posting, random: Random): readonly ChatEvent[] {
  const { caller, history, postedSec, wins, nextPost, cast } = posting
  const { chat, poster } = caller
  const number = nextPost()
  const first = { second: postedSec, chat, post: number }
  const isTeased = random.chance(0.05)
  const text = textOf(posting, random)
  const events: ChatEvent[] = post(first, { poster, text: isTeased ? teaserText : text })
  const later = { kind: 'edit', poster, bot: null, postedSec, text, replyTo: null, ...first } as const
  if (isTeased) events.push({ ...later, second: postedSec + random.whole(10, 90) })
  if (!chat.isChannel)
    events.push(...cardOf({ ...first, token: history.token, post: nextPost(), replyTo: number }, random))
  if (random.chance(0.1)) events.push(...forwardOf({ first, text, nextPost, cast }, random))
  if (random.chance(0.15)) {
    const second = postedSec + random.whole(600, 2 * hourSec)
    const again = wins() ? bragText(history.token, random.whole(40, 300)) : recallText(history.token)
    events.push(...post({ second, chat, post: nextPost() }, { poster, text: again }))
  }
  if (caller.manner === 'deleter' && !wins()) events.push({ kind: 'delete', ...first, second: postedSec + hourSec })
  return events
}

function textOf({ history, histories }: Posting, random: Random): Text {
  if (!random.chance(0.04)) return callText(history.token, random)
  return listText([...new Set([history, ...histories.slice(0, random.whole(1, 5))].map(({ token }) => token))])
}

type Card = Readonly<{ second: number; chat: Chat; token: string; post: number; replyTo: number }>

/**
 * Returns the post and the edit that make a bot's card (a message with data of a token). The bot first posts
 * a placeholder. A later edit replaces the placeholder by the card.
 */
function cardOf({ second, chat, token, post: number, replyTo }: Card, random: Random): readonly ChatEvent[] {
  const bot = random.pick(cardBots)
  const postedSec = second + random.whole(1, 3)
  const answer = { chat, post: number, poster: `bot:${bot.name}`, bot: bot.name, replyTo } as const
  return [
    { kind: 'post', second: postedSec, text: placeholderText, origin: null, ...answer },
    { kind: 'edit', second: postedSec + random.whole(1, 40), postedSec, text: bot.textOf(token, random), ...answer },
  ]
}

type Forward = Readonly<{
  first: Readonly<{ second: number; chat: Chat }>
  text: Text
  nextPost: () => number
  cast: Cast
}>

function forwardOf({ first, text, nextPost, cast }: Forward, random: Random): readonly ChatEvent[] {
  const { chat, poster } = random.pick(cast.callers)
  if (chat === first.chat) return []
  const second = first.second + random.whole(30, 900)
  return post({ second, chat, post: nextPost() }, { poster, text, origin: first.chat })
}

type Place = Readonly<{ second: number; chat: Chat; post: number }>
type Words = Readonly<{ poster: string; text: Text; origin?: Chat }>

const post = (place: Place, { poster, text, origin }: Words): ChatEvent[] => [
  { kind: 'post', poster, bot: null, text, replyTo: null, origin: origin ?? null, ...place },
]
