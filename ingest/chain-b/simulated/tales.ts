/** Returns the simulated mints that the simulated chats name: all promoted mints and some others. */
import { keptFate } from '../../simulated/market/fate.ts'
import { type Moment, momentsOf } from '../../simulated/market/moments.ts'
import type { MarketRates } from '../../simulated/market/rates.ts'
import { rememberSteps } from '../../simulated/market/steps.ts'
import { talesByHour } from '../../simulated/market/tales-by-hour.ts'
import { createRandom } from '../../simulated/random.ts'
import type { Tale, TalesOfHour } from '../../simulated/tale.ts'
import { createWallets } from './identities.ts'
import { type Market, type MintPlan, marketOf, otherIdsOf, planOf, promotedPlansOf } from './plan.ts'
import { stepsOf } from './steps.ts'

const stepsMax = 150_000
/** The share of unpromoted mints that chats call at some time. */
const calledShare = 0.015

type TalesOptions = Readonly<{ seed: number; launchesPerDay?: number | undefined; rates?: Partial<MarketRates> }>

export function createTales(options: TalesOptions): TalesOfHour {
  const market = marketOf(options)
  const world = { seed: options.seed, walletAt: createWallets(options.seed) }
  const play = rememberSteps((plan: MintPlan) => stepsOf(plan, world), stepsMax)
  return talesByHour((cohort) =>
    [...promotedPlansOf(market, cohort), ...calledOthers(market, cohort)].flatMap((plan) => {
      const isPromoted = plan.kind === 'promoted' && !plan.isMayhem
      const tale = { moments: momentsOfMint(market, plan), isPromoted, prices: () => play(plan) ?? [] }
      return isPromoted || (tale.moments.length > 0 && !plan.isUsdc) ? [taleOf(plan, tale)] : []
    }),
  )
}

/**
 * Returns the plans of the unpromoted mints of a cohort that chats call. About a hundred others are never
 * called, so they are not planned.
 */
const calledOthers = (market: Market, cohort: number): readonly MintPlan[] =>
  otherIdsOf(market, cohort)
    .filter((id) => createRandom(market.seed, id, 30).chance(calledShare))
    .flatMap((id) => planOf(market, id) ?? [])

function taleOf(plan: MintPlan, tale: Pick<Tale, 'moments' | 'prices'> & Readonly<{ isPromoted: boolean }>): Tale {
  const { moments, prices, isPromoted } = tale
  const bursts = isPromoted ? plan.bursts : []
  return {
    ...{ token: plan.key, fromSec: plan.launchedAtSec, untilSec: plan.endsAtSec, moments, prices },
    bursts: bursts.map(({ startSec, endSec, style }) => ({ startSec, endSec, isPrepared: style === 'bundles' })),
  }
}

function momentsOfMint({ seed }: Market, plan: MintPlan): readonly Moment[] {
  const { id, fate, launchedAtSec: beginsAtSec, quietFromSec, bursts } = plan
  const random = createRandom(seed, id, 29)
  const calledFromSec = bursts.at(-1)?.endSec ?? null
  const isGraduating = fate.kind === 'graduates'
  const graduatedAtSec = isGraduating ? (calledFromSec ?? beginsAtSec) + fate.sec : null
  const endsAtSec = isGraduating ? plan.endsAtSec : quietFromSec
  return momentsOf({ beginsAtSec, endsAtSec, calledFromSec, fate: keptFate, graduatedAtSec }, random)
}
