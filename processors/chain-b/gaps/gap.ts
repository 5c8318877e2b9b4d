/** The gaps in the trades of a curve: while they are open, and after they were given up or repaired too late to count. */
import type { TradeGap } from '../../../schemas/chain-b/derived.ts'
import type { CurveMigrated, CurveTraded, GapFound, GapRepaired } from '../../../schemas/chain-b/facts.ts'
import type { CoinRaw, EpochMs } from '../../../schemas/units.ts'
import type { Opening } from '../mints/mint.ts'

/** Late trades since the last repair. The next repair reports them. */
type LateTrades = Readonly<{ fromAtMs: EpochMs; toAtMs: EpochMs; trades: number; volumeRaw: CoinRaw }>

export type CurveGaps = {
  readonly isAgainstSol: boolean
  readonly isMayhem: boolean
  /** The time of the newest trade, or of the opening. */
  lastAtMs: EpochMs
  /** Whether tokens were left for sale at that time. */
  isForSale: boolean
  /** Oldest first. */
  open: readonly TradeGap[]
  late: LateTrades | null
  /** The gap before the migration. Null: there is none, or its last trade was read late. */
  last: TradeGap | null
}

/** Ingest repairs a gap within a minute or gives it up. Beyond this number the oldest gap is dropped, and its last record stays. */
const openMax = 100

export const noGapsSince = ({ blockAtMs, quoteMint, isMayhem, realTokenRaw }: Opening['data']): CurveGaps => ({
  ...{ isAgainstSol: quoteMint === null, isMayhem, lastAtMs: blockAtMs, isForSale: realTokenRaw > 0n },
  ...{ open: [], late: null, last: null },
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

export function addLate({ late }: CurveGaps, { lateAtMs, blockAtMs, quoteRaw }: CurveTraded): LateTrades {
  const atMs = lateAtMs ?? blockAtMs
  return {
    fromAtMs: Math.min(late?.fromAtMs ?? atMs, atMs),
    toAtMs: Math.max(late?.toAtMs ?? atMs, atMs),
    trades: (late?.trades ?? 0) + 1,
    volumeRaw: (late?.volumeRaw ?? 0n) + magnitude(quoteRaw),
  }
}

/** Returns the new version of the gap that was repaired. Null: the gap was not published, or nothing is missing. */
export function repairGap(gaps: CurveGaps, repaired: GapRepaired): TradeGap | null {
  const { late } = gaps
  gaps.late = null
  const { gapTxHash, gapLogIndex } = repaired
  if (gapTxHash === null) return unfollowedGap(gaps, repaired, late)
  const told = gaps.open.find(({ txHash, logIndex }) => txHash === gapTxHash && logIndex === gapLogIndex)
  if (told === undefined) return null
  gaps.open = gaps.open.filter((gap) => gap !== told)
  return repaired.isWhole
    ? { ...told, ...(late ?? toldElsewhere), state: 'late' }
    : { ...told, state: 'given_up', failure: repaired.failure }
}

/** A curve migrates after its last token is sold. If the newest trade left tokens, the last trades are missing. */
export function findLastGap(gaps: CurveGaps, { blockAtMs, txHash, logIndex }: CurveMigrated): TradeGap | null {
  const { isMayhem, isForSale, lastAtMs } = gaps
  if (isMayhem || !isForSale) return null
  gaps.last = {
    ...{ atMs: blockAtMs, txHash, logIndex, fromAtMs: lastAtMs, toAtMs: blockAtMs },
    ...{ trades: null, volumeRaw: null, state: 'open', failure: null },
  }
  return gaps.last
}

/** The last trade was read late, so the record of its repair reports it. */
export function closeLastGap(gaps: CurveGaps): TradeGap | null {
  const { last } = gaps
  gaps.last = null
  return last && { ...last, ...toldElsewhere, state: 'late' }
}

/** The late trades of this gap are reported by another gap. */
const toldElsewhere = { trades: 0, volumeRaw: 0n } as const

/** Handles a gap that no trade follows, found by reading the account of the curve. */
function unfollowedGap(
  { lastAtMs, open }: CurveGaps,
  { blockAtMs, txHash, logIndex, isWhole, failure }: GapRepaired,
  late: LateTrades | null,
): TradeGap | null {
  const place = { atMs: blockAtMs, txHash, logIndex }
  if (isWhole) return late && { ...place, ...late, state: 'late', failure: null }
  // A trade may have come since the account was read. The gap before that trade begins at the same time as this one.
  const fromAtMs = Math.min(open.at(-1)?.fromAtMs ?? lastAtMs, lastAtMs)
  return { ...place, fromAtMs, toAtMs: blockAtMs, trades: null, volumeRaw: null, state: 'given_up', failure }
}
