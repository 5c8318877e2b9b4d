/** Plans the tokens that are launched on the launchpad in each hour, as a pure function of the seed. */

import type { Address } from '../../../schemas/units.ts'
import { drawSymbol } from '../../simulated/market/trading.ts'
import { createRandom } from '../../simulated/random.ts'
import { addressOf, tokenAddress } from './identities.ts'
import { cohortOfId, idOf, type Market } from './plan.ts'
import { creatorWallet } from './schedule.ts'

export type CurvePlan = Readonly<{
  id: number
  token: Address
  curve: Address
  symbol: string
  creator: number
  createdAtSec: number
  /**
   * The time at which trading on the curve ends, in seconds. If the token has graduated, trading continues in
   * its pool.
   */
  endsAtSec: number
  /** Whether many wallets buy the token, with large amounts. Many of these curves graduate. */
  isWanted: boolean
  /** The mean time between two trades on the curve, in seconds. */
  gapSec: number
  /** The probability that a trade is a buy. */
  buyShare: number
  /** The median ETH of a buy. */
  medianEth: number
  /** The creator's tax on each trade, in basis points. */
  taxBps: number
  /** The time from the completion of the curve to the graduation, in seconds. */
  graduationDelaySec: number
}>

const hourSec = 3600
/**
 * The number of simulated curves per pool launch of `plan.ts`. The curves are added to the pool launches and
 * do not replace them.
 */
const curvesPerLaunch = 0.25
/**
 * The index of the first curve in a cohort (the tokens of one hour). Lower indexes belong to the pool
 * launches of `plan.ts`.
 */
const firstIndex = 2048

const countOf = ({ launchesPerDay }: Market): number => Math.max(1, Math.round((launchesPerDay / 24) * curvesPerLaunch))

/** Returns the curves that are launched in one hour, in the order of their ids. */
export const curvePlansOf = (market: Market, cohort: number): readonly CurvePlan[] =>
  Array.from({ length: countOf(market) }, (_, index) => planCurve(market, cohort, idOf(cohort, firstIndex + index)))

/** Returns the plan of a curve. Returns null if the simulation has no curve with this id. */
export const curvePlanOf = (market: Market, id: number): CurvePlan | null =>
  isCurveId(id) && (id % 4096) - firstIndex < countOf(market) ? planCurve(market, cohortOfId(id), id) : null

export const isCurveId = (id: number): boolean => id % 4096 >= firstIndex

function planCurve({ seed }: Market, cohort: number, id: number): CurvePlan {
  const random = createRandom(seed, id, 11)
  const createdAtSec = cohort * hourSec + random.whole(0, hourSec - 1)
  const isWanted = random.chance(0.3)
  const lifeSec = isWanted ? 8 * hourSec : random.whole(300, 6 * hourSec)
  return {
    id,
    token: tokenAddress(addressOf(seed, `curve token:${id}`), id),
    curve: addressOf(seed, `curve:${id}`),
    symbol: drawSymbol(random),
    creator: creatorWallet(random),
    createdAtSec,
    endsAtSec: createdAtSec + lifeSec,
    isWanted,
    gapSec: isWanted ? random.logNormal(20, 0.6) : random.logNormal(120, 0.8),
    buyShare: isWanted ? 0.72 : 0.55,
    medianEth: isWanted ? 0.04 : 0.015,
    taxBps: random.pick([0, 0, 100, 100, 200, 500]),
    graduationDelaySec: random.whole(4, 240),
  }
}
