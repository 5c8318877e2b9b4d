/**
 * Decides which posts about a token count. A watch is a 48-hour observation of a called token. Each post that
 * counts opens a watch or joins one.
 */
import type { Mentioned } from '../../../../schemas/calls/facts.ts'
import { lastOf } from './lines.ts'
import type { CallRules } from './rules.ts'

/**
 * A post about a token. `knownIn` is the number of the tick (the record that closes a time step) with which
 * the post came in.
 */
export type Post = Readonly<{ mention: Mentioned; knownIn: number }>
/**
 * A post that counts, and the tick in which it counts. That is the first tick later than the post that also
 * follows the tick `knownIn`.
 */
export type Counted = Post & Readonly<{ tick: number }>

type Told = Readonly<{ posts: readonly Post[]; tickAtMs: readonly number[]; rules: CallRules }>

/** The first tick that is later. */
export const tickAfter = (tickAtMs: readonly number[], atMs: number): number => lastOf(tickAtMs, atMs) + 1

/** Returns the time up to which the service knows all events when it counts the post. */
export const seenUntilMs = (tickAtMs: readonly number[], { tick, mention }: Counted): number =>
  Math.max(tickAtMs[tick - 1] ?? 0, mention.postedAtMs)

/**
 * `waitingMost`: the largest number of posts that wait for their tick. `knownMost`: the number of newest
 * posts of a watch with which a new post is compared, to recognize repeated posts.
 */
const [waitingMost, knownMost] = [1000, 1000]

/**
 * Returns the watches (48-hour observations of the token), each with its posts, in the order in which the
 * posts count.
 */
export function watchesOf(told: Told): readonly (readonly Counted[])[] {
  const { tickAtMs, rules } = told
  const watches: Counted[][] = []
  for (const post of countedOf(told)) {
    const watch = watches.at(-1)
    if (watch === undefined || !isIn(watch, post, { tickAtMs, rules })) {
      if (post.mention.kind === 'call') watches.push([post])
    } else if (!watch.slice(-knownMost).some((each) => isSame(each, post))) watch.push(post)
  }
  return watches
}

function countedOf({ posts, tickAtMs }: Told): readonly Counted[] {
  const taken: Counted[] = []
  for (const { mention, knownIn } of posts) {
    const waiting = taken.filter(({ tick }) => tick > knownIn).length
    const tick = Math.max(knownIn + 1, tickAfter(tickAtMs, mention.postedAtMs))
    if (waiting < waitingMost) taken.push({ mention, knownIn, tick })
  }
  return taken
    .filter(({ tick }) => tick < tickAtMs.length)
    .sort((one, other) => one.tick - other.tick || one.mention.postedAtMs - other.mention.postedAtMs)
}

/**
 * Returns true if the post belongs to the watch. The watch still takes a late post if the post was written
 * before the end of the watch. If the watch is of an address without code, the first post of a real token
 * ends the watch.
 */
function isIn(watch: readonly Counted[], post: Counted, { tickAtMs, rules }: Omit<Told, 'posts'>): boolean {
  const [first] = watch as readonly [Counted, ...Counted[]]
  const { postedAtMs, hasCode } = first.mention
  const isNoToken = hasCode === false && post.mention.hasCode !== false
  const lateMs = rules.pathMs - rules.scoreMs
  const isWaiting = seenUntilMs(tickAtMs, post) <= postedAtMs + rules.watchMs + lateMs
  return !isNoToken && isWaiting && post.mention.postedAtMs < postedAtMs + rules.watchMs
}

const isSame = (one: Post, other: Post): boolean =>
  one.mention.chat === other.mention.chat && one.mention.post === other.mention.post

/**
 * The largest numbers of chats and of posters in an answer. If there are more, only the first ones are
 * listed.
 */
const [chatsMost, postersMost] = [200, 400]

export function chatsOf(posts: readonly Mentioned[]) {
  const chats = [...new Set(posts.map(({ chat }) => chat))].slice(0, chatsMost)
  const listed = posts.filter(({ chat }) => chats.includes(chat))
  const callers = new Set(listed.map(callerOf))
  const posters = new Set([...callers].slice(0, postersMost))
  return chats
    .map((chat) => {
      const own = listed.filter((each) => each.chat === chat)
      const shown = own.filter((each) => posters.has(callerOf(each))).map(({ poster }) => poster)
      return {
        ...{ chat, chatName: own[0]?.chatName ?? null, posts: own.length },
        ...{ firstAtMs: Math.min(...own.map(({ postedAtMs }) => postedAtMs)), posters: [...new Set(shown)] },
      }
    })
    .sort((one, other) => one.firstAtMs - other.firstAtMs || (one.chat < other.chat ? -1 : 1))
}

const callerOf = ({ chat, poster }: Mentioned): string => `${chat}:${poster}`
