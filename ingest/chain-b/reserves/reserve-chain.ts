/**
 * Every trade on a curve begins where the one before it ended, to the last unit, so a missing trade shows at the next one.
 * Curves in mayhem mode are left out: their reserves also change without a trade.
 */
import { beforeTrade, type Reserves } from '../../../schemas/chain-b/curve.ts'
import type { CurveTraded, GapFound } from '../../../schemas/chain-b/facts.ts'

export type Gap = Pick<GapFound, 'lastSlot' | 'missingQuoteRaw' | 'missingTokenRaw'>

/** `stranger`: nothing is known of the curve yet. From this trade on it is. */
type Link = Readonly<{ kind: 'linked' } | { kind: 'stranger' } | { kind: 'broken'; gap: Gap }>

export type ReserveChain = Readonly<{
  /** Where the curve stands by what was followed. */
  lastOf(key: string): Reserves | undefined
  /** The curve begins, or was read from its account, with these reserves at the end of that slot. */
  begin(key: string, reserves: Reserves, slot: number): void
  /** The next trade of the curve. After a gap the chain goes on from it. */
  follow(key: string, trade: CurveTraded): Link
  /** What is missing up to these reserves, which the account has. It finds trades missing that none has followed yet. */
  gapUpTo(key: string, reserves: Reserves): Gap | null
  forget(key: string): void
}>

type Last = Reserves & Readonly<{ slot: number }>

const linked: Link = { kind: 'linked' }
const stranger: Link = { kind: 'stranger' }

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
      if (last === undefined) return stranger
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
