/** A gap of a curve that waits for its repair. */
import { beforeTrade, type Reserves } from '../../../schemas/chain-b/curve.ts'
import type { CurveTraded, GapFound, GapRepaired } from '../../../schemas/chain-b/facts.ts'
import type { ChainPlace } from '../../../schemas/chain-place.ts'

export type OpenGap = Readonly<{
  /** The mint in base58. */
  key: string
  /** Of the fact that follows it. If there is none, of the last fact of the curve before it. */
  place: ChainPlace
  /** Whether a fact follows it. If not, the curve's account showed it. */
  isFollowed: boolean
  /** What is missing is in these slots, both included. */
  fromSlot: number
  toSlot: number
  /** The reserves of the curve before and behind what is missing. */
  from: Reserves
  to: Reserves
}>

/** Of one gap at a time; one that no fact follows has none that could tell it from the next. */
export const gapIdOf = (key: string, before: Readonly<{ txHash: string; logIndex: number }> | null): string =>
  before === null ? `${key}:account` : `${key}:${before.txHash}:${before.logIndex}`

export const idOfGap = ({ key, isFollowed, place }: OpenGap): string => gapIdOf(key, isFollowed ? place : null)

export const idOfRepaired = (key: string, { gapTxHash, gapLogIndex }: GapRepaired): string =>
  gapIdOf(key, gapTxHash === null ? null : { txHash: gapTxHash, logIndex: gapLogIndex ?? 0 })

/** The gap before a trade, as it was found. */
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
