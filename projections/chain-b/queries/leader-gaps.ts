/**
 * Counts the followed buys of each leader for which trades are missing in the hour after the buy. Leaders are
 * the wallets of a ranked list.
 */
import { shadowRules } from '../../../schemas/chain-b/copy-rules.ts'
import type { EpochMs } from '../../../schemas/units.ts'
import { atCut } from '../../at-cut.ts'
import type { Reading } from '../../editions.ts'
import { touchesSql } from '../../trade-gaps/missing-trades.ts'
import { chainBCopyResults } from '../tables/chain-b-copy-results.ts'
import { chainBTradeGaps } from '../tables/chain-b-trade-gaps.ts'
import { copyKey } from '../tables/copy-key.ts'

type Listed = Readonly<{
  /** The knowledge time of the list. */
  atMs: EpochMs
  /** The range of the times of the counted buys. */
  range: Readonly<{ from: number; to: number }>
  wallets: readonly string[]
}>

/**
 * Returns, for each wallet, the number of followed buys with missing trades. Only data that was known at the
 * time of the list is used. The hour begins with the buy, as in `tradedOf` in `copy-stats.ts`.
 */
export async function selectGapBuys(
  database: Reading,
  { atMs, range, wallets }: Listed,
): Promise<ReadonlyMap<string, number>> {
  if (wallets.length === 0) return new Map()
  const keys = { wallet: { sql: 'IN {wallets:Array(String)}' }, at_ms: range }
  const buy = copyKey.map((column) => `r.${column}`).join(', ')
  const rows = await database.query<Readonly<{ wallet: string; gapBuys: string }>>(
    `SELECT r.wallet AS wallet, uniqExact(${buy}) AS gapBuys
     FROM ${atCut(chainBCopyResults, atMs, keys)} AS r
     INNER JOIN ${atCut(chainBTradeGaps, atMs, { at_ms: { sql: `>= ${range.from}` } })} AS g ON g.token = r.mint
     WHERE ${touchesSql('g', { afterMs: 'r.at_ms - 1', toMs: `r.at_ms + ${shadowRules.windowMs}` })}
     GROUP BY wallet`,
    { wallets },
  )
  return new Map(rows.map(({ wallet, gapBuys }) => [wallet, Number(gapBuys)]))
}
