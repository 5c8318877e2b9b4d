/**
 * The copies (simulated purchases) of one token in progress. A busy token has hundreds of copies, and most
 * trades reach no price limit of any copy. So the price is first compared with the nearest limits of all
 * copies. The copies are checked one by one only if such a limit is reached.
 */
import type { CopyClosed } from '../../../schemas/chain-b/derived.ts'
import type { BlockNumber, EpochMs } from '../../../schemas/units.ts'
import {
  type Copy,
  type CopyLimits,
  closeAtMs,
  closedOf,
  type Fill,
  fillCopy,
  hitPx,
  isHeld,
  judgeCopy,
  leaveInTime,
  missPx,
  stopAtMs,
  stopPx,
  takeProfitPx,
  trailFromPx,
} from './copy.ts'
import { addBuy, closeBuy, type Holdings } from './holdings.ts'
import { type FeeRates, type Market, marketPx } from './market.ts'
import { addPrice, noHistory, type PriceHistory, pathAfter } from './path.ts'

export type Shadows = {
  readonly market: Market
  /**
   * The fee rates of the newest large purchase in the pool. Null: the pool had none. Rates of a small
   * purchase are not exact, because fees are rounded.
   */
  poolRates: FeeRates | null
  /** The open copies, oldest first. */
  readonly copies: Copy[]
  readonly holdings: Holdings
  readonly history: PriceHistory
  /** The index of the first copy that has not bought yet. */
  unfilledFrom: number
  /** The index of the first copy whose time limit has not been reached. */
  unstoppedFrom: number
  px: number
  /**
   * The nearest price limits of all copies: no copy has a limit between `lowPx` and `highPx`. Trailing stops
   * are not included.
   */
  lowPx: number
  highPx: number
  /**
   * The largest `highPx` of all active trailing stops, at the last check of the copies. 0 if none is active.
   */
  trailHighPx: number
  /** The highest price after the last check of the copies. */
  sinceHighPx: number
}

export const openShadows = (market: Market): Shadows => ({
  ...{ market, poolRates: null, copies: [], holdings: new Map(), history: noHistory() },
  ...{
    unfilledFrom: 0,
    unstoppedFrom: 0,
    px: 0,
    lowPx: 0,
    highPx: Number.POSITIVE_INFINITY,
    trailHighPx: 0,
    sinceHighPx: 0,
  },
})

/** Adds a copy. Call this function while the purchase that it repeats is the newest trade. */
export function addCopy(shadows: Shadows, copy: Copy, limits: CopyLimits): void {
  shadows.copies.push(copy)
  addBuy(shadows.holdings, copy)
  narrowForHit(shadows, copy, limits)
}

/**
 * Simulates the purchases of the copies that are due at the end of `slot`. A copy buys at the end of the slot
 * after the purchase that it repeats, or later if the market cannot be traded before. Call this function
 * before the first fact of a later slot.
 */
export function fillUpTo(shadows: Shadows, slot: BlockNumber, limits: CopyLimits): void {
  const { copies, market } = shadows
  if (slot < market.tradableFromSlot) return
  for (let copy = copies[shadows.unfilledFrom]; copy !== undefined; copy = copies[shadows.unfilledFrom]) {
    if (copy.opened.slot >= slot) return
    fillNext(shadows, copy, limits)
  }
}

/**
 * Takes in the new price of the market. Checks each copy if the price reaches a price limit. Call this
 * function after each change of the market.
 */
export function followPrice(shadows: Shadows, atMs: EpochMs, limits: CopyLimits): void {
  const px = marketPx(shadows.market)
  shadows.px = px
  addPrice(shadows.history, { atMs, px }, limits.windowMs)
  if (px > shadows.sinceHighPx) shadows.sinceHighPx = px
  if (px > shadows.lowPx && px < shadows.highPx && !isUnderTrail(shadows, limits)) return
  judgeAll(shadows, atMs, limits)
}

/**
 * Sells all copies whose time limit is reached by `dueAtMs`. A copy that has not bought yet buys first, if
 * its market can be traded.
 */
export function stopUpTo(shadows: Shadows, dueAtMs: EpochMs, limits: CopyLimits): void {
  const { copies, market } = shadows
  for (let copy = copies[shadows.unstoppedFrom]; copy !== undefined; copy = copies[shadows.unstoppedFrom]) {
    if (stopAtMs(copy, limits) > dueAtMs) return
    if (shadows.unfilledFrom === shadows.unstoppedFrom) {
      if (Number.isFinite(market.tradableFromSlot)) fillNext(shadows, copy, limits)
      else shadows.unfilledFrom++
    }
    leaveInTime(copy, shadows, limits)
    shadows.unstoppedFrom++
  }
}

/** Removes and returns the copies whose hour is over at `dueAtMs`. */
export function closeUpTo(shadows: Shadows, dueAtMs: EpochMs, limits: CopyLimits): CopyClosed[] {
  const { copies, holdings, history } = shadows
  const closed: CopyClosed[] = []
  for (const copy of copies) {
    if (closeAtMs(copy, limits) > dueAtMs) break
    closeBuy(holdings, copy)
    closed.push(closedOf(copy, pathAfter(history, copy.opened, limits.marksMs)))
  }
  copies.splice(0, closed.length)
  shadows.unfilledFrom -= closed.length
  shadows.unstoppedFrom -= closed.length
  return closed
}

function fillNext(shadows: Shadows, copy: Copy, limits: CopyLimits): void {
  shadows.unfilledFrom++
  const fill = fillCopy(copy, shadows.market, limits)
  if (copy.isBig) narrowForExit(shadows, fill, limits)
}

function isUnderTrail({ trailHighPx, sinceHighPx, px }: Shadows, { trailRatio }: CopyLimits): boolean {
  return trailHighPx > 0 && px <= trailRatio * Math.max(trailHighPx, sinceHighPx)
}

function judgeAll(shadows: Shadows, atMs: EpochMs, limits: CopyLimits): void {
  const step = { px: shadows.px, highPx: shadows.sinceHighPx, atMs, venue: shadows }
  shadows.lowPx = 0
  shadows.highPx = Number.POSITIVE_INFINITY
  shadows.trailHighPx = 0
  shadows.sinceHighPx = 0
  for (const copy of shadows.copies) {
    judgeCopy(copy, step, limits)
    narrowForHit(shadows, copy, limits)
    if (isHeld(copy)) narrowForExit(shadows, copy.fill, limits)
  }
}

function narrowForHit(shadows: Shadows, copy: Copy, limits: CopyLimits): void {
  if (copy.isHit === null) narrow(shadows, missPx(copy, limits), hitPx(copy, limits))
}

function narrowForExit(shadows: Shadows, fill: Fill, limits: CopyLimits): void {
  const isTrailing = fill.highPx > 0
  narrow(shadows, stopPx(fill, limits), isTrailing ? takeProfitPx(fill, limits) : risesTo(fill, limits))
  if (isTrailing) shadows.trailHighPx = Math.max(shadows.trailHighPx, fill.highPx)
}

function narrow(shadows: Shadows, lowPx: number, highPx: number): void {
  if (lowPx > shadows.lowPx) shadows.lowPx = lowPx
  if (highPx < shadows.highPx) shadows.highPx = highPx
}

/**
 * Returns the next price above that matters for a copy without an active trailing stop. This is the price
 * that activates the trailing stop, or `takeProfitPx` if that is lower.
 */
const risesTo = (fill: Fill, limits: CopyLimits): number =>
  Math.min(trailFromPx(fill, limits), takeProfitPx(fill, limits))
