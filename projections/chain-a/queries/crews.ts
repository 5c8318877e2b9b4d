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
  // The query also selects wallets with too few bursts, which are last. So even if no wallet is listed, there is a first
  // row with the number of all wallets.
  const rows = await database.query<{ wallet: string; bursts: string; lastSeenAtMs: string; walletsTracked: string }>(
    `SELECT *, count() OVER () AS walletsTracked FROM (
       SELECT wallet, count() AS bursts, max(at_ms) AS lastSeenAtMs FROM (${appearances}) GROUP BY wallet
     ) ORDER BY bursts DESC, lastSeenAtMs DESC, wallet LIMIT ${Math.floor(limit)}`,
  )
  return {
    walletsTracked: Number(rows[0]?.walletsTracked ?? 0),
    crews: rows
      .map(({ wallet, bursts, lastSeenAtMs }) => ({
        ...{ wallet, bursts: Number(bursts), lastSeenAtMs: Number(lastSeenAtMs) },
      }))
      .filter(({ bursts }) => bursts >= Math.floor(minBursts)),
  }
}
