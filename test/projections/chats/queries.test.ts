/** Tests the queries about the chats themselves: gaps in the chats, and cards of scanner bots. */
import { expect } from 'chai'
import type { Database } from '../../../infra/clickhouse/database.ts'
import { selectBotCards } from '../../../projections/chats/queries/bot-cards.ts'
import { selectChatsCovered } from '../../../projections/chats/queries/covered.ts'
import type { StageCut } from '../../../projections/cuts.ts'
import { projections } from '../../../projections/projections.ts'
import { migrate, readMigrations } from '../../../projections/sink/migrate.ts'
import { projectToEnd } from '../../../projections/sink/run.ts'
import type { CardCount, ChatGap } from '../../../schemas/chats/derived.ts'
import { silentLogger } from '../../replay/stage-log.ts'
import { databaseOfTests } from '../../support/database-of-tests.ts'
import { createCallsLog } from '../calls/derived-log.ts'
import { noonMs } from '../derived-log.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/**
 * The query describes the recorded chats for the week up to the cut time. It also reads gaps in this
 * recording from 30 days before that week on.
 */
const weekMs = noonMs - 7 * dayMs + 1
const gapsFromMs = weekMs - 30 * dayMs

const gap = (chat: string, data: ChatGap) => [chat, { type: 'ChatGap', data }] as const
const cards = (chat: string, data: CardCount) => [chat, { type: 'CardCount', data }] as const
const botOf = (bot: string, posts: number, unread = 0) => ({ bot, posts, unread })

const partAt = (part: number) => ({ fromAtMs: noonMs + (part - 9) * 60_000, toAtMs: noonMs + (part - 8) * 60_000 })

async function chatsLog() {
  const derived = await createCallsLog()
  const away = { fromMs: noonMs - 2 * hourMs, toMs: noonMs - hourMs }
  await derived.tick(noonMs - hourMs)
  await derived.tick(noonMs, {
    chats: [
      ...['-1', '-2'].map((chat) => gap(chat, { fromAtMs: away.fromMs, toAtMs: away.toMs, reason: 'offline' })),
      gap('-3', { fromAtMs: away.fromMs, toAtMs: away.toMs, reason: 'too_long' }),
      gap('-4', { fromAtMs: gapsFromMs, toAtMs: weekMs, reason: 'offline' }),
      gap('-5', { fromAtMs: gapsFromMs - 1, toAtMs: weekMs, reason: 'offline' }),
      // A gap in three parts, and one that begins a moment after it.
      ...[0, 1, 2].map((part) => gap('-8', { ...partAt(part), reason: 'refused' })),
      gap('-8', { fromAtMs: partAt(3).fromAtMs + 1, toAtMs: partAt(3).toAtMs, reason: 'refused' }),
      gap('-9', { fromAtMs: partAt(0).fromAtMs, toAtMs: partAt(2).toAtMs, reason: 'refused' }),
      gap('-6', { fromAtMs: weekMs - 9, toAtMs: weekMs - 1, reason: 'offline' }),
      cards('-1', { fromAtMs: noonMs, toAtMs: noonMs + 9, bots: [botOf('rick', 3, 1)] }),
      cards('-2', { fromAtMs: noonMs - 5, toAtMs: noonMs, bots: [botOf('rick', 4), botOf('phanes', 9, 2)] }),
      cards('-1', { fromAtMs: noonMs - dayMs + 1, toAtMs: noonMs, bots: [botOf('a', 2), botOf('soul', 2)] }),
      cards('-1', { fromAtMs: noonMs - dayMs, toAtMs: noonMs, bots: [botOf('rick', 100)] }),
      cards('-1', { fromAtMs: weekMs, toAtMs: noonMs, bots: [] }),
      cards('-1', { fromAtMs: weekMs - 1, toAtMs: noonMs, bots: [] }),
      cards('-1', { fromAtMs: noonMs + 1, toAtMs: noonMs + 9, bots: [botOf('rick', 1000)] }),
    ],
  })
  await derived.tick(noonMs + 1000, {
    chats: [
      gap('-7', { fromAtMs: noonMs - 9, toAtMs: noonMs - 1, reason: 'offline' }),
      cards('-7', { fromAtMs: noonMs - 9, toAtMs: noonMs, bots: [botOf('later', 5)] }),
    ],
  })
  return derived
}

describe('what is told of the chats', () => {
  let database: Database
  databaseOfTests(async (opened) => {
    database = opened
    await migrate(database, await readMigrations(projections))
    const { log, registry } = await chatsLog()
    const options = { projections, log, registry, database, logger: silentLogger }
    await projectToEnd({ ...options, signal: new AbortController().signal })
  })
  const cut = { atMs: noonMs, blockAtMs: noonMs } as unknown as StageCut

  it('are the gaps that reach into the week, each whole, with the number of chats, and without their names', async () => {
    const { chatGaps } = await selectChatsCovered(database, cut)
    const away = { fromMs: noonMs - 2 * hourMs, toMs: noonMs - hourMs }
    expect(chatGaps).to.deep.equal([
      { fromMs: gapsFromMs, toMs: weekMs, reason: 'offline', chats: 1 },
      { ...away, reason: 'offline', chats: 2 },
      { ...away, reason: 'too_long', chats: 1 },
      { fromMs: partAt(0).fromAtMs, toMs: partAt(2).toAtMs, reason: 'refused', chats: 2 },
      { fromMs: partAt(3).fromAtMs + 1, toMs: partAt(3).toAtMs, reason: 'refused', chats: 1 },
    ])
  })

  it('are the counts of cards by hour, of the week up to the cut', async () => {
    const { watched } = await selectChatsCovered(database, cut)
    const hourOf = (atMs: number) => Math.floor(atMs / hourMs) * hourMs
    expect(Object.fromEntries(watched)).to.deep.equal({
      [hourOf(weekMs)]: { cardCounts: 1 },
      [noonMs - dayMs]: { cardCounts: 2 },
      [noonMs - hourMs]: { cardCounts: 1 },
      [noonMs]: { cardCounts: 1 },
    })
  })

  it('are the hours of their ticks, in which no price can be missing', async () => {
    const { hours, tradeGaps } = await selectChatsCovered(database, cut)
    expect(tradeGaps).to.equal(null)
    expect(hours.map(({ hourAtMs, ticks, unpriced }) => [hourAtMs, ticks, unpriced])).to.deep.equal([
      [noonMs - hourMs, 1, []],
      [noonMs, 1, []],
    ])
  })

  it('are the cards of each bot in the last day, the busiest bot first', async () => {
    expect(await selectBotCards(database, cut)).to.deep.equal([
      { bot: 'phanes', posts: 9, unread: 2 },
      { bot: 'rick', posts: 7, unread: 1 },
      { bot: 'a', posts: 2, unread: 0 },
      { bot: 'soul', posts: 2, unread: 0 },
    ])
  })
})
