import type { Burst } from '../../../schemas/chain-b/derived.ts'
import { type EpochMs, minuteMs } from '../../../schemas/units.ts'
import type { RowContext } from '../../columns.ts'
import type { StageCut } from '../../cuts.ts'
import type { RepeatBuyers } from '../../repeat-buyers.ts'
import { byKey, compareText, detailsAt, type RowAtCut, selectRowsAt, stampAt } from '../../rows-at-cut.ts'
import { notFilled, type RowOf, rowOfRecord, type Stamp } from '../../select.ts'
import type { Traded } from '../../trade-gaps/missing-trades.ts'
import type { GapReading } from '../../trade-gaps/trade-gaps.ts'
import { chainBAnatomies } from '../tables/chain-b-anatomies.ts'
import { chainBBursts } from '../tables/chain-b-bursts.ts'
import { chainBOutcomes } from '../tables/chain-b-outcomes.ts'
import type { AnatomyRow, BurstRow, OutcomeRow } from './chain-b-queries.ts'
import { solOfLamports } from './units.ts'

/**
 * The parameters of a query for bursts with signals in `[from, to]`. With `isScoredOnly`, only bursts with an
 * outcome are selected.
 */
type BurstQuestion = Readonly<{ from: number; to: number; isScoredOnly?: boolean; limit?: number }>

/** Selects bursts, newest first. Bursts with equal times are ordered by mint. */
export async function selectBursts(
  { database, gaps, repeatBuyers }: GapReading & Readonly<{ repeatBuyers: RepeatBuyers }>,
  cut: StageCut,
  { from, to, isScoredOnly = false, limit }: BurstQuestion,
): Promise<readonly BurstRow[]> {
  const fired = await selectRowsAt(database, chainBBursts, { atMs: cut.atMs, conditions: { at_ms: { from, to } } })
  if (fired.rows.length === 0) return []
  const instants = fired.rows.map(({ atMs }) => atMs)
  const question = { atMs: cut.atMs, conditions: { at_ms: { from: Math.min(...instants), to: Math.max(...instants) } } }
  const [anatomies, outcomes] = await Promise.all([
    selectRowsAt(database, chainBAnatomies, question),
    selectRowsAt(database, chainBOutcomes, question),
  ])
  const [anatomyOf, outcomeOf] = [byKey(chainBAnatomies, anatomies.rows), byKey(chainBOutcomes, outcomes.rows)]
  const parts = fired.rows
    .map((burst): Parts => ({ burst, anatomy: anatomyOf(burst), outcome: outcomeOf(burst) }))
    .filter(({ outcome }) => !(isScoredOnly && !outcome))
    .sort((left, right) => newestFirst(left.burst, right.burst))
    .slice(0, limit)
  const bursts = await gaps.withGaps(cut, parts.map(toBurstRow), tradedOf)
  const counted = parts.flatMap(({ burst: { mint: name, atMs }, anatomy }, index) =>
    anatomy ? [{ index, name, atMs, buyersKnownAtMs: anatomy.knownAtMs, wallets: anatomy.wallets }] : [],
  )
  const counts = await repeatBuyers(cut, counted)
  const countAt = new Map(counted.map(({ index }, at) => [index, counts[at] ?? null]))
  return bursts.map(({ anatomy, ...burst }, index) => ({
    anatomy: anatomy && { ...anatomy, repeatBuyers: countAt.get(index) ?? null },
    ...burst,
  }))
}

type Parts = Readonly<{
  burst: RowAtCut<typeof chainBBursts>
  anatomy: RowAtCut<typeof chainBAnatomies> | undefined
  outcome: RowAtCut<typeof chainBOutcomes> | undefined
}>

type Key = Readonly<{ atMs: EpochMs; mint: string }>

const newestFirst = (left: Key, right: Key): number => right.atMs - left.atMs || compareText(left.mint, right.mint)

const outcomeMs = 20 * minuteMs

/**
 * Returns the time span of the trades on which the burst's row depends. The span begins with the window of
 * the burst. If the burst has an outcome, the span ends with the time of the outcome, otherwise with the
 * signal.
 */
function tradedOf({ mint, atMs, windowSec, outcome }: BareBurst): Traded {
  const scoredToMs = outcome === null ? atMs : (outcome.completedAtMs ?? atMs + outcomeMs)
  return { token: mint, afterMs: atMs - windowSec * 1000, toMs: scoredToMs }
}

/** Builds the row of a burst as known at its signal, without the fields that become known later. */
export const burstAtSignal = (record: Burst, context: RowContext, stamp: Stamp): BurstRow => {
  const burst = rowOfRecord(chainBBursts, record, context)
  return {
    inflowSol: solOfLamports(burst.inflowLamports),
    tokenAgeMin: tokenAgeMinOf(burst),
    anatomy: null,
    outcome: null,
    filled: notFilled,
    gaps: null,
    ...burst,
    ...stamp,
  }
}

const tokenAgeMinOf = ({ atMs, launchAtMs }: RowOf<typeof chainBBursts>): number => (atMs - launchAtMs) / minuteMs

type BareBurst = Omit<BurstRow, 'gaps'>

/**
 * Builds the row of a burst without its repeat buyers. `selectBursts` counts repeat buyers for all rows
 * together.
 */
function toBurstRow({ burst, anatomy, outcome }: Parts): BareBurst {
  return {
    inflowSol: solOfLamports(burst.inflowLamports),
    tokenAgeMin: tokenAgeMinOf(burst),
    anatomy: anatomyRowOf(anatomy),
    outcome: outcomeRowOf(outcome),
    filled: { seconds: stampAt(anatomy), outcome: stampAt(outcome) },
    ...burst,
  }
}

function anatomyRowOf(row: Parts['anatomy']): AnatomyRow | null {
  const details = detailsAt(chainBAnatomies, row)
  if (details === null) return null
  const { wallets, ...anatomy } = details
  return { buyers: wallets.length, repeatBuyers: null, ...anatomy }
}

function outcomeRowOf(row: Parts['outcome']): OutcomeRow | null {
  const details = detailsAt(chainBOutcomes, row)
  return row && details ? { scoredAtMs: row.knownAtMs, ...details } : null
}
