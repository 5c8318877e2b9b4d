/** Posts with addresses that ingest may learn in a moment. Most posts do not wait. */

import type { EpochMs } from '../../schemas/units.ts'
import { isAnswerOfBot, type ReadPost } from './read-post.ts'
import { withToldNetworks } from './told-networks.ts'

export type WaitingPosts = Readonly<{
  /** Adds a post. If it is a card of a bot, it gives waiting posts the networks of their addresses. */
  add(read: ReadPost): void
  count(): number
  /**
   * Takes the next posts that need not wait, in their order, all seen within `spanMs`. A post stays behind earlier ones
   * that share an address or the post with it, so that the facts of a token keep the order of its posts. `isAsked`:
   * whether no contract lookup is pending. Called shortly before the wait ends.
   */
  take(looks: Looks, nowMs: EpochMs): readonly ReadPost[]
}>

type Looks = Readonly<{ isKnown: (read: ReadPost) => boolean; isAsked?: (read: ReadPost) => boolean }>

/** A launch is posted within seconds, sometimes before ingest has read its block. Counted from the post. */
const waitMs = 10_000
/** Contract lookups take up to two seconds. */
const askAfterMs = 8_000
/** Above this count, the oldest posts do not wait any more. */
const waitingMax = 1_000
const takenMax = 200
/** A crash may separate the facts of posts that were taken together, so a restart reads back further than this. */
export const spanMs = 30_000

export function createWaitingPosts(): WaitingPosts {
  let waiting: ReadPost[] = []
  return {
    add: (read) => {
      waiting = withToldNetworks(waiting, read)
      waiting.push(read)
    },
    count: () => waiting.length,
    take({ isKnown, isAsked = () => true }, nowMs) {
      const held = new Set<string>()
      const taken: ReadPost[] = []
      const left: ReadPost[] = []
      for (const [index, read] of waiting.entries()) {
        const ageMs = nowMs - Math.min(read.seenAtMs, read.editedAtMs ?? read.content.postedAtMs)
        const first = taken[0] ?? read
        const fits = taken.length < takenMax && read.seenAtMs - first.seenAtMs <= spanMs
        const names = namesIn(read)
        const isReady = () => {
          if (isKnown(read) || waiting.length - index > waitingMax) return true
          return ageMs >= askAfterMs && isAsked(read) && ageMs >= waitMs
        }
        if (fits && !names.some((name) => held.has(name)) && isReady()) taken.push(read)
        else {
          left.push(read)
          for (const name of names) held.add(name)
        }
      }
      waiting = left
      return taken
    },
  }
}

/** A card may be about the post that it answers. */
function namesIn(read: ReadPost): readonly string[] {
  const { chat, post, replyTo } = read.content
  const posts = isAnswerOfBot(read) ? [post, replyTo] : [post]
  return [...posts.map((number) => `${chat}/${number}`), ...read.named.map(({ address }) => address)]
}
