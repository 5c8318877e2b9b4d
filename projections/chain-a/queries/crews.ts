import type { Database } from '../../../infra/clickhouse/database.ts'
import { buyerMemoryMs } from '../../../schemas/buyer-memory.ts'
import { atCut } from '../../at-cut.ts'
import type { StageCut } from '../../cuts.ts'
import { burstBuyers } from '../tables/burst-buyers.ts'
import type { CrewRow } from './chain-a-queries.ts'
import { since } from './pools.ts'

/**
 * Selects the wallets that bought in the windows of several bursts of the last 30 days, most bursts first.
 * Buyers are known only for the tiers whose trades have senders. Two bursts of one pool count as two.
 */
export async function selectCrews(
  database: Database,
  cut: StageCut,
  { minBursts, limit }: Readonly<{ minBursts: number; limit: number }>,
): Promise<Readonly<{ walletsTracked: number; crews: readonly CrewRow[] }>> {
  const appearances = `SELECT arrayJoin(arrayDistinct(wallets)) AS wallet, at_ms
    FROM ${atCut(burstBuyers, cut.atMs, { at_ms: since(cut, buyerMemoryMs) })}`
  const [crews, [tracked]] = await Promise.all([
    database.query<{ wallet: string; bursts: string; lastSeenAtMs: string }>(
      `SELECT wallet, count() AS bursts, max(at_ms) AS lastSeenAtMs FROM (${appearances})
       GROUP BY wallet HAVING bursts >= ${Math.floor(minBursts)}
       ORDER BY bursts DESC, lastSeenAtMs DESC, wallet LIMIT ${Math.floor(limit)}`,
    ),
    database.query<{ count: string }>(`SELECT uniqExact(wallet) AS count FROM (${appearances})`),
  ])
  return {
    walletsTracked: Number(tracked?.count ?? 0),
    crews: crews.map(({ wallet, bursts, lastSeenAtMs }) => ({
      wallet,
      bursts: Number(bursts),
      lastSeenAtMs: Number(lastSeenAtMs),
    })),
  }
}
