/**
 * The swaps of a pool in the last minute (`windowMs`), with sums over the whole window and over its last part
 * (`recentMs`). The sums are exact integers, so the order of additions and removals does not change them.
 */
import assert from 'node:assert/strict'
import type { Swap } from '../../../schemas/chain-a/facts.ts'
import type { DurationMs, EpochMs, TxHash, Wei } from '../../../schemas/units.ts'

/**
 * Swaps that have left the window are deleted together, as soon as they are more than this number and more
 * than half of all stored swaps. This costs little per swap.
 */
const staleCountMax = 4

/** The length of the window, and the length of its last part, in which buying must continue for a burst. */
export type Spans = Readonly<{ windowMs: DurationMs; recentMs: DurationMs }>

/**
 * The stored swaps as parallel arrays, oldest first. One object per swap would take more time than all the
 * rest of the burst detection.
 */
export type SwapWindow = {
  atMs: EpochMs[]
  ethWei: Wei[]
  /** The transaction hash of each buy. Null for a sell, because nobody needs the sender of a sell. */
  txHash: (TxHash | null)[]
  /** The index of the oldest swap in the window. `firstRecent` is the index of the oldest swap in the last part of the window. */
  first: number
  firstRecent: number
  netWei: Wei
  buys: number
  sells: number
  recentNetWei: Wei
  recentBuys: number
}

export const emptyWindow = (): SwapWindow => ({
  atMs: [],
  ethWei: [],
  txHash: [],
  first: 0,
  firstRecent: 0,
  netWei: 0n,
  buys: 0,
  sells: 0,
  recentNetWei: 0n,
  recentBuys: 0,
})

/** Adds a swap. Swaps must come in order of time. */
export function addToWindow(window: SwapWindow, swap: Pick<Swap, 'blockAtMs' | 'ethWei' | 'txHash'>): void {
  const { ethWei } = swap
  window.atMs.push(swap.blockAtMs)
  window.ethWei.push(ethWei)
  window.netWei += ethWei
  window.recentNetWei += ethWei
  if (ethWei > 0n) {
    window.txHash.push(swap.txHash)
    window.buys++
    window.recentBuys++
  } else {
    window.txHash.push(null)
    window.sells++
  }
}

/** Removes swaps outside `(atMs - windowMs, atMs]`. A swap of exactly `windowMs` ago is outside. */
export function slideTo(window: SwapWindow, atMs: EpochMs, spans: Spans): void {
  leaveUntil(window, atMs, spans)
  if (window.first > staleCountMax && window.first * 2 > window.atMs.length) dropStale(window)
}

/**
 * Like `slideTo`, but also frees the memory of all swaps that have left the window. Returns null if none is left.
 */
export function trimWindow(window: SwapWindow, atMs: EpochMs, spans: Spans): SwapWindow | null {
  leaveUntil(window, atMs, spans)
  dropStale(window)
  return window.atMs.length === 0 ? null : window
}

function leaveUntil(window: SwapWindow, atMs: EpochMs, { windowMs, recentMs }: Spans): void {
  const times = window.atMs
  while ((times[window.firstRecent] ?? Number.POSITIVE_INFINITY) <= atMs - recentMs) leaveRecent(window)
  while ((times[window.first] ?? Number.POSITIVE_INFINITY) <= atMs - windowMs) leaveWindow(window)
}

/** Returns the buys in the window, oldest first. */
export function buysOf(window: SwapWindow): Readonly<{ sizesWei: Wei[]; txHashes: TxHash[] }> {
  const sizesWei: Wei[] = []
  const txHashes = new Set<TxHash>()
  window.ethWei.forEach((ethWei, index) => {
    const txHash = window.txHash[index]
    if (index < window.first || !txHash) return
    sizesWei.push(ethWei)
    txHashes.add(txHash)
  })
  return { sizesWei, txHashes: [...txHashes] }
}

function leaveRecent(window: SwapWindow): void {
  const ethWei = window.ethWei[window.firstRecent++]
  assert(ethWei !== undefined, 'the window has no swap left')
  window.recentNetWei -= ethWei
  if (ethWei > 0n) window.recentBuys--
}

function leaveWindow(window: SwapWindow): void {
  const ethWei = window.ethWei[window.first++]
  assert(ethWei !== undefined, 'the window has no swap left')
  window.netWei -= ethWei
  if (ethWei > 0n) window.buys--
  else window.sells--
}

function dropStale(window: SwapWindow): void {
  const stale = window.first
  window.atMs = window.atMs.slice(stale)
  window.ethWei = window.ethWei.slice(stale)
  window.txHash = window.txHash.slice(stale)
  window.first = 0
  window.firstRecent -= stale
}
