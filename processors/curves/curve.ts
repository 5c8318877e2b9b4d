/** A launchpad's bonding curve as its facts leave it. Prices and progress are arithmetic on it: `schemas/chain-a/curve.ts`. */
import type { LaunchCurve } from '../../schemas/chain-a/derived.ts'
import type { ChainAFact, CurveFound, CurveLaunched, CurveTraded } from '../../schemas/chain-a/facts.ts'

/** Fees are told as the median of so many last buys. */
export const feeBuyCountMax = 30

export type CurveFact = Extract<ChainAFact, { type: `Curve${string}` }>

export type Curve = {
  readonly terms: Omit<LaunchCurve, 'completed' | 'gradBlock' | 'reserveWei' | 'feeBps' | 'readBlock' | 'readAtMs'>
  reserveWei: bigint
  completed: boolean
  gradBlock: number | null
  /** Of the last buys, oldest first, in basis points of what was paid. */
  readonly feesBps: number[]
  /** Of the newest fact. */
  readBlock: number
  readAtMs: number
}

export function launchedCurve(fact: CurveLaunched): Curve {
  const { curve, launchpad, symbol, creator, graduationWei, phantomWei, supplyRaw, blockNumber, blockAtMs } = fact
  const launch = { launchBlock: blockNumber, launchAtMs: blockAtMs }
  return openCurve({ curve, launchpad, symbol, creator, ...launch, graduationWei, phantomWei, supplyRaw }, fact)
}

/** With what the node said was in it at the end of that block. */
export function foundCurve(fact: CurveFound): Curve {
  const { curve, launchpad, symbol, creator, launchBlock, launchAtMs, graduationWei, phantomWei, supplyRaw } = fact
  const terms = { curve, launchpad, symbol, creator, launchBlock, launchAtMs, graduationWei, phantomWei, supplyRaw }
  return { ...openCurve(terms, fact), reserveWei: fact.reserveWei }
}

const openCurve = (terms: Curve['terms'], { blockNumber, blockAtMs }: CurveFact['data']): Curve => ({
  terms,
  reserveWei: 0n,
  completed: false,
  gradBlock: null,
  feesBps: [],
  readBlock: blockNumber,
  readAtMs: blockAtMs,
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
      // Found anew: what the node says is in it holds more than what was seen of it.
      curve.reserveWei = fact.data.reserveWei
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
  curve.feesBps.push(basisPoints(feeWei + taxWei, ethWei))
  if (curve.feesBps.length > feeBuyCountMax) curve.feesBps.shift()
}

/** Rounded to the nearest, a half up. */
const basisPoints = (part: bigint, whole: bigint): number => Number((part * 20_000n + whole) / (2n * whole))

/** Of whole numbers, rounded, a half up; null of none. */
function medianOf(values: readonly number[]): number | null {
  const sorted = [...values].sort((left, right) => left - right)
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]]
  return low === undefined || high === undefined ? null : Math.round((low + high) / 2)
}

/** Field by field: spread together from its parts, it was the slowest step of the stage. */
export function launchCurveOf(curve: Curve): LaunchCurve {
  const { terms } = curve
  return {
    curve: terms.curve,
    launchpad: terms.launchpad,
    completed: curve.completed,
    symbol: terms.symbol,
    creator: terms.creator,
    launchBlock: terms.launchBlock,
    launchAtMs: terms.launchAtMs,
    gradBlock: curve.gradBlock,
    graduationWei: terms.graduationWei,
    reserveWei: curve.reserveWei,
    phantomWei: terms.phantomWei,
    supplyRaw: terms.supplyRaw,
    feeBps: medianOf(curve.feesBps),
    readBlock: curve.readBlock,
    readAtMs: curve.readAtMs,
  }
}
