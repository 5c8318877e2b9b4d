/**
 * Counts the posts of scanner bots, and how many of these posts are unread cards. A card is a summary of a
 * token. A card is unread if the parser found nothing in it. A rising share of unread cards is a sign that
 * the bot has a new layout.
 */

import assert from 'node:assert/strict'
import type { SchemaCodec } from '../../infra/codec/schema-codec.ts'
import type { Log } from '../../infra/log/log.ts'
import { dataOf, scan } from '../../infra/log/scan.ts'
import { offsetKnownAt } from '../../infra/log/ticks.ts'
import type { CardsCounted } from '../../schemas/chats/facts.ts'
import type { StageRecord } from '../../schemas/stage.ts'
import { type EpochMs, hourMs, minuteMs } from '../../schemas/units.ts'
import { cardNames, scannerNamed } from './cards/read-card.ts'
import type { PostTopic } from './follow-posts.ts'
import { parserVersion } from './parser-version.ts'
import type { ReadPost } from './read-post.ts'

type ChatCount = Readonly<{ chat: string; data: CardsCounted }>

export type CardCounts = Readonly<{
  add(read: ReadPost): void
  /**
   * Removes and returns the counts of the whole minutes before `untilMs`. Call this only after all posts of
   * these minutes are added.
   */
  take(untilMs: EpochMs): readonly ChatCount[]
}>

type BotCount = { posts: number; unread: number }
type Open = { readonly fromAtMs: EpochMs; toAtMs: EpochMs; readonly bots: Map<string, BotCount> }

const minuteOf = (atMs: EpochMs): number => Math.floor(atMs / minuteMs)

/**
 * Creates the counts. Each minute of a chat gives one record, which depends only on the posts. So a run that
 * reads the posts again after a restart makes the same records. Posts that were seen before `fromMs` are not
 * counted.
 */
export function createCardCounts(fromMs: EpochMs): CardCounts {
  /**
   * The counts of the minutes that are not taken yet, by minute and then by chat. Minutes and chats are in
   * the order of their first posts.
   */
  const minutes = new Map<number, Map<string, Open>>()
  const openOf = (chat: string, seenAtMs: EpochMs): Open => {
    const minute = minuteOf(seenAtMs)
    const chats = minutes.get(minute) ?? new Map<string, Open>()
    minutes.set(minute, chats)
    const open = chats.get(chat) ?? { fromAtMs: seenAtMs, toAtMs: seenAtMs, bots: new Map() }
    chats.set(chat, open)
    return open
  }
  return {
    add(read) {
      const { seenAtMs } = read
      const counted = countedIn(read)
      if (counted === null || seenAtMs < fromMs) return
      const open = openOf(read.content.chat, seenAtMs)
      open.toAtMs = seenAtMs
      const count = open.bots.get(counted.bot) ?? { posts: 0, unread: 0 }
      count.posts++
      if (counted.isUnread) count.unread++
      open.bots.set(counted.bot, count)
    },
    take(untilMs) {
      const passed = [...minutes].filter(([minute]) => minute < minuteOf(untilMs))
      for (const [minute] of passed) minutes.delete(minute)
      return passed.flatMap(([, chats]) => [...chats].map(([chat, open]) => ({ chat, data: countOf(open) })))
    },
  }
}

const countOf = ({ fromAtMs, toAtMs, bots }: Open): CardsCounted => ({
  ...{ fromAtMs, toAtMs, parserVersion },
  bots: [...bots].map(([bot, count]) => ({ bot, ...count })),
})

/**
 * Returns the scanner bot of a post, and whether the post is an unread card (a token summary from which
 * nothing was read). Null if no scanner bot posted it. Also null for a post in an unknown layout that names
 * no token or answers no post, because it is no card.
 */
function countedIn({ content, card, named }: ReadPost): Readonly<{ bot: string; isUnread: boolean }> | null {
  const bot = scannerNamed(content.posterName)
  if (bot === null || card === null) return null
  if (card.bot === 'unknown' && (named.length === 0 || content.replyTo === null)) return null
  return { bot, isUnread: cardNames.every((name) => card[name] === null) }
}

/**
 * Returns the time from which posts must be counted. This is the end of the newest minute that has a
 * `CardsCounted` record, but at the earliest the end of the minute an hour ago.
 */
export async function countedUntil(log: Log, { topic, codec }: PostTopic, nowMs: EpochMs): Promise<number> {
  assert.equal(topic.partitionCount, 1, 'the topic of the posts must have one partition')
  const posts = { log, topic: topic.name, partition: 0, codec: codec as SchemaCodec<StageRecord> } as const
  let minute = minuteOf(nowMs - hourMs)
  await scan(posts, await offsetKnownAt(posts, nowMs - hourMs), ({ value }) => {
    const counted = dataOf<CardsCounted>(posts, 'CardsCounted', value)
    if (counted) minute = Math.max(minute, minuteOf(counted.toAtMs))
    return undefined
  })
  return (minute + 1) * minuteMs
}
