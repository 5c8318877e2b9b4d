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
  /** The end of trading on the curve, complete or not. The pool of a graduated token is traded longer. */
  endsAtSec: number
  /** Whether the token gets many and large buys. Many of these curves graduate. */
  isWanted: boolean
  /** The mean number of seconds between trades. */
  gapSec: number
  /** The share of buys among the trades. */
  buyShare: number
  /** The median ETH of a buy. */
  medianEth: number
  /** The creator's tax on each trade, in basis points. */
  taxBps: number
  /** The number of seconds from the completion to the graduation. */
  graduationDelaySec: number
}>

const hourSec = 3600
/** The number of curves per launch of `plan.ts`. The curves are launched in addition to those launches. */
const curvesPerLaunch = 0.25
/**
 * The index of the first curve among the tokens of one hour, which are called a cohort. The launches of
 * `plan.ts` have the indexes from 0 on.
 */
const firstIndex = 2048

const countOf = ({ launchesPerDay }: Market): number => Math.max(1, Math.round((launchesPerDay / 24) * curvesPerLaunch))

/** Returns the curves that are launched in one hour, in the order of their ids. */
export const curvePlansOf = (market: Market, cohort: number): readonly CurvePlan[] =>
  Array.from({ length: countOf(market) }, (_, index) => planCurve(market, cohort, idOf(cohort, firstIndex + index)))

/** Returns the plan of a curve. Null if the market has no such curve. */
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
