/** Finds the rows of API answers that depend on a gap, a time with missing trades. */

import type { Database } from '../../infra/clickhouse/database.ts'
import { type DurationMs, dayMs, type EpochMs, hourMs } from '../../schemas/units.ts'
import { atCut } from '../at-cut.ts'
import type { StageCut } from '../cuts.ts'
import { selectRowsAt } from '../rows-at-cut.ts'
import { createTracked, identifiersIn } from '../tracked.ts'
import {
  type CoinOf,
  type GapCounts,
  type MissingTrades,
  missingIn,
  type Traded,
  type WithGaps,
} from './missing-trades.ts'
import type { TradeGapRow, TradeGapTable } from './trade-gap-table.ts'

/** What a query needs to select rows together with their gaps. */
export type GapReading = Readonly<{ database: Database; gaps: Pick<TradeGaps, 'withGaps' | 'missingTrades'> }>

export type TradeGaps = Readonly<{
  /**
   * Returns, for the trades on which each row depends, those that are missing, as known at the cut. If a row depends on
   * no trades (null), the result is null. Gaps (times with missing trades) are queried only if one of the tokens has a
   * known gap.
   */
  missingTrades(cut: StageCut, traded: readonly (Traded | null)[]): Promise<readonly (MissingTrades | null)[]>
  /** Adds to each row its missing trades. `tradedOf` returns the trades on which a row depends. */
  withGaps<Row>(
    cut: StageCut,
    rows: readonly Row[],
    tradedOf: (row: Row) => Traded | null,
  ): Promise<readonly WithGaps<Row>[]>
  /** Returns the number of gaps in the recorded trades of the last 24 h, by state of the gap. */
  countLastDay(cut: StageCut): Promise<StateCounts>
}>

export type StateCounts = Omit<GapCounts, 'unchecked'>

type Source = Readonly<{ database: Database; table: TradeGapTable; coinOf: CoinOf }>

/**
 * Creates the queries for gaps in the recorded trades. `database` has the reader role. `coinOf` converts an
 * amount in the smallest unit of the coin to ETH or SOL.
 */
export function createTradeGaps({ database, table, coinOf }: Source): TradeGaps {
  // Tokens with gaps are kept in memory for ever (`life` is null), because a request may be about an old cut.
  const tracked = createTracked(database, [identifiersIn(table, 'token', null)])
  const gapsOf = async (cut: StageCut, traded: readonly Traded[]) => {
    const tokens = [...new Set(traded.map(({ token }) => token))]
    const holding = await Promise.all(tokens.map((token) => tracked.mayHold(token, cut)))
    const candidates = tokens.filter((_, index) => holding[index])
    if (candidates.length === 0) return new Map<string, TradeGapRow[]>()
    const afterMs = Math.min(...traded.map((one) => one.afterMs))
    return groupByToken(await selectGaps({ database, table }, cut, { tokens: candidates, afterMs }))
  }
  const missingTrades: TradeGaps['missingTrades'] = async (cut, traded) => {
    const gaps = await gapsOf(
      cut,
      traded.filter((where) => where !== null),
    )
    return traded.map((where) => where && missingIn(gaps.get(where.token) ?? [], where, coinOf))
  }
  return {
    missingTrades,
    async withGaps(cut, rows, tradedOf) {
      const missing = await missingTrades(cut, rows.map(tradedOf))
      return rows.map((row, index) => ({ gaps: missing[index] ?? null, ...row }))
    },
    async countLastDay(cut) {
      const hours = await countGapsByHour({ database, table }, cut, dayMs)
      return [...hours.values()].reduce(sumOf, noGaps)
    },
  }
}

function groupByToken(gaps: readonly TradeGapRow[]): ReadonlyMap<string, readonly TradeGapRow[]> {
  const byToken = new Map<string, TradeGapRow[]>()
  for (const gap of gaps) {
    const ofToken = byToken.get(gap.token) ?? []
    ofToken.push(gap)
    byToken.set(gap.token, ofToken)
  }
  return byToken
}

type Reading = Pick<Source, 'database' | 'table'>

/**
 * Selects the gaps of the tokens whose `at_ms` is later than `afterMs`. `at_ms` is the time of the first
 * trade or migration after the gap. If there is none, `at_ms` is the time when the missing trades were read
 * or given up.
 *
 * `at_ms` is never before the end of the gap. So all gaps that end after `afterMs` are found, and some that
 * end earlier. There is no upper limit, because a gap that begins in the time of a row may end much later.
 */
async function selectGaps(
  { database, table }: Reading,
  cut: StageCut,
  { tokens, afterMs }: Readonly<{ tokens: readonly string[]; afterMs: EpochMs }>,
): Promise<readonly TradeGapRow[]> {
  const { rows } = await selectRowsAt(database, table, {
    atMs: cut.atMs,
    conditions: { token: { sql: 'IN {tokens:Array(String)}' }, at_ms: { sql: `> ${Math.floor(afterMs)}` } },
    parameters: { tokens },
  })
  return rows
}

const noGaps: StateCounts = { open: 0, givenUp: 0, late: 0 }

const sumOf = (left: StateCounts, right: StateCounts): StateCounts => ({
  open: left.open + right.open,
  givenUp: left.givenUp + right.givenUp,
  late: left.late + right.late,
})

const nameOfState = { open: 'open', given_up: 'givenUp', late: 'late' } as const

/**
 * Returns the number of gaps in the recorded trades in the last `backMs` before the cut, by state. The gaps
 * are grouped by the hour of their `at_ms`. Gaps of 0 trades do not count.
 */
export async function countGapsByHour(
  { database, table }: Reading,
  cut: StageCut,
  backMs: DurationMs,
): Promise<ReadonlyMap<number, StateCounts>> {
  const rows = await database.query<{ hourAtMs: string; state: keyof typeof nameOfState; count: string }>(
    `SELECT intDiv(at_ms, ${hourMs}) * ${hourMs} AS hourAtMs, state, count() AS count FROM ${atCut(table, cut.atMs, {
      at_ms: { from: cut.blockAtMs - backMs + 1, to: cut.blockAtMs },
    })} WHERE trades IS NULL OR trades > 0 GROUP BY hourAtMs, state`,
  )
  const hours = new Map<number, StateCounts>()
  for (const { hourAtMs, state, count } of rows) {
    const counts = hours.get(Number(hourAtMs)) ?? noGaps
    hours.set(Number(hourAtMs), { ...counts, [nameOfState[state]]: Number(count) })
  }
  return hours
}
