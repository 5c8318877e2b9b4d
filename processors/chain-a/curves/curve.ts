/** The state of a launchpad's bonding curve. `schemas/chain-a/curve.ts` computes price and progress from this state. */
import type { LaunchCurve } from '../../../schemas/chain-a/derived.ts'
import type { ChainAFact, CurveFound, CurveLaunched, CurveTraded } from '../../../schemas/chain-a/facts.ts'
import { sortFew } from '../../sort-few.ts'

export type CurveFact = Extract<ChainAFact, { type: `Curve${string}` }>

/**
 * The state of a curve. Tens of thousands of curves without trades stay in memory, so the state is flat and
 * its arrays have no spare capacity.
 */
export type Curve = { -readonly [Field in Exclude<keyof LaunchCurve, 'feeBps'>]: LaunchCurve[Field] } & {
  /** The fees of the last buys, oldest first. Each fee is in basis points of the ETH that the buyer paid. */
  feesBps: readonly number[]
}

export function launchedCurve(fact: CurveLaunched): Curve {
  const { blockNumber: launchBlock, blockAtMs: launchAtMs } = fact
  return openCurve({ ...fact, launchBlock, launchAtMs, reserveWei: 0n })
}

/**
 * Returns the state of a curve that ingest found after its launch. The reserve is the value that the node
 * reported for the end of the previous block.
 */
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

/** The fee of a curve is the median fee of its last `feeBuysMax` buys. `feeBuysMax` comes from the rules. */
type FeeRules = Readonly<{ feeBuysMax: number }>

export function follow(curve: Curve, fact: CurveFact, { feeBuysMax }: FeeRules): void {
  curve.readBlock = fact.data.blockNumber
  curve.readAtMs = fact.data.blockAtMs
  switch (fact.type) {
    case 'CurveTraded':
      takeTrade(curve, fact.data, feeBuysMax)
      return
    case 'CurveFound':
      // The fact contains the whole state of the curve except the fees. So the fees of earlier buys are kept.
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

/**
 * Applies a trade to the reserve. The reserve never contains fees. A buyer pays fees on top of the price. The
 * fees of a seller come out of the reserve.
 */
function takeTrade(curve: Curve, { ethWei, feeWei, taxWei }: CurveTraded, feeBuysMax: number): void {
  curve.reserveWei += ethWei - feeWei - taxWei
  if (ethWei <= 0n) return
  curve.feesBps = curve.feesBps.slice(1 - feeBuysMax).concat(basisPoints(feeWei + taxWei, ethWei))
}

/** Returns the share of `part` in basis points, rounded to the nearest integer. A half is rounded up. */
const basisPoints = (part: bigint, whole: bigint): number => Number((part * 20_000n + whole) / (2n * whole))

const isLess = (left: number, right: number): boolean => left < right

/** Returns the median of integers, rounded to an integer. A half is rounded up. Null: there are no values. */
function medianOf(values: readonly number[]): number | null {
  const sorted = [...values]
  sortFew(sorted, isLess)
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]]
  return low === undefined || high === undefined ? null : Math.round((low + high) / 2)
}

/**
 * Lists every field instead of using an object spread, which would be the slowest step of the whole
 * processing.
 */
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
