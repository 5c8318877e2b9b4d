import type { Database } from '../../../infra/clickhouse/database.ts'
import type { Call } from '../../../schemas/calls/derived.ts'
import type { Stage } from '../../../schemas/stage.ts'
import { type EpochMs, hourMs } from '../../../schemas/units.ts'
import type { RowContext } from '../../columns.ts'
import type { Cut, StageCut } from '../../cuts.ts'
import { createRecentRows, type RecentRows } from '../../recent-rows.ts'
import { compareText, type RowAtCut, selectRowsAt } from '../../rows-at-cut.ts'
import { type RowOf, rowOfRecord, type Stamp } from '../../select.ts'
import type { Traded } from '../../trade-gaps/missing-trades.ts'
import type { TradeGaps } from '../../trade-gaps/trade-gaps.ts'
import type { CalledChain } from '../called-chain.ts'
import { type CallTables, callTablesOf } from '../tables.ts'
import type { CallRow } from './calls-queries.ts'

/** A chain with its newest calls, and the gaps in its recorded trades. */
type ReadChain = CalledChain & Readonly<{ tradeGaps: Pick<TradeGaps, 'withGaps'>; recentCalls: RecentCalls }>

type RecentCalls = RecentRows<Readonly<{ call: CallTables['Call'] }>, 'call'>

/** A list of live calls needs the rows of the last 2 h. The clock of the chats can be behind the chain. */
const keptMs = 3 * hourMs

export const createRecentCalls = (database: Database, { name }: Stage): RecentCalls =>
  createRecentRows({ database, tables: { call: callTablesOf(name).Call }, first: 'call', time: 'called_at_ms', keptMs })

export type CallsReading = Readonly<{
  database: Database
  chains: readonly ReadChain[]
}>

type BareCall = Omit<CallRow, 'gaps'>

type Question = Readonly<{
  /** The name of the chain’s stage. Null: all chains. */
  chain: string | null
  /** The range of times of the first posts. Both ends are included. */
  range: Readonly<{ from: number; to: number }>
  limit?: number
  /** Whether the range is in the last hours. Their calls are kept in memory. */
  isRecent: boolean
  /** Whether to select also the calls of addresses at which the chain’s node has no contract. */
  withoutContract: boolean
  /** The time of the last price on which the row depends. Null: the row has no price. */
  pricedToMs(row: BareCall): EpochMs | null
}>

/** Selects at most `limit` calls, newest first. Calls of the same time are sorted by chain and token. */
export async function selectCalls(
  { database, chains }: CallsReading,
  cut: Cut,
  question: Question,
): Promise<readonly CallRow[]> {
  const { chain: chainName, limit, withoutContract } = question
  const found: CallRow[] = []
  for (const chain of chains) {
    const { stage, tradeGaps } = chain
    const stageCut = cut.stages[stage.name]
    if (!stageCut || (chainName !== null && chainName !== stage.name)) continue
    const rows = await selectRows({ database, chain }, stageCut, question)
    const coinUsd = stageCut.coinPrice?.usd ?? null
    const calls = rows
      .filter(({ hasCode }) => withoutContract || hasCode !== false)
      .sort(newestFirst)
      .slice(0, limit)
      .map((row): BareCall => ({ coinUsd, ...callOf(row) }))
    found.push(...(await tradeGaps.withGaps(stageCut, calls, (row) => tradedOf(row, question.pricedToMs(row)))))
  }
  // The sort is stable, so calls of the same time stay in the order of chains and tokens.
  return withoutReplaced(found)
    .sort((left, right) => right.calledAtMs - left.calledAtMs)
    .slice(0, limit)
}

async function selectRows(
  { database, chain }: Readonly<{ database: Database; chain: ReadChain }>,
  cut: StageCut,
  { range, isRecent }: Pick<Question, 'range' | 'isRecent'>,
): Promise<readonly RowAtCut<CallTables['Call']>[]> {
  if (isRecent) return (await chain.recentCalls(cut, range)).map(({ call }) => call)
  const { Call: table } = callTablesOf(chain.stage.name)
  return (await selectRowsAt(database, table, { atMs: cut.atMs, conditions: { called_at_ms: range } })).rows
}

type Listed = Pick<RowAtCut<CallTables['Call']>, 'calledAtMs' | 'token'>

const newestFirst = (left: Listed, right: Listed): number =>
  right.calledAtMs - left.calledAtMs || compareText(left.token, right.token)

/**
 * Returns the span of the trades on which the row depends, in all markets of the token. All markets count,
 * because the pool continues the trading of a curve. Returns null if the row does not depend on trades in the
 * log.
 */
function tradedOf({ token, anchorAtMs, anchorSource, anchorIsAsked }: BareCall, toMs: EpochMs | null): Traded | null {
  // `anchorIsAsked` (whether a lookup returned the price) is null in older rows. For these rows, the source
  // of the price shows this.
  const isAsked = anchorIsAsked === true || anchorSource === 'aggregator'
  return anchorAtMs === null || toMs === null || isAsked ? null : { token, afterMs: anchorAtMs, toMs }
}

/**
 * Leaves out a call without a contract if the address also has a call with a contract. This happens when an address is posted before the
 * launch of its token.
 */
function withoutReplaced(rows: readonly CallRow[]): CallRow[] {
  const tokens = new Set(rows.flatMap(({ hasCode, token }) => (hasCode === false ? [] : [token])))
  return rows.filter(({ hasCode, token }) => hasCode !== false || !tokens.has(token))
}

type Published = Readonly<{ context: RowContext; stamp: Stamp; chain: string; coinUsd: number | null }>

/**
 * Returns the row that corresponds to a published record. `gaps` (missing trades) is null, because gaps
 * become known later.
 */
export const callAtRecord = (call: Call, { context, stamp, chain, coinUsd }: Published): CallRow => ({
  ...callOf(rowOfRecord(callTablesOf(chain).Call, call, context)),
  ...stamp,
  ...{ coinUsd, gaps: null },
})

/**
 * Removes the returns that were due after `clockMs`, the time up to which the chats were followed. The data
 * of a chain may be newer than the data of the chats.
 */
export function asOfClock(row: CallRow, clockMs: EpochMs): CallRow {
  const isReached = (hours: number) => row.calledAtMs + hours * hourMs <= clockMs
  return {
    ...row,
    ret1h: isReached(1) ? row.ret1h : null,
    ret4h: isReached(4) ? row.ret4h : null,
    ret12h: isReached(12) ? row.ret12h : null,
    ret24h: isReached(24) ? row.ret24h : null,
    ret48h: isReached(48) ? row.ret48h : null,
    isDone: isReached(48) && row.isDone,
  }
}

/** Converts the times inside `chats` from text to numbers. ClickHouse returns them as text. */
export const callOf = <Row extends RowOf<CallTables['Call']>>(row: Row): Row => ({
  ...row,
  chats: row.chats.map((chat) => ({ ...chat, firstAtMs: Number(chat.firstAtMs) })),
})
