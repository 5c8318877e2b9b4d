/** For each scanner bot, counts its posts of the last day, and the posts that could not be parsed. */

import type { Database } from '../../../infra/clickhouse/database.ts'
import { dayMs } from '../../../schemas/units.ts'
import { atCut } from '../../at-cut.ts'
import type { StageCut } from '../../cuts.ts'
import { chatCards } from '../tables/chat-cards.ts'

export type BotCards = Readonly<{ bot: string; posts: number; unread: number }>

/**
 * The maximum number of bots in the result. There are fewer known layouts of scanner cards than this number,
 * so no bot is left out.
 */
const botsMax = 32

/** Counts the posts in the 24 h before the cut's newest block. The bot with the most posts is first. */
export async function selectBotCards(database: Database, { atMs, blockAtMs }: StageCut): Promise<readonly BotCards[]> {
  const day = { from: blockAtMs - dayMs + 1, to: blockAtMs }
  const rows = await database.query<Readonly<Record<keyof BotCards, string | number>>>(
    `SELECT tupleElement(each, 'bot') AS bot, sum(tupleElement(each, 'posts')) AS posts,
       sum(tupleElement(each, 'unread')) AS unread
     FROM ${atCut(chatCards, atMs, { from_at_ms: day })} AS c ARRAY JOIN c.bots AS each
     GROUP BY bot ORDER BY posts DESC, bot LIMIT ${botsMax}`,
  )
  return rows.map(({ bot, posts, unread }) => ({ bot: String(bot), posts: Number(posts), unread: Number(unread) }))
}
