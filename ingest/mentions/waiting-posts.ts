/** Holds posts whose addresses may soon be in the address book. Most posts do not wait. */

import type { EpochMs } from '../../schemas/units.ts'
import { withCardNetworks } from './card-networks.ts'
import { isAnswerOfBot, type ReadPost } from './read-post.ts'

export type WaitingPosts = Readonly<{
  /**
   * Adds a post. If the post is a card of a bot, the card's networks are added to the waiting posts with the
   * same addresses.
   */
  add(read: ReadPost): void
  count(): number
  /**
   * Removes and returns the next posts that need not wait, in their order. All returned posts were seen
   * within `spanMs`. A post waits for earlier posts that name one of its addresses, and for an earlier
   * version of itself. So the facts of a token keep the order of the posts. `isAsked` starts the contract
   * lookups of a post shortly before its wait ends. `isAsked` returns false while a lookup is pending.
   */
  take(looks: Looks, nowMs: EpochMs): readonly ReadPost[]
}>

type Looks = Readonly<{ isKnown: (read: ReadPost) => boolean; isAsked?: (read: ReadPost) => boolean }>

/**
 * The maximum wait, counted from the time of the post. People post a token within seconds of its launch, sometimes before ingest has read
 * the block.
 */
const waitMs = 10_000
/**
 * The age of a post at which its contract lookups start. A lookup takes at most 2 s, so the lookup ends no
 * later than the wait.
 */
const askAfterMs = 8_000
/** The maximum number of waiting posts. Beyond this number, the oldest posts no longer wait. */
const waitingMax = 1_000
const takenMax = 200
/**
 * The maximum time between posts that are taken together. After a crash the log may have the facts of only some of them. So a restart reads
 * back further than this.
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
 * Returns the names by which posts wait for each other: the post itself and its addresses. For a card, the
 * answered post is included, because the card may be about the token of that post.
 */
function namesIn(read: ReadPost): readonly string[] {
  const { chat, post, replyTo } = read.content
  const posts = isAnswerOfBot(read) ? [post, replyTo] : [post]
  return [...posts.map((number) => `${chat}/${number}`), ...read.named.map(({ address }) => address)]
}
