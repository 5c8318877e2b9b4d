import type { Database } from '../../infra/clickhouse/database.ts'
import { atCut } from '../at-cut.ts'
import type { Cut } from './chain-a-views.ts'

/** How far back a buyer is remembered: 30 days before the signal. */
const memoryMs = 30 * 24 * 60 * 60 * 1000

/**
 * Of the buyers of each main burst with its signal in `[from, to]`, how many had bought in an earlier burst of the last 30
 * days whose buyers were known no later than its own. By `pool atMs`; bursts without such a wallet are missing.
 */
export async function repeatBuyers(
  database: Database,
  cut: Cut,
  { from, to }: Readonly<{ from: number; to: number }>,
): Promise<ReadonlyMap<string, number>> {
  const rows = await database.query<{ pool: string; atMs: string; repeats: string }>(
    `SELECT b.pool AS pool, b.at_ms AS atMs, uniqExact(b.wallet) AS repeats
     FROM (${appearances(atCut('burst_buyers', cut.atMs, { at_ms: { from, to }, tier: { sql: "= 'main'" } }))}) AS b
     INNER JOIN (${appearances(atCut('burst_buyers', cut.atMs, { at_ms: { from: from - memoryMs, to } }))}) AS e
       ON e.wallet = b.wallet
     WHERE e.at_ms < b.at_ms AND e.at_ms >= b.at_ms - ${memoryMs} AND e.known_at_ms <= b.known_at_ms
     GROUP BY b.pool, b.at_ms`,
  )
  return new Map(rows.map(({ pool, atMs, repeats }) => [`${pool} ${atMs}`, Number(repeats)]))
}

const appearances = (buyers: string): string =>
  `SELECT pool, at_ms, known_at_ms, arrayJoin(arrayDistinct(wallets)) AS wallet FROM ${buyers}`
