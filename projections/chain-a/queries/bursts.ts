import type { QueryParameters } from '../../../infra/clickhouse/database.ts'
import type { Burst } from '../../../schemas/chain-a/derived.ts'
import { tierTraits } from '../../../schemas/chain-a/tier-traits.ts'
import { type EpochMs, minuteMs } from '../../../schemas/units.ts'
import type { RowContext } from '../../columns.ts'
import type { StageCut } from '../../cuts.ts'
import type { KeyCondition } from '../../key-conditions.ts'
import type { RepeatBuyers } from '../../repeat-buyers.ts'
import { byKey, compareText, detailsAt, type RowAtCut, selectRowsAt, stampAt } from '../../rows-at-cut.ts'
import { newestStamp, notFilled, type RowOf, rowOfRecord, type Stamp } from '../../select.ts'
import type { Traded } from '../../trade-gaps/missing-trades.ts'
import type { GapReading } from '../../trade-gaps/trade-gaps.ts'
import { burstBuyers } from '../tables/burst-buyers.ts'
import { burstLp } from '../tables/burst-lp.ts'
import { burstOutcomes } from '../tables/burst-outcomes.ts'
import { bursts } from '../tables/bursts.ts'
import type { BurstFilter, BurstRow, OutcomeRow } from './chain-a-queries.ts'
import { ethOfWei } from './units.ts'

/**
 * The parameters of a query for bursts with signals in `[from, to]`. With `isScoredOnly`, only bursts with an
 * outcome are selected. `pool` is text from outside, so it is a query parameter of the SQL.
 */
export type BurstQuestion = Readonly<{
  from: number
  to: number
  filter: BurstFilter
  pool?: string
  isScoredOnly?: boolean
  limit?: number
}>

export type BurstReading = GapReading & Readonly<{ repeatBuyers: RepeatBuyers }>

/** Selects bursts, newest first. Bursts of the same time are sorted by pool and tier. */
export async function selectBursts(
  reading: BurstReading,
  cut: StageCut,
  question: BurstQuestion,
): Promise<readonly BurstRow[]> {
  const { filter, from, to, pool } = question
  const { rows } = await selectRowsAt(reading.database, bursts, {
    atMs: cut.atMs,
    conditions: { at_ms: { from, to }, ...conditionsOf({ filter, pool }) },
    parameters: parametersOf({ pool }),
  })
  const parts = await selectParts(reading, cut, { ...question, fired: rows })
  return completeBursts(reading, cut, { ...question, fired: rows, parts })
}

/** The rows of the bursts in other tables. They became known later than the bursts. */
type LaterParts = Readonly<{
  lps: readonly RowAtCut<typeof burstLp>[]
  outcomes: readonly RowAtCut<typeof burstOutcomes>[]
  buyers: readonly RowAtCut<typeof burstBuyers>[]
}>

type Fired = Omit<BurstQuestion, 'from' | 'to'> &
  Readonly<{ fired: readonly RowAtCut<typeof bursts>[]; parts: LaterParts }>

/**
 * Adds to the given bursts the values that became known later, such as the outcome. Leaves out bursts that
 * `filter`, `pool` or `isScoredOnly` exclude.
 */
export async function completeBursts(
  { gaps, repeatBuyers }: Omit<BurstReading, 'database'>,
  cut: StageCut,
  { fired, parts: { lps, outcomes, buyers }, filter, isScoredOnly = false, limit }: Fired,
): Promise<readonly BurstRow[]> {
  if (fired.length === 0) return []
  const lpOf = byKey(burstLp, lps)
  const outcomeOf = byKey(burstOutcomes, outcomes)
  const buyersOf = byKey(burstBuyers, buyers)
  const parts = fired
    .map(
      (burst): Parts => ({
        burst,
        lp: lpOf(burst),
        outcome: outcomeOf(burst),
        buyers: shownBuyers(burst, buyersOf(burst)),
      }),
    )
    .filter(({ lp, outcome }) => (filter.lp === 'all' || lp?.class === filter.lp) && !(isScoredOnly && !outcome))
    .sort((left, right) => newestFirst(left.burst, right.burst))
    .slice(0, limit)
  const counted = parts.flatMap(({ burst: { pool: name, atMs }, buyers: known }, index) =>
    known ? [{ index, name, atMs, buyersKnownAtMs: known.knownAtMs, wallets: known.wallets }] : [],
  )
  const counts = await repeatBuyers(cut, counted)
  const countAt = new Map(counted.map(({ index }, at) => [index, counts[at] ?? null]))
  const rows = parts.map((part, index) => toBurstRow(part, countAt.get(index) ?? null))
  return gaps.withGaps(cut, rows, tradedOf)
}

async function selectParts(
  { database }: BurstReading,
  cut: StageCut,
  { fired, filter, pool }: Omit<Fired, 'parts'>,
): Promise<LaterParts> {
  if (fired.length === 0) return { lps: [], outcomes: [], buyers: [] }
  const instants = fired.map(({ atMs }) => atMs)
  const at_ms = { from: Math.min(...instants), to: Math.max(...instants) }
  const question = {
    atMs: cut.atMs,
    conditions: { at_ms, ...conditionsOf({ filter, pool }) },
    parameters: parametersOf({ pool }),
  }
  const [lps, outcomes, buyers] = await Promise.all([
    selectRowsAt(database, burstLp, question),
    selectRowsAt(database, burstOutcomes, question),
    selectRowsAt(database, burstBuyers, question),
  ])
  return { lps: lps.rows, outcomes: outcomes.rows, buyers: buyers.rows }
}

type Parts = Readonly<{
  burst: RowAtCut<typeof bursts>
  lp: RowAtCut<typeof burstLp> | undefined
  outcome: RowAtCut<typeof burstOutcomes> | undefined
  buyers: RowAtCut<typeof burstBuyers> | undefined
}>

type Key = Readonly<{ atMs: EpochMs; pool: string; tier: string }>

const newestFirst = (left: Key, right: Key): number =>
  right.atMs - left.atMs || compareText(left.pool, right.pool) || compareText(left.tier, right.tier)

type Named = Readonly<{ filter: BurstFilter; pool: string | undefined }>

const conditionsOf = ({ filter, pool }: Named): Readonly<{ pool?: KeyCondition; tier?: KeyCondition }> => ({
  ...(pool === undefined ? {} : { pool: { sql: '= {pool:String}' } }),
  ...(filter.tier === 'all' ? {} : { tier: { sql: `= '${filter.tier}'` } }),
})

/** Without a `pool` there are no parameters. */
const parametersOf = ({ pool }: Pick<Named, 'pool'>): QueryParameters => (pool === undefined ? {} : { pool })

const outcomeMs = 30 * minuteMs

/**
 * Returns the time span of the trades on which the burst's row depends. This is the window of the burst. If
 * the burst has an outcome, the span continues until the time of the outcome.
 */
const tradedOf = ({ token, pool, atMs, windowSec, outcome }: BareBurst): Traded => ({
  ...{ token, market: pool, afterMs: atMs - windowSec * 1000, toMs: outcome === null ? atMs : atMs + outcomeMs },
})

/** Builds the row of a burst as known at its signal, without the fields that become known later. */
export const burstAtSignal = (record: Burst, context: RowContext, stamp: Stamp): BurstRow => {
  const burst = rowOfRecord(bursts, record, context)
  return {
    inflowEth: ethOfWei(burst.inflowWei),
    poolAgeMin: poolAgeMinOf(burst),
    buyers: null,
    repeatBuyers: null,
    lp: null,
    outcome: null,
    filled: notFilled,
    gaps: null,
    ...burst,
    ...stamp,
  }
}

const poolAgeMinOf = ({ atMs, poolCreatedAtMs }: RowOf<typeof bursts>): number => (atMs - poolCreatedAtMs) / minuteMs

type BareBurst = Omit<BurstRow, 'gaps'>

/** Returns the buyers if they are known and the tier shows them. */
const shownBuyers = ({ tier }: Parts['burst'], buyers: Parts['buyers']): Parts['buyers'] =>
  tierTraits[tier].senders === 'shown' && buyers?.isKnown ? buyers : undefined

function toBurstRow({ burst, lp, outcome, buyers }: Parts, repeatBuyers: number | null): BareBurst {
  return {
    ...burst,
    inflowEth: ethOfWei(burst.inflowWei),
    poolAgeMin: poolAgeMinOf(burst),
    buyers: buyers ? new Set(buyers.wallets).size : null,
    repeatBuyers,
    lp: detailsAt(burstLp, lp),
    outcome: outcomeRowOf(outcome),
    filled: { seconds: newestStamp([stampAt(lp), stampAt(buyers)]), outcome: stampAt(outcome) },
  }
}

function outcomeRowOf(row: RowAtCut<typeof burstOutcomes> | undefined): OutcomeRow | null {
  const details = detailsAt(burstOutcomes, row)
  if (!row || details === null) return null
  const { rugAtSec, rugLpRemoved, ...outcome } = details
  const rug = rugAtSec === null || rugLpRemoved === null ? null : { atSec: rugAtSec, lpRemoved: rugLpRemoved }
  return { scoredAtMs: row.knownAtMs, rug, ...outcome }
}
