/**
 * Measures the sizes of the purchases in a burst. They tell purchases by one script, by a few large wallets
 * and by many small wallets apart.
 */
import type { Shape } from '../../../schemas/chain-a/derived.ts'
import type { Dex } from '../../../schemas/chain-a/facts.ts'
import type { ChainANumbers } from '../../../schemas/chain-a/numbers.ts'
import type { Wei } from '../../../schemas/units.ts'

export type BuySizes = Readonly<{
  /** The largest number of buys of exactly the same size. */
  sameSizeMax: number
  top3Wei: Wei
  totalWei: Wei
  top3Share: number
  /** The coefficient of variation of the sizes: the population standard deviation divided by the mean. */
  sizeCv: number
}>

/** Measures the sizes of the purchases. There must be at least one. */
export function measureSizes(sizesWei: readonly Wei[]): BuySizes {
  const totalWei = sum(sizesWei)
  const top3Wei = sum([...sizesWei].sort(descending).slice(0, 3))
  return {
    sameSizeMax: largestCount(sizesWei),
    top3Wei,
    totalWei,
    top3Share: Number(top3Wei) / Number(totalWei),
    sizeCv: coefficientOfVariation(sizesWei.map(Number)),
  }
}

type ShapeRules = Pick<ChainANumbers['bursts'], 'scriptedBuysMin' | 'spreadTop3BpsMax'>

/**
 * Returns the first shape that matches:
 * - `v3`: the pool is a v3 pool.
 * - `scripted`: many buys have the same size.
 * - `spread`: the share of the three largest buys is small.
 * - `other`: none of these.
 */
export function classifyShape(dex: Dex, sizes: BuySizes, { scriptedBuysMin, spreadTop3BpsMax }: ShapeRules): Shape {
  if (dex === 'v3') return 'v3'
  if (sizes.sameSizeMax >= scriptedBuysMin) return 'scripted'
  return 10_000n * sizes.top3Wei < BigInt(spreadTop3BpsMax) * sizes.totalWei ? 'spread' : 'other'
}

const sum = (values: readonly bigint[]): bigint => values.reduce((total, value) => total + value, 0n)

const descending = (a: bigint, b: bigint): number => Number(b - a)

function largestCount(values: readonly bigint[]): number {
  const counts = new Map<bigint, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return Math.max(...counts.values())
}

function coefficientOfVariation(values: readonly number[]): number {
  const mean = values.reduce((total, value) => total + value, 0) / values.length
  const squares = values.reduce((total, value) => total + (value - mean) ** 2, 0)
  return Math.sqrt(squares / values.length) / mean
}
