import type { QueryParameters } from '../../../infra/clickhouse/database.ts'
import type { Burst } from '../../../schemas/chain-a/derived.ts'
import { tierTraits } from '../../../schemas/chain-a/tier-traits.ts'
import { minuteMs } from '../../../schemas/units.ts'
import { atCut, type KeyCondition } from '../../at-cut.ts'
import type { RowContext } from '../../columns.ts'
import type { StageCut } from '../../cuts.ts'
import {
  detailsOf,
  newestStamp,
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
import { burstBuyers } from '../tables/burst-buyers.ts'
import { burstLp } from '../tables/burst-lp.ts'
import { burstOutcomes } from '../tables/burst-outcomes.ts'
import { bursts } from '../tables/bursts.ts'
import type { BurstFilter, BurstRow, OutcomeRow } from './chain-a-queries.ts'
import { repeatBuyers } from './repeat-buyers.ts'
import { ethOfWei } from './units.ts'

/**
 * Selects the bursts with signals in `[from, to]`, and with `isScoredOnly` only bursts with an outcome. `pool` is text from outside, so it
 * is a query parameter.
 */
export type BurstQuestion = Readonly<{
  from: number
  to: number
  filter: BurstFilter
  pool?: string
  isScoredOnly?: boolean
  limit?: number
}>

type SelectedBurst = Selected & Readonly<{ buyerCount: string; buyersKnownAtMs: string; buyersPublishedAtMs: string }>

/** Selects bursts, newest first; ties by pool and tier. */
export async function selectBursts(
  { database, gaps }: GapReading,
  cut: StageCut,
  question: BurstQuestion,
): Promise<readonly BurstRow[]> {
  const { sql, parameters } = burstsSql(cut, question)
  const selected = await database.query<SelectedBurst>(sql, parameters)
  const rows = await gaps.withGaps(cut, selected.map(toBurstRow), tradedOf)
  const shown = rows.filter(({ buyers }) => buyers !== null).map(({ atMs }) => atMs)
  if (shown.length === 0) return rows
  const countOf = await repeatBuyers(database, cut, { from: Math.min(...shown), to: Math.max(...shown) })
  return rows.map((row, index) => {
    if (row.buyers === null) return row
    const buyersKnownAtMs = Number(selected[index]?.buyersKnownAtMs)
    return { ...row, repeatBuyers: countOf({ name: row.pool, atMs: row.atMs, buyersKnownAtMs }) }
  })
}

const outcomeMs = 30 * minuteMs

/**
 * Returns the span of the trades on which the row depends: the window of the burst and, once the burst is scored, the time of the outcome.
 */
const tradedOf = ({ token, pool, atMs, windowSec, outcome }: BareBurst): Traded => ({
  ...{ token, market: pool, afterMs: atMs - windowSec * 1000, toMs: outcome === null ? atMs : atMs + outcomeMs },
})

/** The SQL that selects the bursts, and its query parameters. Without a `pool` there are no parameters. */
function burstsSql(
  cut: StageCut,
  { from, to, filter, pool, isScoredOnly = false, limit }: BurstQuestion,
): Readonly<{ sql: string; parameters: QueryParameters }> {
  const keys: Readonly<{ at_ms: KeyCondition; pool?: KeyCondition; tier?: KeyCondition }> = {
    at_ms: { from, to },
    ...(pool === undefined ? {} : { pool: { sql: '= {pool:String}' } }),
    ...(filter.tier === 'all' ? {} : { tier: { sql: `= '${filter.tier}'` } }),
  }
  const on = (alias: string) => `${alias}.pool = b.pool AND ${alias}.tier = b.tier AND ${alias}.at_ms = b.at_ms`
  const sql = `SELECT ${selectOf(bursts, 'b')}, ${selectOf(burstLp, 'l')}, ${selectOf(burstOutcomes, 'o')},
      length(arrayDistinct(y.wallets)) AS buyerCount, if(y.is_known = 1, y.known_at_ms, 0) AS buyersKnownAtMs,
      y.published_at_ms AS buyersPublishedAtMs
    FROM ${atCut(bursts, cut.atMs, keys)} AS b
    LEFT JOIN ${atCut(burstBuyers, cut.atMs, keys)} AS y ON ${on('y')}
    ${filter.lp === 'all' ? 'LEFT' : 'INNER'} JOIN ${atCut(burstLp, cut.atMs, keys)} AS l ON ${on('l')}
    ${isScoredOnly ? 'INNER' : 'LEFT'} JOIN ${atCut(burstOutcomes, cut.atMs, keys)} AS o ON ${on('o')}
    ${filter.lp === 'all' ? '' : `WHERE l.class = '${filter.lp}'`}
    ORDER BY b.at_ms DESC, b.pool, b.tier${limit === undefined ? '' : ` LIMIT ${limit}`}`
  return { sql, parameters: pool === undefined ? {} : { pool } }
}

/** The row at its signal, without fields that become known later. */
export const burstAtSignal = (burst: Burst, context: RowContext, stamp: Stamp): BurstRow => ({
  ...signalOf(rowOfRecord(bursts, burst, context), stamp),
  buyers: null,
  repeatBuyers: null,
  lp: null,
  outcome: null,
  filled: notFilled,
  gaps: null,
})

const signalOf = (burst: RowOf<typeof bursts>, stamp: Stamp) => ({
  ...burst,
  ...stamp,
  inflowEth: ethOfWei(burst.inflowWei),
  poolAgeMin: (burst.atMs - burst.poolCreatedAtMs) / minuteMs,
})

type BareBurst = Omit<BurstRow, 'gaps'>

/** Makes a row without its repeat buyers. `selectBursts` counts these for all rows at once. */
function toBurstRow(selected: SelectedBurst): BareBurst {
  const burst = rowOf(bursts, 'b', selected)
  const buyersKnownAtMs = Number(selected.buyersKnownAtMs)
  const hasShownBuyers = tierTraits[burst.tier].senders === 'shown' && buyersKnownAtMs > 0
  const buyersStamp = { knownAtMs: buyersKnownAtMs, publishedAtMs: Number(selected.buyersPublishedAtMs) }
  return {
    ...signalOf(burst, stampOf('b', selected)),
    buyers: hasShownBuyers ? Number(selected.buyerCount) : null,
    repeatBuyers: null,
    lp: detailsOf(burstLp, 'l', selected),
    outcome: outcomeOf(selected),
    filled: {
      seconds: newestStamp([stampIn('l', selected), hasShownBuyers ? buyersStamp : null]),
      outcome: stampIn('o', selected),
    },
  }
}

function outcomeOf(selected: Selected): OutcomeRow | null {
  const details = detailsOf(burstOutcomes, 'o', selected)
  if (details === null) return null
  const { rugAtSec, rugLpRemoved, ...outcome } = details
  const rug = rugAtSec === null || rugLpRemoved === null ? null : { atSec: rugAtSec, lpRemoved: rugLpRemoved }
  return { ...outcome, scoredAtMs: stampOf('o', selected).knownAtMs, rug }
}
