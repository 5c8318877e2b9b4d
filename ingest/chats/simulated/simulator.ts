/**
 * Simulates chats about the tokens of the simulated chains. The posts depend only on the seed. The simulator
 * stores no state, so every reader gets the same posts.
 */

import { setImmediate } from 'node:timers/promises'
import type { ChatFact, PostContent } from '../../../schemas/chats/facts.ts'
import type { Block } from '../../../schemas/stage.ts'
import { type BlockNumber, type DurationMs, dayMs, type EpochMs } from '../../../schemas/units.ts'
import { delay } from '../../delay.ts'
import type { HistoriesOfHour } from '../../simulated/token-history.ts'
import { chatsDefinition } from '../definition.ts'
import { emptyRangeEveryMs } from '../empty-ranges.ts'
import type { ChatKeyedFact, ChatRange, Chats } from '../types.ts'
import { createCast } from './cast.ts'
import { type ChatEvent, type ChatSimulation, eventsOf, planFromSec, planUntilSec } from './posts.ts'

export type SimulatedChatsOptions = Readonly<{
  seed: number
  nowMs(): EpochMs
  /** The tokens that simulated posts can name: one function for each simulated chain. */
  markets: readonly HistoriesOfHour[]
  /** Waits for the given time. Resolves early when the signal aborts. */
  sleep?: typeof delay
  callers?: number
  callsPerHour?: number
  /** The interval, in hours, at which many callers name one token within seconds. Default: this never happens. */
  crowdEveryHours?: number
  /**
   * The time by which the first simulated posts lie before now, if nothing has been recorded yet. Default:
   * one day.
   */
  lookBackMs?: DurationMs
  /** The number of seconds of past posts that the simulator yields at a time. */
  rangeSec?: number
  /**
   * Limits the chats to this half-open span of whole seconds. The simulator then yields the posts as fast as
   * the caller reads them. Only tests set this option.
   */
  span?: Readonly<{ fromMs: EpochMs; toMs: EpochMs }>
  /**
   * A time span in which the simulated platform cannot be reached. Its posts are read after the end of the
   * span. Only tests set this option.
   */
  outage?: Readonly<{ fromMs: EpochMs; toMs: EpochMs }>
}>

/**
 * The number of block numbers that each second has. A second has fewer posts than this, so the block numbers
 * of the posts are ascending.
 */
const numbersPerSec = 4096

export function createSimulatedChats(options: SimulatedChatsOptions): Chats {
  const { seed, markets, callers = 120, callsPerHour = 240, crowdEveryHours = null } = options
  const world: ChatSimulation = { seed, cast: createCast({ seed, callers }), callsPerHour, crowdEveryHours, markets }
  return {
    ...chatsDefinition,
    source: { kind: 'simulated', ranges: (cursor, _, signal) => rangesFrom(world, options, { cursor, signal }) },
    readPrice: null,
    lookups: [],
  }
}

type Start = Readonly<{ cursor: Block | null; signal: AbortSignal }>

async function* rangesFrom(
  world: ChatSimulation,
  options: SimulatedChatsOptions,
  { cursor, signal }: Start,
): AsyncGenerator<ChatRange> {
  const { nowMs, sleep = delay, lookBackMs = dayMs, span } = options
  const eventsBetween = createEvents(world)
  const stretchFrom = createStretches(options)
  let fromSec =
    cursor === null ? secondOf(span?.fromMs ?? nowMs() - lookBackMs) : Math.floor(cursor.number / numbersPerSec) + 1
  while (!signal.aborted) {
    const lastSec = span === undefined ? secondOf(nowMs()) : Math.ceil(span.toMs / 1000) - 1
    const stretch = stretchFrom(fromSec, lastSec)
    if (stretch !== null) {
      yield rangeOf(stretch, { world, eventsBetween })
      fromSec = stretch.toSec + 1
      await setImmediate()
    } else if (span === undefined) await sleep(emptyRangeEveryMs, signal)
    else return
  }
}

const secondOf = (ms: EpochMs): number => Math.floor(ms / 1000)

/**
 * A stretch of seconds that is read at once. If the stretch begins while the platform cannot be reached,
 * `lostUntilSec` is the first second at which it can be reached again. All posts of the outage are read in
 * that second.
 */
type Stretch = Readonly<{ fromSec: number; toSec: number; lostUntilSec: number | null }>

/** Creates a function that returns the next stretch. The function returns null if nothing can be read yet. */
function createStretches({ rangeSec = 600, outage }: SimulatedChatsOptions) {
  const lost = outage && { fromSec: outage.fromMs / 1000, toSec: outage.toMs / 1000 }
  return (fromSec: number, lastSec: number): Stretch | null => {
    const isLost = lost !== undefined && fromSec >= lost.fromSec && fromSec < lost.toSec
    const dueSec = isLost ? lost.toSec : fromSec
    if (dueSec > lastSec) return null
    const limitSec = lost !== undefined && dueSec < lost.fromSec ? lost.fromSec - 1 : lastSec
    const toSec = Math.min(lastSec, limitSec, dueSec + rangeSec - 1)
    return { fromSec, toSec, lostUntilSec: isLost ? lost.toSec : null }
  }
}

/**
 * Creates a function that returns the posts, edits and deletions between two times, in seconds. The function
 * caches the plans of the hours that were used last.
 */
function createEvents(world: ChatSimulation): (fromSec: number, toSec: number) => readonly ChatEvent[] {
  const plans = new Map<number, readonly ChatEvent[]>()
  const planOf = (hour: number) => {
    const plan = plans.get(hour) ?? eventsOf(world, hour)
    plans.delete(hour)
    plans.set(hour, plan)
    for (const oldest of plans.keys()) if (plans.size > 12) plans.delete(oldest)
    return plan
  }
  return (fromSec, toSec) => {
    const first = Math.floor((fromSec - planUntilSec) / 3600)
    const last = Math.floor((toSec - planFromSec) / 3600)
    const hours = Array.from({ length: last - first + 1 }, (_, index) => first + index)
    return hours
      .flatMap((hour) => {
        const plan = planOf(hour)
        return plan.slice(firstFrom(plan, fromSec), firstFrom(plan, toSec + 1))
      })
      .sort((left, right) => left.second - right.second)
  }
}

/**
 * Returns the index of the first event at or after `second`. A plan is searched very often, so this is a
 * binary search.
 */
function firstFrom(plan: readonly ChatEvent[], second: number): number {
  let from = 0
  for (let behind = plan.length; from < behind; ) {
    const middle = (from + behind) >> 1
    if ((plan[middle] as ChatEvent).second < second) from = middle + 1
    else behind = middle
  }
  return from
}

type Making = Readonly<{ world: ChatSimulation; eventsBetween: ReturnType<typeof createEvents> }>

function rangeOf({ fromSec, toSec, lostUntilSec }: Stretch, { world, eventsBetween }: Making): ChatRange {
  const facts: ChatKeyedFact[] = []
  let second = 0
  let index = 0
  const placeOf = (atSec: number) => {
    index = atSec === second ? index + 1 : 0
    second = atSec
    return { blockNumber: atSec * numbersPerSec + index, blockHash: '0x', blockAtMs: atSec * 1000 } as const
  }
  const add = (key: string, fact: ChatFact) => facts.push({ key, fact })
  if (lostUntilSec !== null)
    for (const { id } of world.cast.chats) {
      const gap = { fromAtMs: fromSec * 1000, toAtMs: lostUntilSec * 1000, reason: 'offline' } as const
      add(id, { type: 'ChatGapFound', data: { chat: id, ...gap, ...placeOf(lostUntilSec) } })
    }
  for (const event of eventsBetween(fromSec, toSec)) {
    const isLate = lostUntilSec !== null && event.second < lostUntilSec
    // Edits and deletions during the outage stay unknown, because the platform shows older posts only with
    // their current content.
    if (isLate && event.kind !== 'post') continue
    add(event.chat.id, factOf(event, { isLate, place: placeOf(isLate ? lostUntilSec : event.second) }))
  }
  const head = { number: toSec * numbersPerSec + numbersPerSec - 1, hash: '0x', atMs: toSec * 1000 } as const
  return { fromBlock: fromSec * numbersPerSec, head, facts, newAddresses: [] }
}

type Seen = Readonly<{
  isLate: boolean
  place: Readonly<{ blockNumber: BlockNumber; blockHash: '0x'; blockAtMs: EpochMs }>
}>

function factOf(event: ChatEvent, { isLate, place }: Seen): ChatFact {
  const { chat, post } = event
  if (event.kind === 'delete') return { type: 'PostsDeleted', data: { chat: chat.id, posts: [post], ...place } }
  const postedSec = event.kind === 'edit' ? event.postedSec : event.second
  const content: PostContent = {
    text: event.text.text,
    entities: event.text.entities,
    buttons: event.text.buttons,
    chat: chat.id,
    post,
    chatName: chat.name,
    poster: event.poster,
    posterName: event.bot,
    postedAtMs: postedSec * 1000,
    replyTo: event.replyTo,
    isLate,
    origin:
      event.kind === 'post' && event.origin !== null
        ? { chat: event.origin.id, postedAtMs: event.second * 1000 }
        : null,
  }
  if (event.kind === 'post') return { type: 'PostSeen', data: { ...content, ...place } }
  return { type: 'PostEdited', data: { editedAtMs: event.second * 1000, ...content, ...place } }
}
