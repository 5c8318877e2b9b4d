/** Posts whose addresses ingest may come to know in a moment. Most posts wait for nothing. */
import { isAnswerOfBot, type ReadPost } from './read-post.ts'

export type WaitingPosts = Readonly<{
  add(read: ReadPost): void
  count(): number
  /**
   * Takes the next posts that need not wait, in their order, all seen within `spanMs`. A post stays behind those that share
   * an address or the post with it, so that the facts of a token come in the order of its posts.
   */
  take(isKnown: (read: ReadPost) => boolean, nowMs: number): readonly ReadPost[]
}>

/** A launch is posted within seconds, sometimes before ingest has read its block. */
const waitMs = 10_000
/** Beyond, the oldest wait no longer. */
const waitingMax = 1_000
const takenMax = 200
/** The facts of posts that are taken together may be torn apart by a crash, so a restart reads back further than this. */
export const spanMs = 30_000

export function createWaitingPosts(): WaitingPosts {
  let waiting: ReadPost[] = []
  return {
    add: (read) => {
      waiting.push(read)
    },
    count: () => waiting.length,
    take(isKnown, nowMs) {
      const held = new Set<string>()
      const taken: ReadPost[] = []
      const left: ReadPost[] = []
      for (const [index, read] of waiting.entries()) {
        const isOver = nowMs - read.seenAtMs >= waitMs || waiting.length - index > waitingMax
        const first = taken[0] ?? read
        const fits = taken.length < takenMax && read.seenAtMs - first.seenAtMs <= spanMs
        const names = namesIn(read)
        if (fits && !names.some((name) => held.has(name)) && (isOver || isKnown(read))) taken.push(read)
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
