/**
 * The track record of the paper desk (the simulated trading) on one chain. It contains the trades whose
 * opening and closing each became known within two minutes. Trades that became known later, for example after
 * an outage or from a backfill, are left out. The newest ones are kept in memory.
 */
import type { Database } from '../../../infra/clickhouse/database.ts'
import type { Book } from '../../../schemas/desk/derived.ts'
import { type Desk, deskRules } from '../../../schemas/desk/rules.ts'
import { type DurationMs, dayMs, type EpochMs, hourMs } from '../../../schemas/units.ts'
import type { StageCut } from '../../cuts.ts'
import { selectPages } from '../../joined-pages.ts'
import { createRowsInMemory, type JoinedRow, selectJoined } from '../../recent-rows.ts'
import { compareText } from '../../rows-at-cut.ts'
import type { RowOf, Stamp } from '../../select.ts'
import type { DeskTables } from '../tables.ts'

export type DeskTradeRow = Omit<RowOf<DeskTables['DeskTrade']>, 'chain'> & Stamp

/** The parameters of a query for closed trades. `sinceMs` is the earliest closing time. */
export type DeskQuestion = Readonly<{ sinceMs: EpochMs; book: Book | 'all'; limit: number }>

/** The parameters of a query about a token. `token` is text from outside. */
export type TokenQuestion = Readonly<{ token: string; sinceMs: EpochMs }>

export type DeskSource = Readonly<{ database: Pick<Database, 'query'>; tables: DeskTables; desk: Desk }>

export type TrackRecord = Readonly<{
  /** Returns the trades, newest closing first. */
  newest(cut: StageCut, question: DeskQuestion): Promise<readonly DeskTradeRow[]>
  /** Returns the newest trade of the token, or null if there is none. */
  lastOf(cut: StageCut, question: TokenQuestion): Promise<DeskTradeRow | null>
}>

/** The number of trades that are kept in memory. An answer has up to 3,000 of the last day. */
const rowsMax = 10_000

/** The number of trades that a page has besides twice those that are asked for. */
const spareRowsDefault = 1000

export function createTrackRecord(
  { database, tables: { DeskTrade, DeskOpened }, desk }: DeskSource,
  spareRows = spareRowsDefault,
): TrackRecord {
  const tables = { trade: DeskTrade, opening: DeskOpened }
  const source = { database, tables, first: 'trade' as const, time: 'opened_at_ms' }
  // A list is about the last 24 h if nothing else is asked for. The block time can fall a little in a reorg.
  const inMemory = createRowsInMemory({ ...source, keptMs: dayMs + heldMsMax(desk) + hourMs, rowsMax })
  return {
    async newest(cut, question) {
      const range = openedIn(desk, cut, question)
      const kept = await inMemory(cut, range)
      if (kept !== null) return newestOf(recordedOf(kept), question)
      let found: readonly DeskTradeRow[] = []
      const pageRows = 2 * question.limit + spareRows
      for await (const { fromMs, rows } of selectPages(source, cut, { range, pageRows })) {
        found = newestOf([...found, ...recordedOf(rows)], question)
        // The trades of later pages opened before `fromMs`.
        const last = found[question.limit - 1]
        if (last !== undefined && last.closedAtMs >= fromMs + heldMsMax(desk)) break
      }
      return found
    },
    async lastOf(cut, { token, sinceMs }) {
      const ofToken = { conditions: { token: { sql: '= {token:String}' } }, parameters: { token } }
      const rows = await selectJoined(source, cut, { range: openedIn(desk, cut, { sinceMs }), ...ofToken })
      return newestOf(recordedOf(rows), { sinceMs, book: 'all', limit: 1 })[0] ?? null
    },
  }
}

/** The longest time for which a position stays open. It is a limit of its lane (strategy). */
export const heldMsMax = ({ lanes }: Desk): DurationMs => Math.max(...lanes.map(({ exit }) => exit.timeMs))

/** Returns the possible opening times of trades that closed at or after `sinceMs`. */
export const openedIn = (
  desk: Desk,
  { blockAtMs }: Pick<StageCut, 'blockAtMs'>,
  { sinceMs }: Pick<DeskQuestion, 'sinceMs'>,
) => ({ from: Math.max(0, Math.floor(sinceMs) - heldMsMax(desk)), to: blockAtMs })

/** A closed trade and its opening. */
type Position = JoinedRow<Readonly<{ trade: DeskTables['DeskTrade']; opening: DeskTables['DeskOpened'] }>, 'trade'>

/** Returns the trades that belong to the track record. `twins.ts` has the same limit for the closing of a twin. */
const recordedOf = (positions: readonly Position[]): readonly DeskTradeRow[] =>
  positions.flatMap(({ trade, opening }) =>
    opening !== undefined && isKnownInTime(trade, trade.closedAtMs) && isKnownInTime(opening, opening.openedAtMs)
      ? [trade]
      : [],
  )

const isKnownInTime = ({ knownAtMs }: Stamp, atMs: EpochMs): boolean => knownAtMs - atMs <= deskRules.knownWithinMs

const newestOf = (trades: readonly DeskTradeRow[], { sinceMs, book, limit }: DeskQuestion): readonly DeskTradeRow[] =>
  trades
    .filter((trade) => trade.closedAtMs >= Math.floor(sinceMs) && (book === 'all' || trade.book === book))
    .sort(newestFirst)
    .slice(0, limit)

const newestFirst = (left: DeskTradeRow, right: DeskTradeRow): number =>
  right.closedAtMs - left.closedAtMs ||
  compareText(left.token, right.token) ||
  compareText(left.lane, right.lane) ||
  right.openedAtMs - left.openedAtMs
