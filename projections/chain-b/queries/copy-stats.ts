/**
 * Selects the followed buys of one wallet and the results of copying them, at the time of the valid list of
 * leaders (wallets worth copying).
 */

import { shadowRules } from '../../../schemas/chain-b/copy-rules.ts'
import { graduatedLifeMs } from '../../../schemas/chain-b/mint-life.ts'
import { type EpochMs, minuteMs } from '../../../schemas/units.ts'
import type { StageCut } from '../../cuts.ts'
import { detailsAt, stampAt } from '../../rows-at-cut.ts'
import type { Traded } from '../../trade-gaps/missing-trades.ts'
import type { GapReading } from '../../trade-gaps/trade-gaps.ts'
import { chainBCopyResults } from '../tables/chain-b-copy-results.ts'
import type { CopyBuyRow, CopyStatsRow, LeaderListRow } from './chain-b-queries.ts'
import { shrunk } from './copy-metrics.ts'
import { createOtherLeaders, type OtherLeaders } from './other-leaders.ts'
import { solOfLamports } from './units.ts'
import { selectWalletCopies, type WalletCopies } from './wallet-copies.ts'

type CopyStatsOf = (
  question: Readonly<{ list: LeaderListRow; cut: StageCut }>,
  wallet: string,
) => Promise<CopyStatsRow | null>

/** The maximum number of cached answers. One answer takes at most about 100 KB. */
const keptMax = 64

/**
 * Caches the most recent answers. Until the next list of leaders, the answer about a wallet does not change.
 */
export function createCopyStats({ database, gaps }: GapReading): CopyStatsOf {
  const reading = { database, gaps, otherLeaders: createOtherLeaders(database) }
  const kept = new Map<string, Promise<CopyStatsRow | null>>()
  return (question, wallet) => {
    const id = `${question.list.knownAtMs} ${wallet}`
    const found = kept.get(id)
    if (found) return found
    const stats = selectCopyStats(reading, question, wallet)
    kept.set(id, stats)
    stats.catch(() => kept.delete(id))
    for (const oldest of kept.keys()) {
      if (kept.size <= keptMax) break
      kept.delete(oldest)
    }
    return stats
  }
}

type CopyReading = GapReading & Readonly<{ otherLeaders: OtherLeaders }>

/**
 * Returns the results of copying a wallet, or null if the wallet has no followed buy in the window. `wallet`
 * is text from outside.
 */
export async function selectCopyStats(
  { database, gaps, otherLeaders }: CopyReading,
  { list, cut }: Readonly<{ list: LeaderListRow; cut: StageCut }>,
  wallet: string,
): Promise<CopyStatsRow | null> {
  const then: StageCut = { ...cut, atMs: list.knownAtMs, blockAtMs: list.rebuiltAtMs }
  const [copies, countOthers] = await Promise.all([selectWalletCopies(database, then, wallet), otherLeaders(then)])
  const { metrics } = copies
  if (copies.count === 0) return null
  const rank = list.leaders.findIndex((leader) => leader.wallet === wallet) + 1
  return {
    rebuiltAtMs: list.rebuiltAtMs,
    buys: await gaps.withGaps(
      then,
      copies.buys.map((buy) => ({ otherLeaders: countOthers(buy), ...toBuy(buy, copies.resultOf(buy)) })),
      (buy) => tradedOf(buy, copies.firstAtMs.get(buy.mint) ?? buy.atMs),
    ),
    summary: {
      ...metrics,
      buys: copies.count,
      evShrunk: shrunk(metrics, list.prior),
      prior: list.prior,
      rank: rank === 0 ? null : rank,
    },
  }
}

/**
 * Returns the time span of the trades on which the buy's row depends. The span always has the hour after the
 * buy. Earlier trades belong to the span in two cases:
 * - The share of a sale depends on all buys and sales since the wallet last held nothing.
 * - A buy in the pool is followed only if the curve was completed shortly before.
 */
function tradedOf({ mint, atMs, fillAt, result }: BareBuy, firstAtMs: EpochMs): Traded {
  const soldFromMs = result === null || result.saleShare === null ? atMs : firstAtMs - shadowRules.windowMs
  const completeFromMs = fillAt === 1 ? atMs - (graduatedLifeMs - shadowRules.windowMs) : atMs
  const afterMs = Math.min(atMs - 1, soldFromMs - 1, completeFromMs)
  return { token: mint, afterMs, toMs: atMs + shadowRules.windowMs }
}

type BareBuy = Omit<CopyBuyRow, 'gaps'>
type Buy = Omit<BareBuy, 'otherLeaders'>

function toBuy(copy: WalletCopies['buys'][number], result: ReturnType<WalletCopies['resultOf']>): Buy {
  return {
    leaderSol: solOfLamports(copy.lamports),
    tokenAgeMin: copy.launchAtMs === null ? null : (copy.atMs - copy.launchAtMs) / minuteMs,
    result: detailsAt(chainBCopyResults, result),
    filled: { seconds: null, outcome: stampAt(result) },
    ...copy,
  }
}
