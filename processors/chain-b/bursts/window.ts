/**
 * The trades on a curve in the last minute (`windowMs`), with sums over the whole window and over its last
 * part (`recentMs`). Amounts are lamports and raw tokens as doubles, which are exact below 2^53 (9 million
 * SOL). The order of additions and removals therefore does not change the sums.
 */
import assert from 'node:assert/strict'
import type { CurveTraded } from '../../../schemas/chain-b/facts.ts'
import type { Address, BlockNumber, DurationMs, EpochMs } from '../../../schemas/units.ts'

/**
 * Trades that have left the window are deleted together, as soon as they are more than this number and more
 * than half of all stored trades. This costs little per trade.
 */
const staleCountMax = 4

/** The length of the window, and the length of its last part, in which buying must continue for a burst. */
export type Spans = Readonly<{ windowMs: DurationMs; recentMs: DurationMs }>

/**
 * The stored trades as parallel arrays, oldest first. One object per trade would take more time than all the
 * rest of the burst detection.
 */
export type TradeWindow = {
  atMs: EpochMs[]
  slot: BlockNumber[]
  lamports: number[]
  /** The buyer of each trade. Null for a sale, because no rule needs the seller. */
  buyer: (Address | null)[]
  /** For each trade, the raw tokens that the curve had left for sale before it. */
  leftBeforeRaw: number[]
  /** The index of the oldest trade in the window. `firstRecent` is the index of the oldest trade in the last part of the window. */
  first: number
  firstRecent: number
  netLamports: number
  recentNetLamports: number
  recentBuys: number
}

export type Buy = Readonly<{ slot: BlockNumber; lamports: number; buyer: Address }>

export const emptyWindow = (): TradeWindow => ({
  atMs: [],
  slot: [],
  lamports: [],
  buyer: [],
  leftBeforeRaw: [],
  first: 0,
  firstRecent: 0,
  netLamports: 0,
  recentNetLamports: 0,
  recentBuys: 0,
})

type Traded = Pick<CurveTraded, 'blockAtMs' | 'blockNumber' | 'quoteRaw' | 'tokenRaw' | 'realTokenRaw' | 'trader'>

/** Adds a trade. Trades must come in order of time. */
export function addToWindow(window: TradeWindow, trade: Traded): void {
  const lamports = Number(trade.quoteRaw)
  const isBuy = lamports > 0
  window.atMs.push(trade.blockAtMs)
  window.slot.push(trade.blockNumber)
  window.lamports.push(lamports)
  window.buyer.push(isBuy ? trade.trader : null)
  window.leftBeforeRaw.push(Number(trade.realTokenRaw) + Number(trade.tokenRaw))
  window.netLamports += lamports
  window.recentNetLamports += lamports
  if (isBuy) window.recentBuys++
}

/** Removes trades outside `(atMs - windowMs, atMs]`. A trade of exactly `windowMs` ago is outside. */
export function slideTo(window: TradeWindow, atMs: EpochMs, spans: Spans): void {
  leaveUntil(window, atMs, spans)
  if (window.first > staleCountMax && window.first * 2 > window.atMs.length) dropStale(window)
}

/**
 * Like `slideTo`, but also frees the memory of all trades that have left the window. Returns null if none is left.
 */
export function trimWindow(window: TradeWindow, atMs: EpochMs, spans: Spans): TradeWindow | null {
  leaveUntil(window, atMs, spans)
  dropStale(window)
  return window.atMs.length === 0 ? null : window
}

function leaveUntil(window: TradeWindow, atMs: EpochMs, { windowMs, recentMs }: Spans): void {
  const times = window.atMs
  for (let at = times[window.firstRecent]; at !== undefined && at <= atMs - recentMs; at = times[window.firstRecent])
    leaveRecent(window)
  for (let at = times[window.first]; at !== undefined && at <= atMs - windowMs; at = times[window.first])
    leaveWindow(window)
}

/** Returns the buys in the window, oldest first. */
export function buysOf(window: TradeWindow): Buy[] {
  const buys: Buy[] = []
  for (let index = window.first; index < window.atMs.length; index++) {
    const [slot, lamports, buyer] = [window.slot[index], window.lamports[index], window.buyer[index]]
    if (!buyer) continue
    assert(slot !== undefined)
    assert(lamports !== undefined)
    buys.push({ slot, lamports, buyer })
  }
  return buys
}

/**
 * Returns the raw tokens that the curve had left for sale before the first trade in the window. The window
 * must not be empty.
 */
export function leftAtStartOf({ leftBeforeRaw, first }: TradeWindow): number {
  const leftRaw = leftBeforeRaw[first]
  assert(leftRaw !== undefined, 'the window has no trade')
  return leftRaw
}

function leaveRecent(window: TradeWindow): void {
  const lamports = window.lamports[window.firstRecent++]
  assert(lamports !== undefined, 'the window has no trade left')
  window.recentNetLamports -= lamports
  if (lamports > 0) window.recentBuys--
}

function leaveWindow(window: TradeWindow): void {
  const lamports = window.lamports[window.first++]
  assert(lamports !== undefined, 'the window has no trade left')
  window.netLamports -= lamports
}

function dropStale(window: TradeWindow): void {
  const stale = window.first
  window.atMs = window.atMs.slice(stale)
  window.slot = window.slot.slice(stale)
  window.lamports = window.lamports.slice(stale)
  window.buyer = window.buyer.slice(stale)
  window.leftBeforeRaw = window.leftBeforeRaw.slice(stale)
  window.first = 0
  window.firstRecent -= stale
}
