/**
 * Finds bursts by brute force. At every block with a swap of the pool, all trades of the last minute are
 * counted again.
 */
import assert from 'node:assert/strict'
import type { Tier } from '../../../schemas/chain-a/derived.ts'
import type { OracleEvents, OraclePool, OracleSwap } from './events.ts'
import type { OracleRules } from './oracle-rules.ts'

export type OracleTier = Tier

type Traits = Readonly<{ delaysRefire: boolean; isAskedFor: boolean; showsBuyers: boolean; hasLp: boolean }>

/**
 * The traits of each tier. They are written from the specification and not copied from
 * `schemas/chain-a/tier-traits.ts`.
 */
export const traitsOf: Readonly<Record<OracleTier, Traits>> = {
  main: { delaysRefire: true, isAskedFor: true, showsBuyers: true, hasLp: true },
  lite: { delaysRefire: false, isAskedFor: false, showsBuyers: false, hasLp: true },
  refire: { delaysRefire: true, isAskedFor: true, showsBuyers: false, hasLp: false },
  old: { delaysRefire: true, isAskedFor: true, showsBuyers: false, hasLp: false },
}

export type OracleBurst = Readonly<{
  token: string
  pool: string
  tier: OracleTier
  at: number
  block: number
  dex: 'v4' | 'v3'
  shape: 'scripted' | 'spread' | 'other' | 'v3'
  inflowEth: number
  buys: number
  sells: number
  windowSec: number
  poolAgeMin: number
  sameSizeMax: number
  top3Share: number
  sizeCV: number
  /**
   * The distinct senders of the window's buys, in the order of their first buys. Null: the service does not
   * look up the senders for this tier.
   */
  wallets: readonly string[] | null
  px: number
}>

type Traded = Pick<OracleSwap, 'atMs' | 'ethWei'>

/**
 * The trades of the time window that ends with a swap. `recent` is the last part of the window, in which
 * buying must continue.
 */
type Window<Swap extends Traded = OracleSwap> = Readonly<{
  net: bigint
  buys: readonly Swap[]
  sells: number
  recent: Readonly<{ net: bigint; buys: number }> | null
}>

const ethOf = (wei: bigint): number => Number(wei) / 1e18
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

export function findBursts(
  events: OracleEvents,
  senders: Readonly<Record<string, string>>,
  rules: OracleRules,
): readonly OracleBurst[] {
  const bursts = events.pools.flatMap((pool) => {
    const swaps = events.swaps.filter((swap) => swap.pool === pool.id)
    return burstsOfPool({ pool, swaps }, (tx) => senders[tx], rules)
  })
  return bursts.sort((a, b) => a.at - b.at || a.pool.localeCompare(b.pool) || a.tier.localeCompare(b.tier))
}

type Tape = Readonly<{ pool: OraclePool; swaps: readonly OracleSwap[] }>
type SenderOf = (tx: string) => string | undefined

/** Returns the bursts of a pool. `swaps` are the swaps of the pool, in chain order. */
export function burstsOfPool({ pool, swaps }: Tape, senderOf: SenderOf, rules: OracleRules): readonly OracleBurst[] {
  const fired: OracleBurst[] = []
  for (const [index, last] of swaps.entries()) {
    if (swaps[index + 1]?.block === last.block) continue
    const window = windowAt(swaps, index, rules)
    for (const tier of tiersMet(window, { pool, atMs: last.atMs, fired }, rules))
      fired.push(describe(window, { pool, tier, last }, { senderOf, rules }))
  }
  return fired
}

/** Returns the window that ends with the swap at `index`. */
export function windowAt<Swap extends Traded>(
  swaps: readonly Swap[],
  index: number,
  { windowMs, windowIncludesStart, stillBuyingMs, buySign }: OracleRules,
): Window<Swap> {
  const startMs = (swaps[index]?.atMs ?? 0) - windowMs
  const inWindow = lastWhile(swaps, index, ({ atMs }) => (windowIncludesStart ? atMs >= startMs : atMs > startMs))
  const isBuy = ({ ethWei }: Traded) => ethWei * BigInt(buySign) > 0n
  const net = (some: readonly Traded[]) => some.reduce((total, { ethWei }) => total + ethWei * BigInt(buySign), 0n)
  const sinceMs = startMs + windowMs - (stillBuyingMs ?? 0)
  const recent = inWindow.filter(({ atMs }) => atMs > sinceMs)
  const buys = inWindow.filter(isBuy)
  return {
    ...{ net: net(inWindow), buys, sells: inWindow.length - buys.length },
    recent: stillBuyingMs === null ? null : { net: net(recent), buys: recent.filter(isBuy).length },
  }
}

function lastWhile<Swap>(swaps: readonly Swap[], index: number, isIn: (swap: Swap) => boolean): readonly Swap[] {
  let from = index
  while (from > 0 && isIn(swaps[from - 1] as Swap)) from--
  return swaps.slice(from, index + 1)
}

const isBuilding = ({ recent }: Window): boolean => recent === null || (recent.buys > 0 && recent.net > 0n)

function tiersMet(
  window: Window,
  context: Readonly<{ pool: OraclePool; atMs: number; fired: readonly OracleBurst[] }>,
  rules: OracleRules,
): readonly OracleTier[] {
  const passes = (value: bigint | number, threshold: bigint | number) =>
    rules.thresholdsAreStrict ? value > threshold : value >= threshold
  const isOver = (inflowWei: bigint, buys: number) => passes(window.net, inflowWei) && passes(window.buys.length, buys)
  const { pool, atMs, fired } = context
  const ageMs = atMs - pool.createdAtMs
  const isFirst = (tier: OracleTier) => !fired.some((burst) => burst.tier === tier)
  const isAged = (mostMs: number) => ageMs >= rules.ageMsMin && ageMs <= mostMs
  const tiers: OracleTier[] = []
  if (isOver(rules.liteInflowWei, rules.liteBuys) && isAged(rules.youngAgeMsMax) && isFirst('lite')) tiers.push('lite')
  const isMain = isBuilding(window) && isOver(rules.mainInflowWei, rules.mainBuys)
  const full = isMain ? fullTierMet({ ageMs, atMs, fired }, rules) : null
  return full === null ? tiers : [...tiers, full]
}

/** Returns the tier of a window that meets the main thresholds, or null. */
function fullTierMet(
  { ageMs, atMs, fired }: Readonly<{ ageMs: number; atMs: number; fired: readonly OracleBurst[] }>,
  rules: OracleRules,
): OracleTier | null {
  if (ageMs > rules.oldAgeMsMax) return null
  const earlier = fired.filter((burst) => traitsOf[burst.tier].delaysRefire).map((burst) => burst.at)
  if (earlier.length > 0) return atMs - Math.max(...earlier) >= rules.refireAfterMs ? 'refire' : null
  if (ageMs > rules.youngAgeMsMax) return 'old'
  return ageMs >= rules.ageMsMin ? 'main' : null
}

function describe(
  window: Window,
  signal: Readonly<{ pool: OraclePool; tier: OracleTier; last: OracleSwap }>,
  world: Readonly<{ senderOf: SenderOf; rules: OracleRules }>,
): OracleBurst {
  const { pool, tier, last } = signal
  const { rules, senderOf } = world
  const sizesWei = window.buys.map(({ ethWei }) => ethWei * BigInt(rules.buySign))
  const sizes = sizesWei.map(ethOf)
  const allWei = sizesWei.reduce((total, size) => total + size, 0n)
  const sameSizeMax = Math.max(...sizesWei.map((size) => sizesWei.filter((other) => other === size).length))
  const descending = [...sizesWei].sort((a, b) => (a > b ? -1 : 1))
  const largestWei = descending.slice(0, 3).reduce((total, size) => total + size, 0n)
  return {
    token: pool.token,
    pool: pool.id,
    tier,
    at: last.atMs,
    block: last.block,
    dex: pool.dex,
    shape: pool.dex === 'v3' ? 'v3' : shapeOf(sameSizeMax, 10_000n * largestWei < rules.spreadTop3Bps * allWei, rules),
    inflowEth: ethOf(window.net),
    buys: window.buys.length,
    sells: window.sells,
    windowSec: rules.windowMs / 1000,
    poolAgeMin: (last.atMs - pool.createdAtMs) / 60_000,
    sameSizeMax,
    top3Share: ethOf(largestWei) / ethOf(allWei),
    sizeCV: variation(sizes, rules),
    wallets: traitsOf[tier].isAskedFor ? [...new Set(window.buys.map(({ tx }) => walletOf(tx, senderOf)))] : null,
    px: last.px,
  }
}

const shapeOf = (sameSizeMax: number, isSpread: boolean, { scriptedBuys }: OracleRules): OracleBurst['shape'] => {
  if (sameSizeMax >= scriptedBuys) return 'scripted'
  return isSpread ? 'spread' : 'other'
}

function walletOf(tx: string, senderOf: SenderOf): string {
  const sender = senderOf(tx)
  assert(sender !== undefined, `the recording lacks the sender of ${tx}`)
  return sender
}

function variation(sizes: readonly number[], rules: OracleRules): number {
  const mean = sum(sizes) / sizes.length
  const squares = sum(sizes.map((size) => (size - mean) ** 2))
  return Math.sqrt(squares / (rules.deviation === 'population' ? sizes.length : sizes.length - 1)) / mean
}
