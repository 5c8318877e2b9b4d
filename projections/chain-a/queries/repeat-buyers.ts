import type { Database } from '../../../infra/clickhouse/database.ts'
import { atCut } from '../../at-cut.ts'
import type { StageCut } from '../../cuts.ts'
import { burstBuyers } from '../tables/burst-buyers.ts'

/** How far back a buyer is remembered: 30 days before the signal. */
export const memoryMs = 30 * 24 * 60 * 60 * 1000

/**
 * Of the buyers of each main burst with its signal in `[from, to]`, how many had bought in an earlier burst of the last 30
 * days whose buyers were known no later than its own. By `pool atMs`; bursts without such a wallet are missing.
 *
 * A join of appearances with appearances would explode for a wallet that buys everywhere. Earlier bursts that every burst
 * asked for remembers are therefore reduced to one instant for each wallet: the earliest at which one of them was known.
 * Only the edges, before `to - 30 days` or from `from` on, are compared burst by burst.
 */
export async function repeatBuyers(
  database: Database,
  cut: StageCut,
  range: Readonly<{ from: number; to: number }>,
): Promise<ReadonlyMap<string, number>> {
  const rows = await database.query<{ pool: string; atMs: string; repeats: string }>(repeatBuyersSql(cut, range))
  return new Map(rows.map(({ pool, atMs, repeats }) => [`${pool} ${atMs}`, Number(repeats)]))
}

function repeatBuyersSql(cut: StageCut, { from, to }: Readonly<{ from: number; to: number }>): string {
  const asked = atCut(burstBuyers, cut.atMs, { at_ms: { from, to }, tier: { sql: "= 'main'" } })
  const remembered = atCut(burstBuyers, cut.atMs, { at_ms: { from: from - memoryMs, to } })
  const isInEveryMemory = `at_ms >= ${to - memoryMs} AND at_ms < ${from}`
  return `SELECT b.pool AS pool, b.at_ms AS atMs,
      countIf(w.everyCount > 0 AND w.everyKnown <= b.known_at_ms OR arrayExists(
        (at, known) -> at < b.at_ms AND at >= b.at_ms - ${memoryMs} AND known <= b.known_at_ms, w.edgeAts, w.edgeKnowns
      )) AS repeats
    FROM (SELECT pool, at_ms, known_at_ms, arrayJoin(wallets) AS wallet FROM ${asked}) AS b
    INNER JOIN (
      SELECT wallet, countIf(${isInEveryMemory}) AS everyCount, minIf(known_at_ms, ${isInEveryMemory}) AS everyKnown,
        groupArrayIf(at_ms, NOT (${isInEveryMemory})) AS edgeAts, groupArrayIf(known_at_ms, NOT (${isInEveryMemory})) AS edgeKnowns
      FROM (SELECT at_ms, known_at_ms, arrayJoin(wallets) AS wallet FROM ${remembered})
      WHERE wallet IN (SELECT arrayJoin(wallets) FROM ${asked})
      GROUP BY wallet
    ) AS w ON w.wallet = b.wallet
    GROUP BY b.pool, b.at_ms`
}
