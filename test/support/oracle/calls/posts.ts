/** Which posts about a token count, and the watches that they open and join. */
import type { Mentioned } from '../../../../schemas/calls/facts.ts'
import { lastOf } from './lines.ts'
import type { CallRules } from './rules.ts'

/** `knownIn`: the number of the tick that the post came in. */
export type Post = Readonly<{ mention: Mentioned; knownIn: number }>
/** `tick`: the first one that is later than the post and follows the one that it came in. There it counts. */
export type Counted = Post & Readonly<{ tick: number }>

type Told = Readonly<{ posts: readonly Post[]; tickAtMs: readonly number[]; rules: CallRules }>

/** The first tick that is later. */
export const tickAfter = (tickAtMs: readonly number[], atMs: number): number => lastOf(tickAtMs, atMs) + 1

/** Up to when all is known when the post counts. */
export const seenUntilMs = (tickAtMs: readonly number[], { tick, mention }: Counted): number =>
  Math.max(tickAtMs[tick - 1] ?? 0, mention.postedAtMs)

/** So many posts wait, and of so many newest ones of a watch it is known that they were there. */
const [waitingMost, knownMost] = [1000, 1000]

/** The watches with their posts, in the order in which these count. */
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

/** A watch waits for posts of before its end. The first post of a token ends that of an address without code. */
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

/** So many chats and posters are listed, the first ones. */
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
