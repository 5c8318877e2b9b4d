/** The state of a launchpad's bonding curve. `schemas/chain-a/curve.ts` computes price and progress from it. */
import type { LaunchCurve } from '../../../schemas/chain-a/derived.ts'
import type { ChainAFact, CurveFound, CurveLaunched, CurveTraded } from '../../../schemas/chain-a/facts.ts'
import { sortFew } from '../../sort-few.ts'

export type CurveFact = Extract<ChainAFact, { type: `Curve${string}` }>

/** Flat and without spare array capacity, because tens of thousands of idle curves stay in memory. */
export type Curve = { -readonly [Field in Exclude<keyof LaunchCurve, 'feeBps'>]: LaunchCurve[Field] } & {
  /** Fees of the last buys, oldest first, in basis points of the ETH paid. */
  feesBps: readonly number[]
}

export function launchedCurve(fact: CurveLaunched): Curve {
  const { blockNumber: launchBlock, blockAtMs: launchAtMs } = fact
  return openCurve({ ...fact, launchBlock, launchAtMs, reserveWei: 0n })
}

/** Begins with the reserve that the node reported for the end of the block before. */
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

/** The fee is the median over this many of the last buys. */
type FeeRules = Readonly<{ feeBuysMax: number }>

/** Applies a fact to a known curve. */
export function follow(curve: Curve, fact: CurveFact, { feeBuysMax }: FeeRules): void {
  curve.readBlock = fact.data.blockNumber
  curve.readAtMs = fact.data.blockAtMs
  switch (fact.type) {
    case 'CurveTraded':
      takeTrade(curve, fact.data, feeBuysMax)
      return
    case 'CurveFound':
      // The fact gives the state of the curve, whatever came before. It says nothing about fees, so those of the buys so far stay.
      Object.assign(curve, foundCurve(fact.data), { feesBps: curve.feesBps })
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

/** Fees are never part of the reserve: a buyer pays them on top, and a seller's are paid out of the reserve. */
function takeTrade(curve: Curve, { ethWei, feeWei, taxWei }: CurveTraded, feeBuysMax: number): void {
  curve.reserveWei += ethWei - feeWei - taxWei
  if (ethWei <= 0n) return
  curve.feesBps = curve.feesBps.slice(1 - feeBuysMax).concat(basisPoints(feeWei + taxWei, ethWei))
}

/** Rounded to the nearest integer, a half up. */
const basisPoints = (part: bigint, whole: bigint): number => Number((part * 20_000n + whole) / (2n * whole))

const isLess = (left: number, right: number): boolean => left < right

/** The median of integers, rounded, a half up. Null if there are none. */
function medianOf(values: readonly number[]): number | null {
  const sorted = [...values]
  sortFew(sorted, isLess)
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]]
  return low === undefined || high === undefined ? null : Math.round((low + high) / 2)
}

/** Lists every field, because an object spread here was the slowest step of the stage. */
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
