/** What is missing in a row of an answer: which gaps touch the time that it is made of. */
import type { TradeGapRow } from './trade-gap-table.ts'

/** A span of event time, `(afterMs, toMs]`. */
type Span = Readonly<{ afterMs: number; toMs: number }>

/**
 * What is missing in a row: the sums over the gaps that touch its span, null where one of them does not know it. `volume` in ETH
 * or SOL. `knownAtMs`: when the newest of them became known.
 */
export type MissingTrades = Readonly<{ trades: number | null; volume: number | null; knownAtMs: number }>

export type WithGaps<Row> = Row & Readonly<{ gaps: MissingTrades | null }>

/** Where a row trades, and when. Without a market: in all of its token's. */
export type Traded = Span & Readonly<{ token: string; market?: string }>

/** Exact units of the coin, as text, to ETH or SOL. */
export type CoinOf = (raw: string) => number

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

/** A gap of no trades is told by another one. `touchesSql` judges alike. */
const touches = (gap: TradeGapRow, { market, afterMs, toMs }: Traded): boolean =>
  gap.trades !== 0 && (market === undefined || gap.market === market) && gap.toAtMs > afterMs && gap.fromAtMs <= toMs

/** SQL: whether the gap touches the span, whose ends are SQL too. In whatever market. */
export const touchesSql = (gap: string, { afterMs, toMs }: Readonly<{ afterMs: string; toMs: string }>): string =>
  `(${gap}.trades IS NULL OR ${gap}.trades > 0) AND ${gap}.to_at_ms > ${afterMs} AND ${gap}.from_at_ms <= ${toMs}`

/** By what became of them. `unchecked`: markets of the last 24 h in which no missing trade can be detected. */
export type GapCounts = Readonly<{ open: number; givenUp: number; late: number; unchecked: number }>
