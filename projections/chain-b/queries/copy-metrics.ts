/** How it went to copy wallets: the same numbers for the list of leaders and for one wallet. */
import { leaderRules } from '../../../schemas/chain-b/copy-rules.ts'
import type { LeaderRow } from '../tables/chain-b-leader-lists.ts'

/** What the results of followed buys say of a wallet; a mean or share of nothing is null. */
export type CopyMetrics = Pick<LeaderRow, 'n' | 'shadowed' | 'sold' | 'medSoldSec' | 'medSellGain' | 'soldWithin60s'> &
  Readonly<{ evRaw: number | null; winShare: number | null; shadowHit: number | null }>

/** Sums of returns must not depend on the order of their rows, so they are of whole units. A return has at most 16 digits. */
const retUnits = 1e15

/** The mean of `count` returns whose sum in units is given. */
const meanSql = (units: string, count: string): string => `toFloat64(${units}) / ${retUnits} / ${count}`

/**
 * One row for each wallet in `source`, rows of results as `atCut` gives them: `n` to `soldWithin60s` as in `CopyMetrics`, and
 * `prior` and `replays` of all of them together. Means are not numbers where nothing was replayed.
 */
export function metricsSql(source: string): string {
  const isReplayed = 'ret IS NOT NULL'
  return `SELECT wallet, toInt32(length(newest)) AS n,
      ${meanSql('arraySum(replay -> replay.5, newest)', 'n')} AS evRaw,
      arrayCount(replay -> replay.5 > 0, newest) / n AS winShare,
      ${meanSql('sum(walletUnits) OVER ()', 'replays')} AS prior, toInt64(sum(walletReplays) OVER ()) AS replays,
      shadowed, hits / shadowed AS shadowHit, sold, medSoldSec, medSellGain, soldWithin60s
    FROM (
      SELECT wallet,
        groupArraySortedIf(${leaderRules.bigBuysMax})((-at_ms, mint, tx_hash, log_index, units), ${isReplayed}) AS newest,
        sumIf(toInt128(units), ${isReplayed}) AS walletUnits, countIf(${isReplayed}) AS walletReplays,
        toInt32(count()) AS shadowed, countIf(is_hit) AS hits, toInt32(countIf(sale_after_sec IS NOT NULL)) AS sold,
        quantileExactInclusive(0.5)(sale_after_sec) AS medSoldSec, quantileExactInclusive(0.5)(sale_gain) AS medSellGain,
        toInt32(countIf(sale_after_sec <= ${leaderRules.quickSaleSec})) AS soldWithin60s
      FROM (
        SELECT *, toInt64(round(least(ifNull(ret, 0), ${leaderRules.retMax}) * ${retUnits})) AS units FROM ${source}
      ) GROUP BY wallet
    )`
}

/** Toward the mean of all, as if the wallet had made so many buys more with that mean. */
export const shrunkSql = (mean: string, n: string, prior: string): string =>
  `(${n} * ${mean} + ${leaderRules.shrinkK} * ${prior}) / (${n} + ${leaderRules.shrinkK})`

/** The same. A wallet without a replay is expected to be like all. */
export const shrunk = ({ evRaw, n }: Pick<CopyMetrics, 'evRaw' | 'n'>, prior: number): number =>
  (n * (evRaw ?? 0) + leaderRules.shrinkK * prior) / (n + leaderRules.shrinkK)
