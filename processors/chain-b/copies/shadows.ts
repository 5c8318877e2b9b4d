/**
 * The copies (simulated purchases) of one token in progress. A busy token has hundreds of copies, and most
 * trades reach no price limit of any copy. So the price is first compared with the nearest limits of all
 * copies. The copies are checked one by one only if such a limit is reached.
 */
import assert from 'node:assert/strict'
import type { CopyClosed } from '../../../schemas/chain-b/derived.ts'
import type { BlockNumber, EpochMs } from '../../../schemas/units.ts'
import {
  type CopyLimits,
  closeAtMs,
  closedOf,
  fillCopy,
  hitPx,
  isHeld,
  isUndecided,
  judgeCopy,
  leaveInTime,
  missPx,
  openCopy,
  stopAtMs,
  stopPx,
  takeProfitPx,
  trailFromPx,
} from './copy.ts'
import {
  addRow,
  type Copy,
  type CopyRows,
  copyAt,
  dropClosed,
  noCopies,
  openCopies,
  removeOldest,
} from './copy-rows.ts'
import { addBuy } from './holdings.ts'
import { type FeeRates, type Market, marketPx, type Trade } from './market.ts'
import { addPrice, noHistory, type PriceHistory, pathAfter, trimHistory } from './path.ts'

export type Shadows = {
  readonly market: Market
  /**
   * The fee rates of the newest large purchase in the pool. Null: the pool had none. Rates of a small
   * purchase are not exact, because fees are rounded.
   */
  poolRates: FeeRates | null
  readonly copies: CopyRows
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
  market,
  poolRates: null,
  copies: noCopies(),
  history: noHistory(),
  unfilledFrom: 0,
  unstoppedFrom: 0,
  px: 0,
  lowPx: 0,
  highPx: Number.POSITIVE_INFINITY,
  trailHighPx: 0,
  sinceHighPx: 0,
})

/** Adds the copy of the purchase `trade`, which must be the newest trade. */
export function addCopy(shadows: Shadows, trade: Trade, limits: CopyLimits): void {
  const copy = addRow(shadows.copies, { wallet: trade.trader, txHash: trade.txHash })
  openCopy(copy, trade, { px: shadows.px, isPool: shadows.market.isPool, limits })
  addBuy(shadows.copies, trade)
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
  for (let copy = copyAt(copies, shadows.unfilledFrom); copy; copy = copyAt(copies, shadows.unfilledFrom)) {
    if (copy.slot >= slot) return
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
  for (let copy = copyAt(copies, shadows.unstoppedFrom); copy; copy = copyAt(copies, shadows.unstoppedFrom)) {
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
  const { copies, history } = shadows
  const closed: CopyClosed[] = []
  for (let copy = copyAt(copies, 0); copy && closeAtMs(copy, limits) <= dueAtMs; copy = copyAt(copies, 0)) {
    closed.push(closedOf(copy, pathAfter(history, copy, limits.marksMs)))
    removeOldest(copies)
  }
  shadows.unfilledFrom -= closed.length
  shadows.unstoppedFrom -= closed.length
  return closed
}

/** Frees memory of closed copies, and of prices that are older than all open copies. */
export function trimShadows({ copies, history }: Shadows): void {
  const oldest = copyAt(copies, 0)
  assert(oldest !== undefined, 'a token without open copies has no shadows')
  trimHistory(history, oldest.atMs)
  dropClosed(copies)
}

function fillNext(shadows: Shadows, copy: Copy, limits: CopyLimits): void {
  shadows.unfilledFrom++
  fillCopy(copy, shadows.market, limits)
  if (copy.isBig === 1) narrowForExit(shadows, copy, limits)
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
  for (const copy of openCopies(shadows.copies)) {
    judgeCopy(copy, step, limits)
    narrowForHit(shadows, copy, limits)
    if (isHeld(copy)) narrowForExit(shadows, copy, limits)
  }
}

function narrowForHit(shadows: Shadows, copy: Copy, limits: CopyLimits): void {
  if (isUndecided(copy)) narrow(shadows, missPx(copy, limits), hitPx(copy, limits))
}

function narrowForExit(shadows: Shadows, copy: Copy, limits: CopyLimits): void {
  const isTrailing = copy.highPx > 0
  narrow(shadows, stopPx(copy, limits), isTrailing ? takeProfitPx(copy, limits) : risesTo(copy, limits))
  if (isTrailing) shadows.trailHighPx = Math.max(shadows.trailHighPx, copy.highPx)
}

function narrow(shadows: Shadows, lowPx: number, highPx: number): void {
  if (lowPx > shadows.lowPx) shadows.lowPx = lowPx
  if (highPx < shadows.highPx) shadows.highPx = highPx
}

/**
 * Returns the next price above that matters for a copy without an active trailing stop. This is the price
 * that activates the trailing stop, or `takeProfitPx` if that is lower.
 */
const risesTo = (copy: Copy, limits: CopyLimits): number =>
  Math.min(trailFromPx(copy, limits), takeProfitPx(copy, limits))
