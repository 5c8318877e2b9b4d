/**
 * Selects the followed buys of one wallet and the results of copying them, at the time of the valid list of
 * leaders (wallets worth copying).
 */

import type { Database } from '../../../infra/clickhouse/database.ts'
import { leaderRules, listedBuysMax, shadowRules } from '../../../schemas/chain-b/copy-rules.ts'
import { graduatedLifeMs } from '../../../schemas/chain-b/mint-life.ts'
import { type EpochMs, minuteMs } from '../../../schemas/units.ts'
import { atCut } from '../../at-cut.ts'
import type { StageCut } from '../../cuts.ts'
import { detailsOf, rowOf, type Selected, selectOf, stampIn, stampOf } from '../../select.ts'
import type { Traded } from '../../trade-gaps/missing-trades.ts'
import type { GapReading } from '../../trade-gaps/trade-gaps.ts'
import { chainBCopies } from '../tables/chain-b-copies.ts'
import { chainBCopyResults } from '../tables/chain-b-copy-results.ts'
import { copyKey } from '../tables/copy-key.ts'
import type { CopyBuyRow, CopyStatsRow, LeaderListRow } from './chain-b-queries.ts'
import { type CopyMetrics, metricsSql, shrunk } from './copy-metrics.ts'
import { finishedSince } from './leader-list.ts'
import { createOtherLeaders, type OtherLeaders } from './other-leaders.ts'
import { since } from './since.ts'
import { solOfLamports } from './units.ts'

const ofWallet = { sql: '= {wallet:String}' }

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
  const [selected, metrics, countOthers] = await Promise.all([
    selectBuys(database, then, wallet),
    selectMetrics(database, then, wallet),
    otherLeaders(then),
  ])
  if (selected.buys.length === 0) return null
  const rank = list.leaders.findIndex((leader) => leader.wallet === wallet) + 1
  return {
    rebuiltAtMs: list.rebuiltAtMs,
    buys: await gaps.withGaps(
      then,
      selected.buys.map((buy) => ({ otherLeaders: countOthers(buy), ...buy })),
      (buy) => tradedOf(buy, selected.firstAtMs.get(buy.mint) ?? buy.atMs),
    ),
    summary: {
      ...metrics,
      buys: selected.count,
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

const nothingKnown: CopyMetrics = {
  ...{ n: 0, evRaw: null, winShare: null, shadowed: 0, shadowHit: null },
  ...{ sold: 0, medSoldSec: null, medSellGain: null, soldWithin60s: 0 },
}

async function selectMetrics(database: Database, then: StageCut, wallet: string): Promise<CopyMetrics> {
  const source = atCut(chainBCopyResults, then.atMs, { wallet: ofWallet, at_ms: finishedSince(then) })
  const [metrics] = await database.query<CopyMetrics>(
    `SELECT n, evRaw, winShare, shadowed, shadowHit, sold, medSoldSec, medSellGain, soldWithin60s
     FROM (${metricsSql(source)})`,
    { wallet },
  )
  return metrics ?? nothingKnown
}

type BareBuy = Omit<CopyBuyRow, 'gaps'>
type Buy = Omit<BareBuy, 'otherLeaders'>

/**
 * `count` is the number of all buys in the window. `firstAtMs` has, for each mint, the time of the wallet's
 * first buy in the window.
 */
type Bought = Readonly<{ buys: readonly Buy[]; count: number; firstAtMs: ReadonlyMap<string, number> }>

/** Selects the newest buys of the wallet in the window, and counts all its buys in the window. */
async function selectBuys(database: Database, then: StageCut, wallet: string): Promise<Bought> {
  const source = atCut(chainBCopies, then.atMs, { wallet: ofWallet, at_ms: since(then, leaderRules.windowMs) })
  const results = atCut(chainBCopyResults, then.atMs, { wallet: ofWallet, at_ms: finishedSince(then) })
  const on = copyKey.map((column) => `r.${column} = c.${column}`).join(' AND ')
  const rows = await database.query<Selected>(
    `SELECT ${selectOf(chainBCopies, 'c')}, ${selectOf(chainBCopyResults, 'r')}, count() OVER () AS buys,
       min(c.at_ms) OVER (PARTITION BY c.mint) AS firstAtMs
     FROM ${source} AS c LEFT JOIN ${results} AS r ON ${on}
     ORDER BY c.at_ms DESC, c.slot DESC, c.mint, c.tx_hash, c.log_index LIMIT ${listedBuysMax}`,
    { wallet },
  )
  const buys = rows.map(toBuy)
  const firstAtMs = new Map(buys.map(({ mint }, index) => [mint, Number(rows[index]?.firstAtMs)]))
  return { buys, count: Number(rows[0]?.buys ?? 0), firstAtMs }
}

function toBuy(selected: Selected): Buy {
  const copy = rowOf(chainBCopies, 'c', selected)
  return {
    leaderSol: solOfLamports(copy.lamports),
    tokenAgeMin: copy.launchAtMs === null ? null : (copy.atMs - copy.launchAtMs) / minuteMs,
    result: detailsOf(chainBCopyResults, 'r', selected),
    filled: { seconds: null, outcome: stampIn('r', selected) },
    ...copy,
    ...stampOf('c', selected),
  }
}
