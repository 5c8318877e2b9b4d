/** How many posts of scanner bots could be read. A bot that changes its layout shows here, and nowhere else as clearly. */
import assert from 'node:assert/strict'
import type { SchemaCodec } from '../../infra/codec/schema-codec.ts'
import type { Log } from '../../infra/log/log.ts'
import { dataOf, scan } from '../../infra/log/scan.ts'
import { offsetKnownAt } from '../../infra/log/ticks.ts'
import type { CardsCounted } from '../../schemas/chats/facts.ts'
import type { StageRecord } from '../../schemas/stage.ts'
import { cardNames, scannerNamed } from './cards/read-card.ts'
import type { PostTopic } from './follow-posts.ts'
import { parserVersion } from './parser-version.ts'
import type { ReadPost } from './read-post.ts'

type ChatCount = Readonly<{ chat: string; data: CardsCounted }>

export type CardCounts = Readonly<{
  add(read: ReadPost): void
  /** What was counted since the last call. */
  take(): readonly ChatCount[]
}>

type Open = { readonly fromAtMs: number; toAtMs: number; readonly bots: Map<string, { posts: number; unread: number }> }

/** `untilMs`: posts that ingest had by then are counted already. */
export function createCardCounts(untilMs: number): CardCounts {
  let chats = new Map<string, Open>()
  return {
    add(read) {
      const { seenAtMs, content } = read
      const counted = countedIn(read)
      if (counted === null || seenAtMs <= untilMs) return
      const open = chats.get(content.chat) ?? { fromAtMs: seenAtMs, toAtMs: seenAtMs, bots: new Map() }
      chats.set(content.chat, open)
      open.toAtMs = Math.max(open.toAtMs, seenAtMs)
      const count = open.bots.get(counted.bot) ?? { posts: 0, unread: 0 }
      count.posts++
      if (counted.isUnread) count.unread++
      open.bots.set(counted.bot, count)
    },
    take() {
      const taken = [...chats].map(([chat, { fromAtMs, toAtMs, bots }]) => ({
        chat,
        data: { fromAtMs, toAtMs, bots: [...bots].map(([bot, count]) => ({ bot, ...count })), parserVersion },
      }))
      chats = new Map()
      return taken
    },
  }
}

/**
 * Null: it is no post of a scanner bot, or certainly no card. Bots also answer commands, which names no token, and tell of other
 * things, which answers no post.
 */
function countedIn({ content, card, named }: ReadPost): Readonly<{ bot: string; isUnread: boolean }> | null {
  const bot = scannerNamed(content.posterName)
  if (bot === null || card === null) return null
  if (card.bot === 'unknown' && (named.length === 0 || content.replyTo === null)) return null
  return { bot, isUnread: cardNames.every((name) => card[name] === null) }
}

/** When ingest had the newest post that was counted. `fromMs`: no earlier post is read again. */
export async function countedUntil(log: Log, { topic, codec }: PostTopic, fromMs: number): Promise<number> {
  assert.equal(topic.partitionCount, 1, 'posts have one order')
  const posts = { log, topic: topic.name, partition: 0, codec: codec as SchemaCodec<StageRecord> } as const
  let untilMs = 0
  await scan(posts, await offsetKnownAt(posts, fromMs), ({ value }) => {
    const counted = dataOf<CardsCounted>(posts, 'CardsCounted', value)
    if (counted) untilMs = Math.max(untilMs, counted.toAtMs)
    return undefined
  })
  return untilMs
}
