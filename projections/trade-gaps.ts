/** Trades that are missing in the log: their tables, and which rows of answers they touch. */
import type { Database } from '../infra/clickhouse/database.ts'
import type { AvroValue } from '../schemas/avro.ts'
import type { tradeGapFields } from '../schemas/trade-gap.ts'
import type { Hex } from '../schemas/units.ts'
import { atCut } from './at-cut.ts'
import { bigInteger, int32, int64, label, nullable, type RowContext, text } from './columns.ts'
import type { StageCut } from './cuts.ts'
import { type RowOf, rowOf, type Selected, selectOf, stampOf } from './select.ts'
import { dayMs, versionTable } from './table.ts'
import { createTracked, identifiersIn } from './tracked.ts'

type Fields = AvroValue<Readonly<{ type: 'record'; fields: typeof tradeGapFields }>>
type Place = Readonly<{ txHash: Hex; logIndex: number }>
type Gap = Fields & Place & Readonly<{ atMs: number }>

/** `market`: the pool; empty where the token has one market that can have gaps. `place`: tells gaps of one instant apart. */
type Naming<Of, Key> = Readonly<{
  name: string
  marketOf(gap: Of): string
  placeOf(place: Place): string
  withdrawn(key: Key): Readonly<{ market: string; at_ms: number; place: string }>
}>

export const tradeGapTable = <Of extends Gap, Key>({ name, marketOf, placeOf, withdrawn }: Naming<Of, Key>) =>
  versionTable<Of>()({
    name,
    naturalKey: ['token', 'at_ms', 'market', 'place'],
    // They are asked for by their tokens.
    order: ['token', 'at_ms', 'market', 'place'],
    partition: { column: 'at_ms', everyMs: dayMs },
    columns: {
      token: text((_: Of, { logKey }: RowContext) => logKey),
      market: text(marketOf),
      at_ms: int64(({ atMs }: Of) => atMs),
      place: text(placeOf),
      from_at_ms: int64(({ fromAtMs }: Of) => fromAtMs),
      to_at_ms: int64(({ toAtMs }: Of) => toAtMs),
      trades: nullable(int32)(({ trades }: Of) => trades),
      volume_raw: nullable(bigInteger)(({ volumeRaw }: Of) => volumeRaw),
      state: label(({ state }: Of) => state),
    },
    withdrawn: (key: Key, token: string) => ({ token, ...withdrawn(key) }),
  })

export type TradeGapTable = ReturnType<typeof tradeGapTable<never, never>>

export type TradeGapRow = RowOf<TradeGapTable> & Readonly<{ knownAtMs: number }>

/** Of event time, `(afterMs, toMs]`. */
export type Span = Readonly<{ afterMs: number; toMs: number }>

/**
 * What is missing in a row: the sums over the gaps that touch its span, null where one of them does not know it. `volume` in ETH
 * or SOL. `knownAtMs`: when the newest of them became known.
 */
export type MissingTrades = Readonly<{ trades: number | null; volume: number | null; knownAtMs: number }>

export type WithGaps<Row> = Row & Readonly<{ gaps: MissingTrades | null }>

/** Where a row trades, and when. Without a market: in all of its token's. */
export type Traded = Span & Readonly<{ token: string; market?: string }>

type CoinOf = (raw: string) => number

/** Null: no gap touches the span. A trade that is missing may have happened at both ends of its gap. */
export function missingIn(gaps: readonly TradeGapRow[], traded: Traded, coinOf: CoinOf): MissingTrades | null {
  const touching = gaps.filter((gap) => touches(gap, traded))
  if (touching.length === 0) return null
  let [trades, volumeRaw]: [number | null, bigint | null] = [0, 0n]
  for (const gap of touching) {
    trades = trades === null || gap.trades === null ? null : trades + gap.trades
    volumeRaw = volumeRaw === null || gap.volumeRaw === null ? null : volumeRaw + BigInt(gap.volumeRaw)
  }
  const volume = volumeRaw === null ? null : coinOf(volumeRaw.toString())
  return { trades, volume, knownAtMs: Math.max(...touching.map(({ knownAtMs }) => knownAtMs)) }
}

/** A gap of no trades is told by another one. */
const touches = (gap: TradeGapRow, { market, afterMs, toMs }: Traded): boolean =>
  gap.trades !== 0 && (market === undefined || gap.market === market) && gap.toAtMs > afterMs && gap.fromAtMs <= toMs

/** What rows with gaps are selected from. */
export type GapReading = Readonly<{ database: Database; gaps: Pick<TradeGaps, 'withGaps'> }>

export type TradeGaps = Readonly<{
  /**
   * The rows with what is missing in each, as known at the cut. `tradedOf`: where a row trades. One query at most, and none if
   * no gap of the tokens is known.
   */
  withGaps<Row>(cut: StageCut, rows: readonly Row[], tradedOf: (row: Row) => Traded): Promise<readonly WithGaps<Row>[]>
  /** How many gaps of the last 24 h stand in each state. */
  countLastDay(cut: StageCut): Promise<GapCounts>
}>

export type GapCounts = Readonly<{ open: number; givenUp: number; late: number }>

type Source = Readonly<{ database: Database; table: TradeGapTable; coinOf: CoinOf }>

/** `database`: a reader. `coinOf`: units of the coin to ETH or SOL. */
export function createTradeGaps({ database, table, coinOf }: Source): TradeGaps {
  // Kept as long as the table has them: an older cut is asked about too.
  const tracked = createTracked(database, [identifiersIn(table, 'token', null)])
  const gapsOf = async (cut: StageCut, traded: readonly Traded[]) => {
    const tokens = [...new Set(traded.map(({ token }) => token))]
    const holding = await Promise.all(tokens.map((token) => tracked.mayHold(token, cut)))
    const asked = tokens.filter((_, index) => holding[index])
    if (asked.length === 0) return new Map<string, TradeGapRow[]>()
    const afterMs = Math.min(...traded.map((one) => one.afterMs))
    return groupByToken(await selectGaps({ database, table }, cut, { tokens: asked, afterMs }))
  }
  return {
    async withGaps(cut, rows, tradedOf) {
      const traded = rows.map(tradedOf)
      const gaps = await gapsOf(cut, traded)
      return rows.map((row, index) => {
        const where = traded[index] as Traded
        return { ...row, gaps: missingIn(gaps.get(where.token) ?? [], where, coinOf) }
      })
    },
    countLastDay: (cut) => countGaps({ database, table }, cut),
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

/** A gap ends at its own instant at the latest, and lasts from long before. */
async function selectGaps(
  { database, table }: Reading,
  cut: StageCut,
  { tokens, afterMs }: Readonly<{ tokens: readonly string[]; afterMs: number }>,
): Promise<readonly TradeGapRow[]> {
  const keys = { token: { sql: 'IN {tokens:Array(String)}' }, at_ms: { from: afterMs, to: cut.blockAtMs } }
  const rows = await database.query<Selected>(
    `SELECT ${selectOf(table, 'g')} FROM ${atCut(table, cut.atMs, keys)} AS g ORDER BY g.at_ms, g.market, g.place`,
    { tokens },
  )
  return rows.map((selected) => ({ ...rowOf(table, 'g', selected), knownAtMs: stampOf('g', selected).knownAtMs }))
}

async function countGaps({ database, table }: Reading, cut: StageCut): Promise<GapCounts> {
  const rows = await database.query<{ state: string; count: string }>(
    `SELECT state, count() AS count FROM ${atCut(table, cut.atMs, {
      at_ms: { from: cut.blockAtMs - dayMs + 1, to: cut.blockAtMs },
    })} WHERE trades IS NULL OR trades > 0 GROUP BY state`,
  )
  const countOf = (state: string) => Number(rows.find((row) => row.state === state)?.count ?? 0)
  return { open: countOf('open'), givenUp: countOf('given_up'), late: countOf('late') }
}
