/**
 * Holds back posts with an unknown address for up to 10 s, because ingest may soon record the token. Most
 * posts do not wait.
 */

import type { EpochMs } from '../../schemas/units.ts'
import { withCardNetworks } from './card-networks.ts'
import { isAnswerOfBot, type ReadPost } from './read-post.ts'

export type WaitingPosts = Readonly<{
  /**
   * Adds a post. If the post is a card (a token summary by a bot), waiting posts that name the same address
   * get the networks of the card.
   */
  add(read: ReadPost): void
  count(): number
  /**
   * Removes and returns the next posts that need not wait any longer, in their order. All of them were seen
   * within `spanMs`. A post waits for earlier posts that name one of its addresses, and for an earlier
   * version of itself. So the facts of a token keep the order of the posts. `isAsked` is called shortly
   * before the wait ends. It starts the contract lookups of a post, and returns false while a lookup is
   * running.
   */
  take(looks: Looks, nowMs: EpochMs): readonly ReadPost[]
}>

type Looks = Readonly<{ isKnown: (read: ReadPost) => boolean; isAsked?: (read: ReadPost) => boolean }>

/**
 * The maximum wait of a post, counted from the time of the post. People post a token within seconds of its
 * launch, sometimes before ingest has read the block.
 */
const waitMs = 10_000
/**
 * The age of a post at which the service starts to look up whether its addresses have contracts. A lookup
 * takes at most 2 s, so it ends within `waitMs`.
 */
const askAfterMs = 8_000
/** The maximum number of posts that wait. If there are more, the oldest are returned without a further wait. */
const waitingMax = 1_000
const takenMax = 200
/**
 * The maximum time between the first and the last post that are taken together. After a crash the log may
 * have the facts of only some of them. So a restart reads back further than this.
 */
export const spanMs = 30_000

export function createWaitingPosts(): WaitingPosts {
  let waiting: ReadPost[] = []
  return {
    add: (read) => {
      waiting = withCardNetworks(waiting, read)
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

/**
 * Returns the names by which posts wait for each other: the post's number and its addresses. For a card, the
 * number of the answered post is included, because the card may be about the token of that post.
 */
function namesIn(read: ReadPost): readonly string[] {
  const { chat, post, replyTo } = read.content
  const posts = isAnswerOfBot(read) ? [post, replyTo] : [post]
  return [...posts.map((number) => `${chat}/${number}`), ...read.named.map(({ address }) => address)]
}
