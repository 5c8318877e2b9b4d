import { quoted } from '../../../infra/clickhouse/database.ts'
import { type Desk, deskRules, twinLaneOf } from '../../../schemas/desk/rules.ts'
import { atCut } from '../../at-cut.ts'
import type { StageCut } from '../../cuts.ts'
import type { DeskSource, DeskTradeRow } from './track-record.ts'

/**
 * A trade, and the returns of the random trades (twins) with which it is compared. The returns are in the
 * order of a hash of each twin.
 */
export type ComparedTrade = DeskTradeRow & Readonly<{ twins: readonly number[] }>

/**
 * The number of trades in one query. The query has their keys as text, and a server limits its length. The keys are no
 * parameter, because the embedded engine runs queries with parameters one at a time, and this one takes long.
 */
const tradesPerQueryDefault = 500

/** Adds the returns of its twins to each trade. */
export async function compareWithTwins(
  source: DeskSource,
  cut: StageCut,
  {
    trades,
    tradesPerQuery = tradesPerQueryDefault,
  }: Readonly<{ trades: readonly DeskTradeRow[]; tradesPerQuery?: number }>,
): Promise<readonly ComparedTrade[]> {
  const compared: ComparedTrade[] = []
  for (let from = 0; from < trades.length; from += tradesPerQuery) {
    const part = trades.slice(from, from + tradesPerQuery)
    const twins = await selectTwins(source, cut, part)
    compared.push(...part.map((trade, index) => ({ twins: twins.get(index) ?? [], ...trade })))
  }
  return compared
}

/**
 * Selects up to 20 twins for each trade, in the order of a hash of trade and twin. A twin is a random trade
 * in another token. It uses the exit rule of the trade's lane (strategy), and opened at most ten minutes
 * before or after the trade. The result has the twins of each trade by the index of the trade.
 *
 * To keep the join small, opening times are divided into intervals of ten minutes. A twin is in the interval
 * of its trade or in a neighbouring interval.
 */
async function selectTwins(
  { database, tables, desk }: DeskSource,
  cut: StageCut,
  trades: readonly DeskTradeRow[],
): Promise<ReadonlyMap<number, readonly number[]>> {
  const { twinWithinMs: withinMs, twinsMax, knownWithinMs } = deskRules
  const instants = trades.map(({ openedAtMs }) => openedAtMs)
  const opened_at_ms = {
    from: Math.max(0, Math.min(...instants) - withinMs),
    to: Math.min(cut.blockAtMs, Math.max(...instants) + withinMs),
  }
  const rows = await database.query<Readonly<{ index: number; twins: number[] }>>(
    `SELECT index, arrayMap(one -> one.2, arraySlice(arraySort(groupArray((hash, ret))), 1, ${twinsMax})) AS twins
    FROM (
      SELECT s.index AS index, w.ret AS ret,
        hex(MD5(concat(s.token, ':', s.lane, ':', toString(s.openedAtMs), ':', w.token, ':', toString(w.opened_at_ms)))) AS hash
      FROM (
        SELECT one.1 AS index, one.2 AS token, one.3 AS lane, one.4 AS twinLane, one.5 AS openedAtMs,
          arrayJoin([-1, 0, 1]) + intDiv(openedAtMs, ${withinMs}) AS slot
        FROM (SELECT arrayJoin(JSONExtract(${quoted(keysOf(trades, desk))}, 'Array(Tuple(UInt32, String, String, String, Int64))')) AS one)
      ) AS s
      INNER JOIN (
        SELECT *, intDiv(opened_at_ms, ${withinMs}) AS slot FROM ${atCut(tables.DeskTwin, cut.atMs, { opened_at_ms })} AS x
        WHERE x.known_at_ms - x.closed_at_ms <= ${knownWithinMs}
      ) AS w ON w.lane = s.twinLane AND w.slot = s.slot
      WHERE w.token != s.token AND abs(w.opened_at_ms - s.openedAtMs) <= ${withinMs}
    ) GROUP BY index`,
  )
  return new Map(rows.map(({ index, twins }) => [index, twins]))
}

/** Returns the index, token, lane, lane of the twins and opening time of each trade, as JSON. */
function keysOf(trades: readonly DeskTradeRow[], { lanes }: Desk): string {
  const twinLanes = new Map(lanes.map((lane) => [lane.name, twinLaneOf(lane)]))
  return JSON.stringify(
    trades.map(({ token, lane, openedAtMs }, index) => [index, token, lane, twinLanes.get(lane) ?? lane, openedAtMs]),
  )
}
