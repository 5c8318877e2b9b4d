/**
 * Follows the reserves of curves to detect missing trades. Every trade on a curve begins with exactly the
 * reserves after the previous trade. So if a trade is missing, the next trade does not match. Curves in
 * mayhem mode are not checked, because their reserves also change without a trade.
 */
import { beforeTrade, type Reserves } from '../../../schemas/chain-b/curve.ts'
import type { CurveTraded, GapFound } from '../../../schemas/chain-b/facts.ts'
import type { BlockNumber } from '../../../schemas/units.ts'

export type Gap = Pick<GapFound, 'lastSlot' | 'missingQuoteRaw' | 'missingTokenRaw'>

/** `unknown`: the curve was unknown, and is known from this trade on. */
type Link = Readonly<{ kind: 'linked' } | { kind: 'unknown' } | { kind: 'broken'; gap: Gap }>

export type ReserveChain = Readonly<{
  /** Returns the reserves of the curve after its last trade that was passed to `follow`. */
  lastOf(key: string): Reserves | undefined
  /**
   * Sets the reserves of the curve at the end of that slot. The caller takes them from the curve's launch or
   * account.
   */
  begin(key: string, reserves: Reserves, slot: BlockNumber): void
  /**
   * Compares the next trade of the curve with the reserves after the previous trade. Then sets the reserves
   * to those after this trade, even if trades are missing.
   */
  follow(key: string, trade: CurveTraded): Link
  /**
   * Returns the gap between the last trade and the reserves in the curve's account. Returns null if nothing
   * is missing. With the account, missing trades are found even if no further trade comes.
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
