/**
 * Follows the reserves of curves to detect missing trades. Every trade on a curve begins with exactly the reserves after the previous
 * trade. The next trade therefore reveals a missing one. Curves in mayhem mode are not checked, because their reserves also change without
 * a trade.
 */
import { beforeTrade, type Reserves } from '../../../schemas/chain-b/curve.ts'
import type { CurveTraded, GapFound } from '../../../schemas/chain-b/facts.ts'
import type { BlockNumber } from '../../../schemas/units.ts'

export type Gap = Pick<GapFound, 'lastSlot' | 'missingQuoteRaw' | 'missingTokenRaw'>

/** `unknown`: the curve was unknown, and is known from this trade on. */
type Link = Readonly<{ kind: 'linked' } | { kind: 'unknown' } | { kind: 'broken'; gap: Gap }>

export type ReserveChain = Readonly<{
  /** The reserves of the curve after the last trade that was followed. */
  lastOf(key: string): Reserves | undefined
  /** Sets the reserves of the curve at the end of that slot, from its launch or from its account. */
  begin(key: string, reserves: Reserves, slot: BlockNumber): void
  /** Follows the next trade of the curve. After a gap, the chain continues from the trade. */
  follow(key: string, trade: CurveTraded): Link
  /**
   * Returns the gap between the last trade and the reserves in the curve's account. Null if nothing is missing. The account reveals missing
   * trades even without a further trade.
   */
  gapUpTo(key: string, reserves: Reserves): Gap | null
  forget(key: string): void
}>

type Last = Reserves & Readonly<{ slot: BlockNumber }>

const linked: Link = { kind: 'linked' }
const unknownCurve: Link = { kind: 'unknown' }

export function createReserveChain(): ReserveChain {
  const lasts = new Map<string, Last>()
  return {
    lastOf: (key) => lasts.get(key),
    begin(key, { quoteRaw, tokenRaw }, slot) {
      lasts.set(key, { quoteRaw, tokenRaw, slot })
    },
    follow(key, trade) {
      if (trade.isMayhem) return linked
      const last = lasts.get(key)
      lasts.set(key, { quoteRaw: trade.virtualQuoteRaw, tokenRaw: trade.virtualTokenRaw, slot: trade.blockNumber })
      if (last === undefined) return unknownCurve
      const gap = gapBetween(last, beforeTrade(trade))
      return gap === null ? linked : { kind: 'broken', gap }
    },
    gapUpTo(key, reserves) {
      const last = lasts.get(key)
      return last === undefined ? null : gapBetween(last, reserves)
    },
    forget(key) {
      lasts.delete(key)
    },
  }
}

function gapBetween(last: Last, next: Reserves): Gap | null {
  const missingQuoteRaw = next.quoteRaw - last.quoteRaw
  const missingTokenRaw = last.tokenRaw - next.tokenRaw
  if (missingQuoteRaw === 0n && missingTokenRaw === 0n) return null
  return { lastSlot: last.slot, missingQuoteRaw, missingTokenRaw }
}
