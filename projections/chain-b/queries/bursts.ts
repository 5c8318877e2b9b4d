import type { Database } from '../../../infra/clickhouse/database.ts'
import type { Burst } from '../../../schemas/chain-b/derived.ts'
import { type EpochMs, hourMs, minuteMs } from '../../../schemas/units.ts'
import type { RowContext } from '../../columns.ts'
import type { StageCut } from '../../cuts.ts'
import { keepRows } from '../../kept-rows.ts'
import { createRecentRows, type JoinedRow, type RecentRows } from '../../recent-rows.ts'
import type { RepeatBuyers } from '../../repeat-buyers.ts'
import { compareText, detailsAt, stampAt } from '../../rows-at-cut.ts'
import { notFilled, type RowOf, rowOfRecord, type Stamp } from '../../select.ts'
import type { MissingTrades, Traded } from '../../trade-gaps/missing-trades.ts'
import type { GapReading } from '../../trade-gaps/trade-gaps.ts'
import { chainBAnatomies } from '../tables/chain-b-anatomies.ts'
import { chainBBursts } from '../tables/chain-b-bursts.ts'
import { chainBOutcomes } from '../tables/chain-b-outcomes.ts'
import type { AnatomyRow, BurstRow, OutcomeRow } from './chain-b-queries.ts'
import { solOfLamports } from './units.ts'

const tables = { burst: chainBBursts, anatomy: chainBAnatomies, outcome: chainBOutcomes }
const first = 'burst'

/** A burst with its rows in other tables, which became known later. */
type JoinedBurst = JoinedRow<typeof tables, typeof first>

/** Answers about the last 24 h need the rows of this time. The block time can fall a little in a reorg. */
const keptMs = 25 * hourMs

export type RecentBursts = RecentRows<typeof tables, typeof first>

export const createRecentBursts = (database: Database): RecentBursts =>
  createRecentRows({ database, tables, first, time: 'at_ms', keptMs })

/**
 * The parameters of a query for bursts with signals in `[from, to]`. With `isScoredOnly`, only bursts with an
 * outcome are selected.
 */
type BurstQuestion = Readonly<{ from: number; to: number; isScoredOnly?: boolean; limit?: number }>

type BurstReading = Pick<GapReading, 'gaps'> & Readonly<{ repeatBuyers: RepeatBuyers; recentBursts: RecentBursts }>

/** Selects bursts, newest first. Bursts with equal times are ordered by mint. */
export async function selectBursts(
  { gaps, repeatBuyers, recentBursts }: BurstReading,
  cut: StageCut,
  { isScoredOnly = false, limit, ...range }: BurstQuestion,
): Promise<readonly BurstRow[]> {
  const found = (await recentBursts(cut, range)).filter(({ outcome }) => !(isScoredOnly && !outcome))
  const shown = found.sort((left, right) => newestFirst(left.burst, right.burst)).slice(0, limit)
  const counted = shown.flatMap(({ burst: { mint: name, atMs }, anatomy }, index) =>
    anatomy ? [{ index, name, atMs, buyersKnownAtMs: anatomy.knownAtMs, wallets: anatomy.wallets }] : [],
  )
  const counts = await repeatBuyers(cut, counted)
  const countAt = new Map(counted.map(({ index }, at) => [index, counts[at] ?? null]))
  const missing = await gaps.missingTrades(cut, shown.map(tradedOf))
  return shown.map((joined, index) =>
    toBurstRow(joined, { repeatBuyers: countAt.get(index) ?? null, gaps: missing[index] ?? null }),
  )
}

type Key = Readonly<{ atMs: EpochMs; mint: string }>

const newestFirst = (left: Key, right: Key): number => right.atMs - left.atMs || compareText(left.mint, right.mint)

const outcomeMs = 20 * minuteMs

/**
 * Returns the time span of the trades on which the burst's row depends. The span begins with the window of
 * the burst. If the burst has an outcome, the span ends with the time of the outcome, otherwise with the
 * signal.
 */
function tradedOf({ burst: { mint, atMs, windowSec }, outcome }: JoinedBurst): Traded {
  const scoredToMs = outcome === undefined ? atMs : (outcome.completedAtMs ?? atMs + outcomeMs)
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

const toBurstRow = keepRows(
  (
    { burst, anatomy, outcome }: JoinedBurst,
    { repeatBuyers, gaps }: Readonly<{ repeatBuyers: number | null; gaps: MissingTrades | null }>,
  ): BurstRow => ({
    ...burst,
    inflowSol: solOfLamports(burst.inflowLamports),
    tokenAgeMin: tokenAgeMinOf(burst),
    anatomy: anatomyRowOf(anatomy, repeatBuyers),
    outcome: outcomeRowOf(outcome),
    filled: { seconds: stampAt(anatomy), outcome: stampAt(outcome) },
    gaps,
  }),
)

function anatomyRowOf(row: JoinedBurst['anatomy'], repeatBuyers: number | null): AnatomyRow | null {
  const details = detailsAt(chainBAnatomies, row)
  if (details === null) return null
  const { wallets, ...anatomy } = details
  return { buyers: wallets.length, repeatBuyers, ...anatomy }
}

function outcomeRowOf(row: JoinedBurst['outcome']): OutcomeRow | null {
  const details = detailsAt(chainBOutcomes, row)
  return row && details ? { scoredAtMs: row.knownAtMs, ...details } : null
}
