/**
 * The swaps of a pool in the last 60 s, with running sums of these and of the last 15 s. The sums are exact, so they do not
 * depend on the order in which swaps came and went.
 */
import type { Swap } from '../../../schemas/chain-a/facts.ts'

export const windowMs = 60_000
/** The end of the window in which buying must still go on. */
export const recentMs = 15_000
/** Swaps that have left stay in the arrays until they are this many and half of all: each is moved over at most once. */
const staleCountMax = 16

/** Parallel arrays, oldest first: an object for each swap would be the greater part of the work. */
export type SwapWindow = {
  atMs: number[]
  ethWei: bigint[]
  /** Null for a sell, whose sender nobody asks for. */
  txHash: (`0x${string}` | null)[]
  /** Index of the oldest swap of the last 60 s, and of the last 15 s. */
  first: number
  firstRecent: number
  netWei: bigint
  buys: number
  sells: number
  recentNetWei: bigint
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

/** Takes in a swap no older than those before it. */
export function addToWindow(window: SwapWindow, swap: Pick<Swap, 'blockAtMs' | 'ethWei' | 'txHash'>): void {
  const { ethWei } = swap
  window.atMs.push(swap.blockAtMs)
  window.ethWei.push(ethWei)
  window.txHash.push(ethWei > 0n ? swap.txHash : null)
  window.netWei += ethWei
  window.recentNetWei += ethWei
  if (ethWei > 0n) {
    window.buys++
    window.recentBuys++
  } else window.sells++
}

/** Lets go of what is not in `(atMs - 60 s, atMs]`: a swap exactly 60 s old is out. */
export function slideTo(window: SwapWindow, atMs: number): void {
  const times = window.atMs
  for (let at = times[window.firstRecent]; at !== undefined && at <= atMs - recentMs; at = times[window.firstRecent])
    leaveRecent(window)
  for (let at = times[window.first]; at !== undefined && at <= atMs - windowMs; at = times[window.first])
    leaveWindow(window)
  if (window.first > staleCountMax && window.first * 2 > times.length) dropStale(window)
}

/** The buys of the window, oldest first. */
export function buysOf(window: SwapWindow): Readonly<{ sizesWei: bigint[]; txHashes: `0x${string}`[] }> {
  const sizesWei: bigint[] = []
  const txHashes = new Set<`0x${string}`>()
  window.ethWei.forEach((ethWei, index) => {
    const txHash = window.txHash[index]
    if (index < window.first || ethWei <= 0n || !txHash) return
    sizesWei.push(ethWei)
    txHashes.add(txHash)
  })
  return { sizesWei, txHashes: [...txHashes] }
}

function leaveRecent(window: SwapWindow): void {
  const ethWei = window.ethWei[window.firstRecent++] ?? 0n
  window.recentNetWei -= ethWei
  if (ethWei > 0n) window.recentBuys--
}

function leaveWindow(window: SwapWindow): void {
  const ethWei = window.ethWei[window.first++] ?? 0n
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
