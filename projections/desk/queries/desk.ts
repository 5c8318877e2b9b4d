/**
 * The queries for the paper desk (the simulated trading) on one chain: its track record, and its records about a token.
 */
import type { EpochMs } from '../../../schemas/units.ts'
import { atCut } from '../../at-cut.ts'
import type { StageCut } from '../../cuts.ts'
import type { RowsAt } from '../../rows-at-cut.ts'
import type { SubjectQuestion, SubjectRows } from '../../rows-of-subject.ts'
import { type RowOf, type Selected, type Stamp, selectOf, stampedRowOf } from '../../select.ts'
import type { AnyVersionTable } from '../../table.ts'
import type { DeskTables } from '../tables.ts'
import {
  createTrackRecord,
  type DeskQuestion,
  type DeskSource,
  type DeskTradeRow,
  openedIn,
  type TokenQuestion,
} from './track-record.ts'
import { type ComparedTrade, compareWithTwins } from './twins.ts'

type DeskShadowRow = Omit<RowOf<DeskTables['DeskShadow']>, 'chain'> & Stamp

export type DeskQueries = Readonly<{
  /**
   * Returns trades of the track record, newest closing first. Trades with equal closing times are ordered by
   * token, then by lane (strategy).
   */
  trades(cut: StageCut, question: DeskQuestion): Promise<readonly DeskTradeRow[]>
  /** Returns the same trades as `trades`, each with the returns of its twins (random trades for comparison). */
  compared(cut: StageCut, question: DeskQuestion): Promise<readonly ComparedTrade[]>
  /**
   * Returns the token's newest trade in the track record that closed at or after `sinceMs`, or null if there
   * is none. `token` is text from outside.
   */
  lastTrade(cut: StageCut, question: TokenQuestion): Promise<DeskTradeRow | null>
  /**
   * Returns the token's finished shadows with signals at or after `sinceMs`, oldest first. A shadow is a
   * record of the returns after a signal, without a trade. Backfilled shadows are included. `token` is text
   * from outside.
   */
  shadows(cut: StageCut, question: TokenQuestion): Promise<readonly DeskShadowRow[]>
}>

/**
 * What the paper desk (the simulated trading) adds to a verdict: the last closed trade of the token, and the
 * returns after its signals (shadows), oldest signal first.
 */
export type TokenDeskRow = Readonly<{ lastTrade: TokenTradeRow | null; shadows: readonly TokenShadowRow[] }>

export type TokenTradeRow = Pick<DeskTradeRow, 'book' | 'closedAtMs' | 'ret' | 'exit'>
export type TokenShadowRow = Pick<
  DeskShadowRow,
  'signalAtMs' | 'signal' | 'ret1' | 'ret5' | 'ret15' | 'ret60' | 'mfe' | 'mae'
>

type DeskTablesAndRules = Pick<DeskSource, 'tables' | 'desk'>

/**
 * Returns the tables of simulated trades and shadows, with the time spans of the rows about a token that a
 * verdict uses.
 */
export const deskTables = (
  { tables, desk }: DeskTablesAndRules,
  { sinceMs, toMs }: Readonly<{ sinceMs: EpochMs; toMs: EpochMs }>,
): SubjectQuestion['tables'] => [
  [tables.DeskTrade, openedIn(desk, { blockAtMs: toMs }, { sinceMs })],
  [tables.DeskShadow, { from: sinceMs, to: toMs }],
]

/**
 * Selects the trades and shadows that the paper desk (the simulated trading) adds to a verdict.
 * `question.token` is text from outside. `rows` has the rows of the token in `deskTables`. Most tokens have
 * none.
 */
export async function selectTokenDesk(
  { queries, tables }: Readonly<{ queries: DeskQueries }> & DeskTablesAndRules,
  cut: StageCut,
  { rows, ...question }: TokenQuestion & Readonly<{ rows: SubjectRows }>,
): Promise<TokenDeskRow> {
  const [trades, shadowed] = await Promise.all([rows.of(tables.DeskTrade, 1), rows.of(tables.DeskShadow, 1)])
  const [lastTrade, shadows] = await Promise.all([
    isEmpty(trades) ? null : queries.lastTrade(cut, question),
    isEmpty(shadowed) ? [] : queries.shadows(cut, question),
  ])
  return { lastTrade, shadows }
}

const isEmpty = ({ rows, isAll }: RowsAt<AnyVersionTable>): boolean => isAll && rows.length === 0

export function createDeskQueries(source: DeskSource): DeskQueries {
  const record = createTrackRecord(source)
  return {
    trades: record.newest,
    compared: async (cut, question) => compareWithTwins(source, cut, { trades: await record.newest(cut, question) }),
    lastTrade: record.lastOf,
    shadows: (cut, question) => selectShadows(source, cut, question),
  }
}

async function selectShadows(
  { database, tables: { DeskShadow: shadows } }: DeskSource,
  cut: StageCut,
  { token, sinceMs }: TokenQuestion,
): Promise<readonly DeskShadowRow[]> {
  const keys = {
    signal_at_ms: { from: Math.max(0, Math.floor(sinceMs)), to: cut.blockAtMs },
    token: { sql: '= {token:String}' },
  }
  const rows = await database.query<Selected>(
    `SELECT ${selectOf(shadows, 's')} FROM ${atCut(shadows, cut.atMs, keys)} AS s
     ORDER BY s.signal_at_ms, s.signal`,
    { token },
  )
  return rows.map((selected) => stampedRowOf(shadows, 's', selected))
}
