/**
 * Computes statistics of a list of closed trades, and compares the trades with their twins (random trades in
 * other tokens).
 */

import { type Cluster, meanInterval } from '../../../infra/statistics/bootstrap.ts'
import { meanOf, medianOf, momentsOf, topShareOf, trimmedMeanOf } from '../../../infra/statistics/moments.ts'
import { deskRules } from '../../../schemas/desk/rules.ts'
import { dayMs, type EpochMs } from '../../../schemas/units.ts'
import type { ComparedTrade } from '../queries/twins.ts'
import { deflatedSharpe, probabilisticSharpe, sharpeOf } from './sharpe.ts'

export type DeskTrade = Pick<ComparedTrade, 'token' | 'lane' | 'openedAtMs' | 'closedAtMs' | 'ret' | 'twins'>

const { twinsMax } = deskRules

export const statisticsRules = {
  trim: 0.05,
  top: 0.01,
  level: 0.9,
  draws: 1000,
  indexStart: 100,
  indexPointsMax: 400,
} as const

export type Summary = Readonly<{
  n: number
  wins: number
  mean: number | null
  median: number | null
  trimmedMean: number | null
  topShare: number | null
}>

export function summaryOf(trades: readonly DeskTrade[]): Summary {
  const returns = trades.map(({ ret }) => ret)
  const wins = returns.filter((ret) => ret > 0).length
  if (returns.length === 0) return { n: 0, wins, mean: null, median: null, trimmedMean: null, topShare: null }
  return {
    n: returns.length,
    wins,
    mean: meanOf(returns),
    median: medianOf(returns),
    trimmedMean: trimmedMeanOf(returns, statisticsRules.trim),
    topShare: topShareOf(returns, statisticsRules.top),
  }
}

/**
 * Compares the return of each trade with the mean return of its twins (random trades in other tokens). Trades
 * without a twin are left out. `n` is the number of trades with a twin, and `edge` is the mean of the
 * differences.
 */
export type Comparison = Readonly<{
  n: number
  mean: number | null
  edge: number | null
  edgeLow: number | null
  edgeHigh: number | null
  p: number | null
}>

export function comparisonOf(trades: readonly DeskTrade[], seed: number): Comparison {
  const compared = trades.filter(({ twins }) => twins.length > 0)
  const n = compared.length
  if (n === 0) return { n, mean: null, edge: null, edgeLow: null, edgeHigh: null, p: null }
  const edges = compared.map((trade) => ({ trade, edge: trade.ret - meanOf(trade.twins) }))
  const { draws, level } = statisticsRules
  const [edgeLow, edgeHigh] = meanInterval(clustersOf(edges), { seed, draws, level }) ?? [null, null]
  const deskMean = meanOf(compared.map(({ ret }) => ret))
  // If a trade has fewer than `twinsMax` twins (random trades), its twins are used again in the same order.
  const twinDesk = (index: number) => meanOf(compared.map(({ twins }) => twins[index % twins.length] ?? 0))
  const twinMeans = Array.from({ length: twinsMax }, (_, index) => twinDesk(index))
  const better = twinMeans.filter((mean) => mean >= deskMean).length
  return {
    n,
    mean: meanOf(twinMeans),
    edge: meanOf(edges.map(({ edge }) => edge)),
    edgeLow,
    edgeHigh,
    p: (1 + better) / (twinsMax + 1),
  }
}

type Edge = Readonly<{ trade: DeskTrade; edge: number }>

/**
 * Groups the edges (return of a trade minus the mean return of its twins) by token and by UTC day of the
 * opening. Groups are ordered by the opening time of their first trade.
 */
function clustersOf(edges: readonly Edge[]): readonly Cluster[] {
  const byName = new Map<string, { sum: number; n: number }>()
  for (const { trade, edge } of [...edges].sort((left, right) => left.trade.openedAtMs - right.trade.openedAtMs)) {
    const name = `${Math.floor(trade.openedAtMs / dayMs)} ${trade.token}`
    const cluster = byName.get(name) ?? { sum: 0, n: 0 }
    byName.set(name, { sum: cluster.sum + edge, n: cluster.n + 1 })
  }
  return [...byName.values()]
}

/**
 * The number of lanes (trading strategies) that were tried, and the Sharpe ratios of those lanes for which a
 * ratio can be computed.
 */
export type Trials = Readonly<{ count: number; ratios: readonly number[] }>

export const ratioOf = (trades: readonly DeskTrade[]): number | null => {
  const moments = momentsOf(trades.map(({ ret }) => ret))
  return moments && sharpeOf(moments)
}

export type Certainty = Readonly<{ sharpe: number | null; psr: number | null; dsr: number | null }>

/**
 * Computes the Sharpe ratio per trade, and how certain the ratio is. The results are null if there are fewer
 * than two trades, or if all returns are equal.
 */
export function certaintyOf(trades: readonly DeskTrade[], trials: Trials): Certainty {
  const moments = momentsOf(trades.map(({ ret }) => ret))
  if (moments === null) return { sharpe: null, psr: null, dsr: null }
  return {
    sharpe: sharpeOf(moments),
    psr: probabilisticSharpe(moments, 0),
    dsr: deflatedSharpe(moments, trials),
  }
}

/**
 * Returns the index value after each closing of a trade. The index begins at `indexStart`. Every trade stakes
 * one point, so its return is added to the index. If there are more closings than `indexPointsMax`, only
 * every n-th closing is returned. The last closing is always returned.
 */
export function equityIndexOf(trades: readonly DeskTrade[]): readonly (readonly [atMs: EpochMs, index: number])[] {
  const { indexStart, indexPointsMax } = statisticsRules
  const closed = [...trades].sort((left, right) => left.closedAtMs - right.closedAtMs)
  let index = indexStart
  const points = closed.map(({ closedAtMs, ret }) => {
    index += ret
    return [closedAtMs, index] as const
  })
  const step = Math.ceil(points.length / indexPointsMax)
  return points.filter((_, at) => (points.length - 1 - at) % step === 0)
}
