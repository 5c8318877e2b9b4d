/**
 * Finds the missing trades of a row. These are the gaps in the recorded trades that touch the time span on
 * which the row depends.
 */

import type { EpochMs } from '../../schemas/units.ts'
import type { TradeGapRow } from './trade-gap-table.ts'

/** A span of block times, `(afterMs, toMs]`. */
type Span = Readonly<{ afterMs: EpochMs; toMs: EpochMs }>

/**
 * The trades that are missing in the time span of a row, summed over all gaps that touch this span. `trades` is null if the
 * number of missing trades is unknown for a gap. `volume` is null if the volume of a gap is unknown. `volume`
 * is in ETH or SOL. `knownAtMs` is the time when the newest of these gaps became known.
 */
export type MissingTrades = Readonly<{ trades: number | null; volume: number | null; knownAtMs: EpochMs }>

export type WithGaps<Row> = Row & Readonly<{ gaps: MissingTrades | null }>

/**
 * The token, the market and the time span of the trades on which a row depends. If `market` is missing, the
 * row depends on all markets of the token.
 */
export type Traded = Span & Readonly<{ token: string; market?: string }>

/** Converts an amount in the smallest unit of the coin, as text, to ETH or SOL. */
export type CoinOf = (raw: string) => number

/**
 * Returns the missing trades of a time span, or null if no gap touches the span. A trade can be missing at
 * the first and at the last time of a gap, so both times belong to the gap.
 */
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

/**
 * Returns whether a gap touches the span. A gap of 0 trades never touches a span, because another gap counts
 * its missing trades. `touchesSql` must use the same rule.
 */
const touches = (gap: TradeGapRow, { market, afterMs, toMs }: Traded): boolean =>
  gap.trades !== 0 && (market === undefined || gap.market === market) && gap.toAtMs > afterMs && gap.fromAtMs <= toMs

/**
 * Returns the SQL condition that a gap touches the time span, in any market. `gap` is the alias of the table
 * of gaps. `afterMs` and `toMs` are SQL expressions.
 */
export const touchesSql = (gap: string, { afterMs, toMs }: Readonly<{ afterMs: string; toMs: string }>): string =>
  `(${gap}.trades IS NULL OR ${gap}.trades > 0) AND ${gap}.to_at_ms > ${afterMs} AND ${gap}.from_at_ms <= ${toMs}`

/**
 * The number of gaps in the recorded trades, by state of the gap. `unchecked` counts the markets of the last
 * 24 h in which missing trades cannot be detected.
 */
export type GapCounts = Readonly<{ open: number; givenUp: number; late: number; unchecked: number }>
