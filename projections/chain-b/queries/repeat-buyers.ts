import type { Database } from '../../../infra/clickhouse/database.ts'
import { atCut } from '../../at-cut.ts'
import type { StageCut } from '../../cuts.ts'
import { memoryMs, repeatBuyersSql, type SelectedRepeats } from '../../repeat-buyers.ts'
import { chainBAnatomies } from '../tables/chain-b-anatomies.ts'

/**
 * How many buyers of each burst with its signal in `[from, to]` had bought in an earlier burst. By `mint atMs`; bursts
 * without such a wallet are missing.
 */
export async function repeatBuyers(
  database: Database,
  cut: StageCut,
  { from, to }: Readonly<{ from: number; to: number }>,
): Promise<ReadonlyMap<string, number>> {
  const asked = atCut(chainBAnatomies, cut.atMs, { at_ms: { from, to } })
  const remembered = atCut(chainBAnatomies, cut.atMs, { at_ms: { from: from - memoryMs, to } })
  const sql = repeatBuyersSql({ asked, remembered, named: 'mint', from, to })
  const rows = await database.query<SelectedRepeats>(sql)
  return new Map(rows.map(({ name, atMs, repeats }) => [`${name} ${atMs}`, Number(repeats)]))
}
