import type { Database } from '../../../infra/clickhouse/database.ts'
import { chatsStage } from '../../../schemas/chats/stage.ts'
import { dayMs } from '../../../schemas/units.ts'
import { atCut } from '../../at-cut.ts'
import { type ChatGapSpan, type Covered, coverageAt, coverageBackMs, watchedOf } from '../../coverage.ts'
import type { StageCut } from '../../cuts.ts'
import { chatCards } from '../tables/chat-cards.ts'
import { chatGaps } from '../tables/chat-gaps.ts'

/**
 * The query finds only gaps in the reading of chats that began at most this long before the first shown hour.
 */
const gapMsMax = 30 * dayMs

/**
 * Selects, for each hour, how completely the service read the chats. The result does not contain the names of
 * chats.
 */
export async function selectChatsCovered(database: Database, cut: StageCut): Promise<Covered> {
  const from = cut.blockAtMs - coverageBackMs + 1
  const cards = atCut(chatCards, cut.atMs, { from_at_ms: { from, to: cut.blockAtMs } })
  const watched = await watchedOf(database, [{ name: 'cardCounts', source: cards, column: 'from_at_ms' }])
  const source = atCut(chatGaps, cut.atMs, { from_at_ms: { from: from - gapMsMax, to: cut.blockAtMs } })
  // While a chat cannot be read, its gap is recorded in parts. Parts that meet are one gap.
  const chatParts = 'OVER (PARTITION BY chat, reason ORDER BY from_at_ms'
  const parts = `SELECT chat, reason, from_at_ms, to_at_ms,
      max(to_at_ms) ${chatParts} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before_at_ms
    FROM ${source} WHERE to_at_ms >= ${from}`
  const numbered = `SELECT *, sum(from_at_ms > before_at_ms) ${chatParts}) AS gap FROM (${parts})`
  const joined = `SELECT chat, reason, min(from_at_ms) AS fromMs, max(to_at_ms) AS toMs
    FROM (${numbered}) GROUP BY chat, reason, gap`
  const rows = await database.query<Readonly<Record<'fromMs' | 'toMs' | 'reason' | 'chats', string>>>(
    `SELECT fromMs, toMs, reason, uniqExact(chat) AS chats FROM (${joined})
     GROUP BY fromMs, toMs, reason ORDER BY fromMs, toMs, reason LIMIT 5000`,
  )
  const gaps = rows.map(
    ({ fromMs, toMs, reason, chats }): ChatGapSpan => ({
      ...{ fromMs: Number(fromMs), toMs: Number(toMs), reason, chats: Number(chats) },
    }),
  )
  const coverage = await coverageAt(database, cut, chatsStage.derivedTopic.name)
  // Chats have no coin price, so no price can be missing.
  const hours = coverage.hours.map((hour) => ({ ...hour, unpriced: [] }))
  return { ...coverage, hours, watched, tradeGaps: null, chatGaps: gaps }
}
