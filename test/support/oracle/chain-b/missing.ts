/** The gaps of rows. Of all missing trades, this oracle counts only those before a migration with tokens left for sale. */
import { type Known, type MintStory, tickOfSlot } from './stories.ts'

/** The range `(afterMs, toMs]`. */
export type Span = Readonly<{ afterMs: number; toMs: number }>

export type OracleGaps = Readonly<{ trades: null; volume: null; knownAt: number | undefined }>

/** The gap lasts from the last known trade to the migration, both included. Null: the span has no gap. */
export function gapsIn(known: Known, story: MintStory, { afterMs, toMs }: Span): OracleGaps | null {
  const { opening, trades, migration } = story
  const last = trades.at(-1)
  if (migration === null || opening.data.isMayhem || (last ?? opening.data).realTokenRaw === 0n) return null
  const fromMs = last?.blockAtMs ?? opening.data.blockAtMs
  if (migration.blockAtMs <= afterMs || fromMs > toMs) return null
  return { trades: null, volume: null, knownAt: tickOfSlot(known, migration.blockNumber)?.knownAtMs }
}
