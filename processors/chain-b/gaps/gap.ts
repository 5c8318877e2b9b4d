/**
 * Follows the gaps in the recorded trades of a curve. A gap is a place where trades are missing. It is open
 * until ingest has read the missing trades late, or gives up.
 */
import assert from 'node:assert/strict'
import type { TradeGap } from '../../../schemas/chain-b/derived.ts'
import type { CurveMigrated, CurveTraded, GapFound, GapRepaired } from '../../../schemas/chain-b/facts.ts'
import type { CoinRaw, EpochMs } from '../../../schemas/units.ts'
import { keptOf, noItems } from '../../lean-list.ts'
import type { Opening } from '../mints/mint.ts'

/**
 * The sums of the trades that were read late, since the last repair of a gap. The record of the next repaired
 * gap contains them.
 */
type LateTrades = Readonly<{ fromAtMs: EpochMs; toAtMs: EpochMs; trades: number; volumeRaw: CoinRaw }>

export type CurveGaps = {
  readonly isAgainstSol: boolean
  readonly isMayhem: boolean
  /** The time of the newest trade, or of the fact with which tracking began. */
  lastAtMs: EpochMs
  /** Whether the curve has tokens left for sale. */
  isForSale: boolean
  /** The open gaps, oldest first. */
  open: readonly TradeGap[]
  late: LateTrades | null
  /**
   * The gap between the newest trade and the replacement of the curve by a pool. Null: there is no such gap,
   * or the last trade of the curve was read late.
   */
  last: TradeGap | null
}

/**
 * The maximum number of open gaps of a curve. A further gap replaces the oldest open one, whose last
 * published record stays valid. Few gaps are open at the same time, because ingest repairs a gap within a
 * minute or gives up.
 */
const openMax = 100

export const noGapsSince = ({ blockAtMs, quoteMint, isMayhem, realTokenRaw }: Opening['data']): CurveGaps => ({
  isAgainstSol: quoteMint === null,
  isMayhem,
  lastAtMs: blockAtMs,
  isForSale: realTokenRaw > 0n,
  open: noItems,
  late: null,
  last: null,
})

const magnitude = (amount: bigint): bigint => (amount < 0n ? -amount : amount)

export function findGap(gaps: CurveGaps, found: GapFound): TradeGap {
  const { blockAtMs, txHash, logIndex, missingQuoteRaw } = found
  const gap: TradeGap = {
    ...{ atMs: blockAtMs, txHash, logIndex, fromAtMs: gaps.lastAtMs, toAtMs: blockAtMs },
    ...{ trades: null, volumeRaw: magnitude(missingQuoteRaw), state: 'open', failure: null },
  }
  gaps.open = [...gaps.open, gap].slice(-openMax)
  return gap
}

export function addLate({ late }: CurveGaps, { lateAtMs, quoteRaw }: CurveTraded): LateTrades {
  assert(lateAtMs !== null, 'the added trade is not late')
  const atMs = lateAtMs
  return {
    fromAtMs: Math.min(late?.fromAtMs ?? atMs, atMs),
    toAtMs: Math.max(late?.toAtMs ?? atMs, atMs),
    trades: (late?.trades ?? 0) + 1,
    volumeRaw: (late?.volumeRaw ?? 0n) + magnitude(quoteRaw),
  }
}

/**
 * Returns the new version of the gap that ingest has repaired or given up. Returns null if the gap is not in
 * `open`, or if no trade is missing.
 */
export function repairGap(gaps: CurveGaps, repaired: GapRepaired): TradeGap | null {
  const { late } = gaps
  gaps.late = null
  const { gapTxHash, gapLogIndex } = repaired
  if (gapTxHash === null) return unfollowedGap(gaps, repaired, late)
  const openGap = gaps.open.find(({ txHash, logIndex }) => txHash === gapTxHash && logIndex === gapLogIndex)
  if (openGap === undefined) return null
  gaps.open = keptOf(gaps.open, (gap) => gap !== openGap)
  return repaired.isWhole
    ? { ...openGap, ...(late ?? reportedElsewhere), state: 'late' }
    : { ...openGap, state: 'given_up', failure: repaired.failure }
}

/**
 * Returns the gap before the migration (the replacement of the curve by a pool), if tokens were left for
 * sale. A curve migrates after its last token is sold, so trades must be missing.
 */
export function findLastGap(gaps: CurveGaps, { blockAtMs, txHash, logIndex }: CurveMigrated): TradeGap | null {
  const { isMayhem, isForSale, lastAtMs } = gaps
  if (isMayhem || !isForSale) return null
  gaps.last = {
    ...{ atMs: blockAtMs, txHash, logIndex, fromAtMs: lastAtMs, toAtMs: blockAtMs },
    ...{ trades: null, volumeRaw: null, state: 'open', failure: null },
  }
  return gaps.last
}

/**
 * Returns the gap before the migration (the replacement of the curve by a pool) with `state` set to `late`.
 * Call this function when the last trade of the curve was read late.
 */
export function closeLastGap(gaps: CurveGaps): TradeGap | null {
  const { last } = gaps
  gaps.last = null
  return last && { ...last, ...reportedElsewhere, state: 'late' }
}

/** The sums of a gap whose late trades are counted in the record of another gap. */
const reportedElsewhere = { trades: 0, volumeRaw: 0n } as const

/**
 * Handles the repair of a gap that is not known from a later trade. Ingest finds such a gap when it reads the
 * account of the curve.
 */
function unfollowedGap(
  { lastAtMs, open }: CurveGaps,
  { blockAtMs, txHash, logIndex, isWhole, failure }: GapRepaired,
  late: LateTrades | null,
): TradeGap | null {
  const place = { atMs: blockAtMs, txHash, logIndex }
  if (isWhole) return late && { ...place, ...late, state: 'late', failure: null }
  // If a trade came after ingest had read the account, the gap before that trade is in `open`. It is the same
  // gap, so both begin at the same time.
  const fromAtMs = Math.min(open.at(-1)?.fromAtMs ?? lastAtMs, lastAtMs)
  return { ...place, fromAtMs, toAtMs: blockAtMs, trades: null, volumeRaw: null, state: 'given_up', failure }
}
