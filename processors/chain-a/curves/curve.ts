/** A launchpad's bonding curve as its facts leave it. Prices and progress are arithmetic on it: `schemas/chain-a/curve.ts`. */
import type { LaunchCurve } from '../../../schemas/chain-a/derived.ts'
import type { ChainAFact, CurveFound, CurveLaunched, CurveTraded } from '../../../schemas/chain-a/facts.ts'
import { sortFew } from '../../sort-few.ts'

/** Fees are told as the median of so many last buys. */
export const feeBuyCountMax = 30

export type CurveFact = Extract<ChainAFact, { type: `Curve${string}` }>

/** Flat, and its list never longer than what is in it: tens of thousands are remembered that nobody trades any more. */
export type Curve = { -readonly [Field in Exclude<keyof LaunchCurve, 'feeBps'>]: LaunchCurve[Field] } & {
  /** Of the last buys since the curve was launched or found, oldest first, in basis points of what was paid. */
  feesBps: readonly number[]
}

export function launchedCurve(fact: CurveLaunched): Curve {
  const { blockNumber: launchBlock, blockAtMs: launchAtMs } = fact
  return openCurve({ ...fact, launchBlock, launchAtMs, reserveWei: 0n })
}

/** With what the node said was in it before that block. */
export const foundCurve = (fact: CurveFound): Curve => openCurve(fact)

const openCurve = (fact: CurveFound): Curve => ({
  curve: fact.curve,
  launchpad: fact.launchpad,
  completed: false,
  symbol: fact.symbol,
  creator: fact.creator,
  launchBlock: fact.launchBlock,
  launchAtMs: fact.launchAtMs,
  gradBlock: null,
  graduationWei: fact.graduationWei,
  reserveWei: fact.reserveWei,
  phantomWei: fact.phantomWei,
  supplyRaw: fact.supplyRaw,
  readBlock: fact.blockNumber,
  readAtMs: fact.blockAtMs,
  feesBps: [],
})

/** Takes in what happened to a curve that is known. */
export function follow(curve: Curve, fact: CurveFact): void {
  curve.readBlock = fact.data.blockNumber
  curve.readAtMs = fact.data.blockAtMs
  switch (fact.type) {
    case 'CurveTraded':
      takeTrade(curve, fact.data)
      return
    case 'CurveFound':
      // As if it had not been known: whoever reads on from this fact, the older ones being gone, must come to the same.
      Object.assign(curve, foundCurve(fact.data))
      return
    case 'CurveCompleted':
      curve.completed = true
      return
    case 'CurveGraduated':
      curve.completed = true
      curve.gradBlock = fact.data.blockNumber
      return
    case 'CurveLaunched':
      return
    default:
      fact satisfies never
  }
}

/** Fees never stay in the reserve: a buyer pays them on top, a seller's are taken out with what he gets. */
function takeTrade(curve: Curve, { ethWei, feeWei, taxWei }: CurveTraded): void {
  curve.reserveWei += ethWei - feeWei - taxWei
  if (ethWei <= 0n) return
  curve.feesBps = curve.feesBps.slice(1 - feeBuyCountMax).concat(basisPoints(feeWei + taxWei, ethWei))
}

/** Rounded to the nearest, a half up. */
const basisPoints = (part: bigint, whole: bigint): number => Number((part * 20_000n + whole) / (2n * whole))

const isLess = (left: number, right: number): boolean => left < right

/** Of whole numbers, rounded, a half up; null of none. */
function medianOf(values: readonly number[]): number | null {
  const sorted = [...values]
  sortFew(sorted, isLess)
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]]
  return low === undefined || high === undefined ? null : Math.round((low + high) / 2)
}

/** Field by field: spread together from its parts, it was the slowest step of the stage. */
export const launchCurveOf = (curve: Curve): LaunchCurve => ({
  curve: curve.curve,
  launchpad: curve.launchpad,
  completed: curve.completed,
  symbol: curve.symbol,
  creator: curve.creator,
  launchBlock: curve.launchBlock,
  launchAtMs: curve.launchAtMs,
  gradBlock: curve.gradBlock,
  graduationWei: curve.graduationWei,
  reserveWei: curve.reserveWei,
  phantomWei: curve.phantomWei,
  supplyRaw: curve.supplyRaw,
  feeBps: medianOf(curve.feesBps),
  readBlock: curve.readBlock,
  readAtMs: curve.readAtMs,
})
