/**
 * Computes the results of copying the buys of wallets. The list of leaders (wallets worth copying) and the
 * answer about one wallet use these results.
 */
import { leaderRules } from '../../../schemas/chain-b/copy-rules.ts'
import type { LeaderRow } from '../tables/chain-b-leader-lists.ts'

/**
 * Statistics of the followed buys of a wallet. A mean or share is null if there is no buy from which to
 * compute it.
 */
export type CopyMetrics = Pick<LeaderRow, 'n' | 'shadowed' | 'sold' | 'medSoldSec' | 'medSellGain' | 'soldWithin60s'> &
  Readonly<{ evRaw: number | null; winShare: number | null; shadowHit: number | null }>

/**
 * The number of units in a return of 1 (+100 %). Returns are summed as whole units, because a sum of doubles
 * would depend on the order of the rows. A return has at most 16 digits, and a unit is small enough to keep
 * them all.
 */
const retUnits = 1e15

const unitsSql = `toInt64(round(least(ifNull(ret, 0), ${leaderRules.retMax}) * ${retUnits}))`

/**
 * Returns SQL for the mean of `count` returns. `units` is SQL for the sum of these returns, in units of 1 /
 * `retUnits`.
 */
const meanSql = (units: string, count: string): string => `toFloat64(${units}) / ${retUnits} / ${count}`

const isReplayed = 'ret IS NOT NULL'

/**
 * Returns SQL for one row per wallet. `source` is what follows FROM: a subquery for results of followed buys. The columns
 * are the wallet, the fields of `CopyMetrics`, and `more`. A mean is NaN if there is no replay. A replay is the simulated
 * copy of a buy.
 *
 * All of it is one SELECT, because ClickHouse plans each level of subqueries.
 */
export const metricsSql = (source: string, more: Readonly<Record<string, string>>): string =>
  `WITH ${unitsSql} AS units,
      groupArraySortedIf(${leaderRules.bigBuysMax})((-at_ms, mint, tx_hash, log_index, units), ${isReplayed}) AS newest
    SELECT wallet, toInt32(length(newest)) AS n,
      ${meanSql('arraySum(replay -> replay.5, newest)', 'n')} AS evRaw,
      arrayCount(replay -> replay.5 > 0, newest) / n AS winShare,
      toInt32(count()) AS shadowed, countIf(is_hit) / shadowed AS shadowHit,
      toInt32(countIf(sale_after_sec IS NOT NULL)) AS sold,
      quantileExactInclusive(0.5)(sale_after_sec) AS medSoldSec, quantileExactInclusive(0.5)(sale_gain) AS medSellGain,
      toInt32(countIf(sale_after_sec <= ${leaderRules.quickSaleSec})) AS soldWithin60s,
      ${Object.entries(more)
        .map(([name, sql]) => `${sql} AS ${name}`)
        .join(', ')}
    FROM ${source} GROUP BY wallet`

/**
 * More columns for `metricsSql`: the mean return of the replays of all wallets of the source, and their number. The mean
 * is NaN if there is no replay.
 */
export const ofAllWallets = {
  prior: meanSql(`sum(sumIf(toInt128(units), ${isReplayed})) OVER ()`, 'replays'),
  replays: `toInt64(sum(countIf(${isReplayed})) OVER ())`,
}

/**
 * Returns SQL that shrinks (moves) a wallet's mean return toward the mean of all wallets. The result is the
 * mean that the wallet would have with `shrinkK` more buys at the mean of all wallets.
 */
export const shrunkSql = (mean: string, n: string, prior: string): string =>
  `(${n} * ${mean} + ${leaderRules.shrinkK} * ${prior}) / (${n} + ${leaderRules.shrinkK})`

/**
 * Computes the same as `shrunkSql` in TypeScript. For a wallet without a simulated copy, the result is the
 * mean of all wallets.
 */
export const shrunk = ({ evRaw, n }: Pick<CopyMetrics, 'evRaw' | 'n'>, prior: number): number =>
  (n * (evRaw ?? 0) + leaderRules.shrinkK * prior) / (n + leaderRules.shrinkK)
