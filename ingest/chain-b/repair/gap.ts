/** A gap that waits for repair: a stretch in which trades of a curve are missing from the recorded facts. */
import { beforeTrade, type Reserves } from '../../../schemas/chain-b/curve.ts'
import type { CurveTraded, GapFound, GapRepaired } from '../../../schemas/chain-b/facts.ts'
import type { ChainPlace } from '../../../schemas/chain-place.ts'
import type { BlockNumber } from '../../../schemas/units.ts'

export type OpenGap = Readonly<{
  /** The mint in base58. */
  key: string
  /**
   * The place of the first recorded fact after the gap. If there is none, the place of the curve's last fact
   * before the gap.
   */
  place: ChainPlace
  /**
   * Whether a recorded fact of the curve follows the gap. If not, ingest found the gap by reading the curve's
   * account.
   */
  isFollowed: boolean
  /** The missing facts are in these slots, both included. */
  fromSlot: BlockNumber
  toSlot: BlockNumber
  /** The reserves of the curve before and after the missing facts. */
  from: Reserves
  to: Reserves
}>

/**
 * Returns the id of a gap. `before` is the first recorded fact after the gap, or null if there is none. A
 * mint has at most one gap without such a fact, so the mint's key identifies that gap.
 */
export const gapIdOf = (key: string, before: Readonly<{ txHash: string; logIndex: number }> | null): string =>
  before === null ? `${key}:account` : `${key}:${before.txHash}:${before.logIndex}`

export const idOfGap = ({ key, isFollowed, place }: OpenGap): string => gapIdOf(key, isFollowed ? place : null)

export const idOfRepaired = (key: string, { gapTxHash, gapLogIndex }: GapRepaired): string =>
  gapIdOf(key, gapTxHash === null ? null : { txHash: gapTxHash, logIndex: gapLogIndex ?? 0 })

/** Computes the gap that the recorded fact `found` reports. `trade` is the trade right after the gap. */
export function gapBefore(key: string, found: GapFound, trade: CurveTraded): OpenGap {
  const { lastSlot, missingQuoteRaw, missingTokenRaw } = found
  const to = beforeTrade(trade)
  const from = { quoteRaw: to.quoteRaw - missingQuoteRaw, tokenRaw: to.tokenRaw + missingTokenRaw }
  return { key, place: placeOf(found), isFollowed: true, fromSlot: lastSlot, toSlot: found.blockNumber, from, to }
}

export const placeOf = (fact: ChainPlace): ChainPlace => {
  const { blockNumber, blockAtMs, txIndex, logIndex, blockHash, txHash } = fact
  return { blockNumber, blockAtMs, txIndex, logIndex, blockHash, txHash }
}
