/**
 * Finds the gaps (missing trades) that affect a row. This computation finds only one kind: a curve migrates
 * although it still has tokens for sale.
 */
import { type Known, type MintStory, tickOfSlot } from './stories.ts'

/** The range `(afterMs, toMs]`. */
export type Span = Readonly<{ afterMs: number; toMs: number }>

export type OracleGaps = Readonly<{ trades: null; volume: null; knownAt: number | undefined }>

/**
 * Returns the gap in a time range, or null. The gap begins with the last known trade and ends with the
 * migration. Both belong to the gap.
 */
export function gapsIn(known: Known, story: MintStory, { afterMs, toMs }: Span): OracleGaps | null {
  const { opening, trades, migration } = story
  const last = trades.at(-1)
  if (migration === null || opening.data.isMayhem || (last ?? opening.data).realTokenRaw === 0n) return null
  const fromMs = last?.blockAtMs ?? opening.data.blockAtMs
  if (migration.blockAtMs <= afterMs || fromMs > toMs) return null
  return { trades: null, volume: null, knownAt: tickOfSlot(known, migration.blockNumber)?.knownAtMs }
}
