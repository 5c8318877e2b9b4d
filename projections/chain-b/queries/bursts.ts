import type { Burst } from '../../../schemas/chain-b/derived.ts'
import { minuteMs } from '../../../schemas/units.ts'
import { atCut } from '../../at-cut.ts'
import type { RowContext } from '../../columns.ts'
import type { StageCut } from '../../cuts.ts'
import {
  detailsOf,
  notFilled,
  type RowOf,
  rowOf,
  rowOfRecord,
  type Selected,
  type Stamp,
  selectOf,
  stampIn,
  stampOf,
} from '../../select.ts'
import type { Traded } from '../../trade-gaps/missing-trades.ts'
import type { GapReading } from '../../trade-gaps/trade-gaps.ts'
import { chainBAnatomies } from '../tables/chain-b-anatomies.ts'
import { chainBBursts } from '../tables/chain-b-bursts.ts'
import { chainBOutcomes } from '../tables/chain-b-outcomes.ts'
import type { AnatomyRow, BurstRow, OutcomeRow } from './chain-b-queries.ts'
import { repeatBuyers } from './repeat-buyers.ts'
import { solOfLamports } from './units.ts'

/** Selects the bursts with signals in `[from, to]`, and with `isScoredOnly` only bursts with an outcome. */
type BurstQuestion = Readonly<{ from: number; to: number; isScoredOnly?: boolean; limit?: number }>

/** Selects bursts, newest first; ties by mint. */
export async function selectBursts(
  { database, gaps }: GapReading,
  cut: StageCut,
  { from, to, isScoredOnly = false, limit }: BurstQuestion,
): Promise<readonly BurstRow[]> {
  const keys = { at_ms: { from, to } }
  const on = (alias: string) => `${alias}.mint = b.mint AND ${alias}.at_ms = b.at_ms`
  const selected = await database.query<Selected>(
    `SELECT ${selectOf(chainBBursts, 'b')}, ${selectOf(chainBAnatomies, 'y')}, ${selectOf(chainBOutcomes, 'o')}
    FROM ${atCut(chainBBursts, cut.atMs, keys)} AS b
    LEFT JOIN ${atCut(chainBAnatomies, cut.atMs, keys)} AS y ON ${on('y')}
    ${isScoredOnly ? 'INNER' : 'LEFT'} JOIN ${atCut(chainBOutcomes, cut.atMs, keys)} AS o ON ${on('o')}
    ORDER BY b.at_ms DESC, b.mint${limit === undefined ? '' : ` LIMIT ${limit}`}`,
  )
  const bursts = await gaps.withGaps(cut, selected.map(toBurstRow), tradedOf)
  const known = bursts.filter(({ anatomy }) => anatomy !== null).map(({ atMs }) => atMs)
  if (known.length === 0) return bursts
  const countOf = await repeatBuyers(database, cut, { from: Math.min(...known), to: Math.max(...known) })
  return bursts.map(({ anatomy, ...burst }, index) => {
    if (anatomy === null) return { ...burst, anatomy }
    const buyersKnownAtMs = stampOf('y', selected[index] ?? {}).knownAtMs
    return {
      ...burst,
      anatomy: { ...anatomy, repeatBuyers: countOf({ name: burst.mint, atMs: burst.atMs, buyersKnownAtMs }) },
    }
  })
}

const outcomeMs = 20 * minuteMs

/**
 * Returns the span of the trades on which the row depends: the window of the burst and, once the burst is scored, the time of the outcome.
 */
function tradedOf({ mint, atMs, windowSec, outcome }: BareBurst): Traded {
  const scoredToMs = outcome === null ? atMs : (outcome.completedAtMs ?? atMs + outcomeMs)
  return { token: mint, afterMs: atMs - windowSec * 1000, toMs: scoredToMs }
}

/** The row at its signal, without fields that become known later. */
export const burstAtSignal = (burst: Burst, context: RowContext, stamp: Stamp): BurstRow => ({
  ...signalOf(rowOfRecord(chainBBursts, burst, context), stamp),
  anatomy: null,
  outcome: null,
  filled: notFilled,
  gaps: null,
})

const signalOf = (burst: RowOf<typeof chainBBursts>, stamp: Stamp) => ({
  ...burst,
  ...stamp,
  inflowSol: solOfLamports(burst.inflowLamports),
  tokenAgeMin: (burst.atMs - burst.launchAtMs) / minuteMs,
})

type BareBurst = Omit<BurstRow, 'gaps'>

/** Makes a row without its repeat buyers. `selectBursts` counts these for all rows at once. */
function toBurstRow(selected: Selected): BareBurst {
  return {
    ...signalOf(rowOf(chainBBursts, 'b', selected), stampOf('b', selected)),
    anatomy: anatomyOf(selected),
    outcome: outcomeOf(selected),
    filled: { seconds: stampIn('y', selected), outcome: stampIn('o', selected) },
  }
}

function anatomyOf(selected: Selected): AnatomyRow | null {
  const details = detailsOf(chainBAnatomies, 'y', selected)
  if (details === null) return null
  const { wallets, ...anatomy } = details
  return { ...anatomy, buyers: wallets.length, repeatBuyers: null }
}

function outcomeOf(selected: Selected): OutcomeRow | null {
  const details = detailsOf(chainBOutcomes, 'o', selected)
  return details && { ...details, scoredAtMs: stampOf('o', selected).knownAtMs }
}
