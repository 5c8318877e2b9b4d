/** What is told of trades of a curve that are missing: while they are, and once they were given up or read too late to count. */
import type { TradeGap } from '../../../schemas/chain-b/derived.ts'
import type { CurveMigrated, CurveTraded, GapFound, GapRepaired } from '../../../schemas/chain-b/facts.ts'
import type { Opening } from '../mints/mint.ts'

/** Late trades since the last repair: those of the repair that comes next. */
type LateTrades = Readonly<{ fromAtMs: number; toAtMs: number; trades: number; volumeRaw: bigint }>

export type CurveGaps = {
  readonly isAgainstSol: boolean
  readonly isMayhem: boolean
  /** The time of the newest trade, or of the opening. */
  lastAtMs: number
  /** Whether tokens were left for sale then. */
  isForSale: boolean
  /** Oldest first. */
  open: readonly TradeGap[]
  late: LateTrades | null
  /** The gap before the migration. Null: there is none, or the trade that ended the curve was read late. */
  last: TradeGap | null
}

/** Ingest repairs a gap within a minute or gives it up. Beyond this the oldest stays as it was told. */
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

/** The gap of the repair as it stands now. Null: it was not told, or nothing of it is missing. */
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

/** A curve migrates once all is sold. If its newest trade left tokens, the last ones are missing. */
export function findLastGap(gaps: CurveGaps, { blockAtMs, txHash, logIndex }: CurveMigrated): TradeGap | null {
  const { isMayhem, isForSale, lastAtMs } = gaps
  if (isMayhem || !isForSale) return null
  gaps.last = {
    ...{ atMs: blockAtMs, txHash, logIndex, fromAtMs: lastAtMs, toAtMs: blockAtMs },
    ...{ trades: null, volumeRaw: null, state: 'open', failure: null },
  }
  return gaps.last
}

/** The last trade was read late: its repair tells of it. */
export function closeLastGap(gaps: CurveGaps): TradeGap | null {
  const { last } = gaps
  gaps.last = null
  return last && { ...last, ...toldElsewhere, state: 'late' }
}

/** Another gap has told of the late trades of this one. */
const toldElsewhere = { trades: 0, volumeRaw: 0n } as const

/** No trade follows the gap: the account of the curve showed it. */
function unfollowedGap(
  { lastAtMs, open }: CurveGaps,
  { blockAtMs, txHash, logIndex, isWhole, failure }: GapRepaired,
  late: LateTrades | null,
): TradeGap | null {
  const place = { atMs: blockAtMs, txHash, logIndex }
  if (isWhole) return late && { ...place, ...late, state: 'late', failure: null }
  // A trade may have come since the account was read: then the gap before that trade begins where this one does.
  const fromAtMs = Math.min(open.at(-1)?.fromAtMs ?? lastAtMs, lastAtMs)
  return { ...place, fromAtMs, toAtMs: blockAtMs, trades: null, volumeRaw: null, state: 'given_up', failure }
}
