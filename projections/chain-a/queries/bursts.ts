import type { Database } from '../../../infra/clickhouse/database.ts'
import type { Burst } from '../../../schemas/chain-a/derived.ts'
import { tierTraits } from '../../../schemas/chain-a/tier-traits.ts'
import { type EpochMs, hourMs, minuteMs } from '../../../schemas/units.ts'
import type { RowContext } from '../../columns.ts'
import type { StageCut } from '../../cuts.ts'
import { keepRows } from '../../kept-rows.ts'
import {
  createRecentRows,
  createRowsInMemory,
  type JoinedRow,
  joinRows,
  type RecentRows,
  type RowsInMemory,
} from '../../recent-rows.ts'
import type { RepeatBuyers } from '../../repeat-buyers.ts'
import { compareText, detailsAt, type RowAtCut, stampAt } from '../../rows-at-cut.ts'
import { newestStamp, notFilled, type RowOf, rowOfRecord, type Stamp } from '../../select.ts'
import type { MissingTrades, Traded } from '../../trade-gaps/missing-trades.ts'
import type { GapReading } from '../../trade-gaps/trade-gaps.ts'
import { burstBuyers } from '../tables/burst-buyers.ts'
import { burstLp } from '../tables/burst-lp.ts'
import { burstOutcomes } from '../tables/burst-outcomes.ts'
import { bursts } from '../tables/bursts.ts'
import type { BurstFilter, BurstRow, OutcomeRow } from './chain-a-queries.ts'
import { ethOfWei } from './units.ts'

const tables = { burst: bursts, lp: burstLp, outcome: burstOutcomes, buyers: burstBuyers }
const first = 'burst'

/** A burst with its rows in other tables, which became known later. */
export type JoinedBurst = JoinedRow<typeof tables, typeof first>

/** Answers about the last 24 h need the rows of this time. The block time can fall a little in a reorg. */
const keptMs = 25 * hourMs

type RecentBursts = Readonly<{
  recentBursts: RecentRows<typeof tables, typeof first>
  /** The same, only from memory. */
  burstsInMemory: RowsInMemory<typeof tables, typeof first>
}>

export function createRecentBursts(database: Database): RecentBursts {
  const source = { database, tables, first, time: 'at_ms', keptMs } as const
  const burstsInMemory = createRowsInMemory(source)
  return { burstsInMemory, recentBursts: createRecentRows(source, burstsInMemory) }
}

type RowsOf = { readonly [Name in keyof typeof tables]: readonly RowAtCut<(typeof tables)[Name]>[] }

export const joinBursts = (rows: RowsOf): readonly JoinedBurst[] => joinRows({ tables, first }, rows)

/**
 * The parameters of a query for bursts with signals in `[from, to]`. With `isScoredOnly`, only bursts with an
 * outcome are selected.
 */
type BurstQuestion = Readonly<{
  from: number
  to: number
  filter: BurstFilter
  isScoredOnly?: boolean
  limit?: number
}>

export type BurstReading = GapReading & RecentBursts & Readonly<{ repeatBuyers: RepeatBuyers }>

/** Selects bursts, newest first. Bursts of the same time are sorted by pool and tier. */
export async function selectBursts(
  reading: BurstReading,
  cut: StageCut,
  { filter, isScoredOnly = false, limit, ...range }: BurstQuestion,
): Promise<readonly BurstRow[]> {
  const found = (await reading.recentBursts(cut, range)).filter(
    ({ burst, lp, outcome }) =>
      (filter.tier === 'all' || burst.tier === filter.tier) &&
      (filter.lp === 'all' || lp?.class === filter.lp) &&
      !(isScoredOnly && !outcome),
  )
  return completeBursts(reading, cut, { found, limit })
}

/** Returns the rows of the newest `limit` bursts, newest first, with the values that are computed at each cut. */
export async function completeBursts(
  { gaps, repeatBuyers }: Pick<BurstReading, 'gaps' | 'repeatBuyers'>,
  cut: StageCut,
  { found, limit }: Readonly<{ found: readonly JoinedBurst[]; limit?: number | undefined }>,
): Promise<readonly BurstRow[]> {
  const shown = [...found].sort((left, right) => newestFirst(left.burst, right.burst)).slice(0, limit)
  const counted = shown.flatMap(({ burst, buyers }, index) => {
    const { pool: name, atMs } = burst
    const known = shownBuyers(burst, buyers)
    return known ? [{ index, name, atMs, buyersKnownAtMs: known.knownAtMs, wallets: known.wallets }] : []
  })
  const counts = await repeatBuyers(cut, counted)
  const countAt = new Map(counted.map(({ index }, at) => [index, counts[at] ?? null]))
  const missing = await gaps.missingTrades(cut, shown.map(tradedOf))
  return shown.map((joined, index) =>
    toBurstRow(joined, { repeatBuyers: countAt.get(index) ?? null, gaps: missing[index] ?? null }),
  )
}

type Key = Readonly<{ atMs: EpochMs; pool: string; tier: string }>

const newestFirst = (left: Key, right: Key): number =>
  right.atMs - left.atMs || compareText(left.pool, right.pool) || compareText(left.tier, right.tier)

const outcomeMs = 30 * minuteMs

/**
 * Returns the time span of the trades on which the burst's row depends. This is the window of the burst. If
 * the burst has an outcome, the span continues until the time of the outcome.
 */
const tradedOf = ({ burst: { token, pool, atMs, windowSec }, outcome }: JoinedBurst): Traded => ({
  ...{ token, market: pool, afterMs: atMs - windowSec * 1000, toMs: outcome === undefined ? atMs : atMs + outcomeMs },
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

/** Returns the buyers if they are known and the tier shows them. */
const shownBuyers = ({ tier }: JoinedBurst['burst'], buyers: JoinedBurst['buyers']): JoinedBurst['buyers'] =>
  tierTraits[tier].senders === 'shown' && buyers?.isKnown ? buyers : undefined

const toBurstRow = keepRows(
  (
    { burst, lp, outcome, buyers }: JoinedBurst,
    computed: Readonly<{ repeatBuyers: number | null; gaps: MissingTrades | null }>,
  ): BurstRow => {
    const shown = shownBuyers(burst, buyers)
    return {
      ...burst,
      inflowEth: ethOfWei(burst.inflowWei),
      poolAgeMin: poolAgeMinOf(burst),
      buyers: shown ? new Set(shown.wallets).size : null,
      lp: detailsAt(burstLp, lp),
      outcome: outcomeRowOf(outcome),
      filled: { seconds: newestStamp([stampAt(lp), stampAt(shown)]), outcome: stampAt(outcome) },
      ...computed,
    }
  },
)

function outcomeRowOf(row: RowAtCut<typeof burstOutcomes> | undefined): OutcomeRow | null {
  const details = detailsAt(burstOutcomes, row)
  if (!row || details === null) return null
  const { rugAtSec, rugLpRemoved, ...outcome } = details
  const rug = rugAtSec === null || rugLpRemoved === null ? null : { atSec: rugAtSec, lpRemoved: rugLpRemoved }
  return { scoredAtMs: row.knownAtMs, rug, ...outcome }
}
