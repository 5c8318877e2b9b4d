/** What rows say of missing trades. The facts tell of some in one way alone: a curve migrates while tokens are left for sale. */
import { type Known, type MintStory, tickOfSlot } from './stories.ts'

/** In `(afterMs, toMs]`. */
export type Span = Readonly<{ afterMs: number; toMs: number }>

export type OracleGaps = Readonly<{ trades: null; volume: null; knownAt: number | undefined }>

/** Between the last trade that is known and the migration, both included. Null: nothing is missing in the span. */
export function gapsIn(known: Known, story: MintStory, { afterMs, toMs }: Span): OracleGaps | null {
  const { opening, trades, migration } = story
  const last = trades.at(-1)
  if (migration === null || opening.data.isMayhem || (last ?? opening.data).realTokenRaw === 0n) return null
  const fromMs = last?.blockAtMs ?? opening.data.blockAtMs
  if (migration.blockAtMs <= afterMs || fromMs > toMs) return null
  return { trades: null, volume: null, knownAt: tickOfSlot(known, migration.blockNumber)?.knownAtMs }
}
