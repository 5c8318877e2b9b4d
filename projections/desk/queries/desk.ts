/**
 * The track record of the paper desk (the simulated trading) on one chain. It contains the trades whose
 * opening and closing each became known within two minutes. Trades that became known later, for example after
 * an outage or from a backfill, are left out.
 */
import type { Database } from '../../../infra/clickhouse/database.ts'
import type { Book } from '../../../schemas/desk/derived.ts'
import { type Desk, deskRules, twinLaneOf } from '../../../schemas/desk/rules.ts'
import type { EpochMs } from '../../../schemas/units.ts'
import { atCut } from '../../at-cut.ts'
import type { StageCut } from '../../cuts.ts'
import type { RowsAt } from '../../rows-at-cut.ts'
import type { SubjectQuestion, SubjectRows } from '../../rows-of-subject.ts'
import { type RowOf, type Selected, type Stamp, selectOf, stampedRowOf } from '../../select.ts'
import type { AnyVersionTable } from '../../table.ts'
import type { DeskTables } from '../tables.ts'

export type DeskTradeRow = Omit<RowOf<DeskTables['DeskTrade']>, 'chain'> & Stamp
export type DeskShadowRow = Omit<RowOf<DeskTables['DeskShadow']>, 'chain'> & Stamp

/** The parameters of a query for closed trades. `sinceMs` is the earliest closing time. */
type DeskQuestion = Readonly<{ sinceMs: EpochMs; book: Book | 'all'; limit: number }>

/**
 * A trade, and the returns of the random trades (twins) with which it is compared. The returns are in the
 * order of a hash of each twin.
 */
export type ComparedTrade = DeskTradeRow & Readonly<{ twins: readonly number[] }>

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

type DeskTablesAndRules = Pick<Source, 'tables' | 'desk'>

/**
 * Returns the tables of simulated trades and shadows, with the time spans of the rows about a token that a
 * verdict uses.
 */
export const deskTables = (
  { tables, desk }: DeskTablesAndRules,
  { sinceMs, toMs }: Readonly<{ sinceMs: EpochMs; toMs: EpochMs }>,
): SubjectQuestion['tables'] => [
  [tables.DeskTrade, { from: openedSince({ desk }, { sinceMs }), to: toMs }],
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

type TokenQuestion = Readonly<{ token: string; sinceMs: EpochMs }>

type Source = Readonly<{ database: Database; tables: DeskTables; desk: Desk }>

export const createDeskQueries = (source: Source): DeskQueries => ({
  trades: (cut, question) => selectTrades(source, cut, question),
  async compared(cut, question) {
    const [trades, twins] = await Promise.all([selectTrades(source, cut, question), selectTwins(source, cut, question)])
    return trades.map((trade) => ({ twins: twins.get(keyOf(trade)) ?? [], ...trade }))
  },
  async lastTrade(cut, { token, sinceMs }) {
    const question = { sinceMs, book: 'all', limit: 1, token } as const
    return (await selectTrades(source, cut, question))[0] ?? null
  },
  shadows: (cut, question) => selectShadows(source, cut, question),
})

const keyOf = ({ token, lane, openedAtMs }: Pick<DeskTradeRow, 'token' | 'lane' | 'openedAtMs'>): string =>
  `${token}:${lane}:${openedAtMs}`

/**
 * Returns the earliest possible opening time of a trade that closed at or after `sinceMs`. No position stays
 * open longer than `timeMs`, a limit of its lane (strategy).
 */
const openedSince = ({ desk }: Pick<Source, 'desk'>, { sinceMs }: Pick<DeskQuestion, 'sinceMs'>): number =>
  Math.max(0, Math.floor(sinceMs) - Math.max(...desk.lanes.map(({ exit }) => exit.timeMs)))

const isKnownInTime = (alias: string, column: string) =>
  `${alias}.known_at_ms - ${alias}.${column} <= ${deskRules.knownWithinMs}`

type TradesQuestion = DeskQuestion & Readonly<{ token?: string }>

/**
 * Returns the part of an SQL query that begins with `FROM`. This part selects the closed trades of the track
 * record, with the alias `t`.
 */
function recorded(source: Source, cut: StageCut, { sinceMs, book, ...question }: TradesQuestion): string {
  const { DeskTrade: trades, DeskOpened: opens } = source.tables
  const token = question.token === undefined ? {} : { token: { sql: '= {token:String}' } }
  const keys = { opened_at_ms: { from: openedSince(source, { sinceMs }), to: cut.blockAtMs }, ...token }
  return `FROM ${atCut(trades, cut.atMs, keys)} AS t
    INNER JOIN ${atCut(opens, cut.atMs, keys)} AS o
      ON o.token = t.token AND o.lane = t.lane AND o.opened_at_ms = t.opened_at_ms
    WHERE t.closed_at_ms >= ${Math.floor(sinceMs)} ${book === 'all' ? '' : `AND t.book = '${book}'`}
      AND ${isKnownInTime('t', 'closed_at_ms')} AND ${isKnownInTime('o', 'opened_at_ms')}`
}

const newest = ({ limit }: TradesQuestion): string =>
  `ORDER BY t.closed_at_ms DESC, t.token, t.lane, t.opened_at_ms DESC LIMIT ${limit}`

async function selectTrades(source: Source, cut: StageCut, question: TradesQuestion): Promise<readonly DeskTradeRow[]> {
  const { DeskTrade: trades } = source.tables
  const rows = await source.database.query<Selected>(
    `SELECT ${selectOf(trades, 't')} ${recorded(source, cut, question)} ${newest(question)}`,
    question.token === undefined ? {} : { token: question.token },
  )
  return rows.map((selected) => stampedRowOf(trades, 't', selected))
}

/**
 * Selects up to 20 twins for each trade, in the order of a hash of trade and twin. A twin is a random trade
 * in another token. It uses the exit rule of the trade's lane (strategy), and opened at most ten minutes
 * before or after the trade.
 *
 * To keep the join small, opening times are divided into intervals of ten minutes. A twin is in the interval
 * of its trade or in a neighbouring interval.
 */
async function selectTwins(
  source: Source,
  cut: StageCut,
  question: DeskQuestion,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const { desk, tables, database } = source
  const { twinWithinMs: withinMs, twinsMax } = deskRules
  const names = (list: readonly string[]) => `[${list.map((name) => `'${name}'`).join(', ')}]`
  const twinLane = `transform(t.lane, ${names(desk.lanes.map(({ name }) => name))}, ${names(desk.lanes.map(twinLaneOf))}, t.lane)`
  const opened_at_ms = { from: Math.max(0, openedSince(source, question) - withinMs), to: cut.blockAtMs }
  const rows = await database.query<Readonly<{ token: string; lane: string; openedAtMs: string; twins: number[] }>>(
    `SELECT token, lane, openedAtMs,
      arrayMap(one -> one.2, arraySlice(arraySort(groupArray((hash, ret))), 1, ${twinsMax})) AS twins
    FROM (
      SELECT s.token AS token, s.lane AS lane, s.openedAtMs AS openedAtMs, w.ret AS ret,
        hex(MD5(concat(s.token, ':', s.lane, ':', toString(s.openedAtMs), ':', w.token, ':', toString(w.opened_at_ms)))) AS hash
      FROM (
        SELECT *, arrayJoin([-1, 0, 1]) + intDiv(openedAtMs, ${withinMs}) AS slot FROM (
          SELECT t.token AS token, t.lane AS lane, t.opened_at_ms AS openedAtMs, ${twinLane} AS twinLane
          ${recorded(source, cut, question)} ${newest(question)}
        )
      ) AS s
      INNER JOIN (
        SELECT *, intDiv(opened_at_ms, ${withinMs}) AS slot FROM ${atCut(tables.DeskTwin, cut.atMs, { opened_at_ms })} AS x
        WHERE ${isKnownInTime('x', 'closed_at_ms')}
      ) AS w ON w.lane = s.twinLane AND w.slot = s.slot
      WHERE w.token != s.token AND abs(w.opened_at_ms - s.openedAtMs) <= ${withinMs}
    ) GROUP BY token, lane, openedAtMs`,
  )
  return new Map(rows.map((row) => [keyOf({ ...row, openedAtMs: Number(row.openedAtMs) }), row.twins]))
}

async function selectShadows(
  { database, tables: { DeskShadow: shadows } }: Source,
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
