/** Lists the mints that messages of the simulated chats recommend: all promoted mints and some others. */

import { type CallTime, drawCallTimes } from '../../simulated/market/call-times.ts'
import { historiesByHour } from '../../simulated/market/histories-by-hour.ts'
import { unchangedLiquidity } from '../../simulated/market/liquidity-plan.ts'
import type { MarketRates } from '../../simulated/market/rates.ts'
import { rememberSteps } from '../../simulated/market/steps.ts'
import { createRandom } from '../../simulated/random.ts'
import type { HistoriesOfHour, TokenHistory } from '../../simulated/token-history.ts'
import { createWallets } from './identities.ts'
import { type Market, type MintPlan, marketOf, otherIdsOf, planOf, promotedPlansOf } from './plan.ts'
import { stepsOf } from './steps.ts'

const stepsMax = 60_000
/** The share of the mints that are not promoted, but recommended in chats. */
const calledShare = 0.015

type TalesOptions = Readonly<{ seed: number; launchesPerDay?: number | undefined; rates?: Partial<MarketRates> }>

export function createTokenHistories(options: TalesOptions): HistoriesOfHour {
  const market = marketOf(options)
  const identities = { seed: options.seed, walletAt: createWallets(options.seed) }
  const play = rememberSteps((plan: MintPlan) => stepsOf(plan, identities), stepsMax)
  return historiesByHour((cohort) =>
    [...promotedPlansOf(market, cohort), ...calledOthers(market, cohort)].flatMap((plan) => {
      const isPromoted = plan.kind === 'promoted' && !plan.isMayhem
      const history = { callTimes: callTimesOfMint(market, plan), isPromoted, prices: () => play(plan) ?? [] }
      return isPromoted || (history.callTimes.length > 0 && !plan.isUsdc) ? [historyOf(plan, history)] : []
    }),
  )
}

/**
 * Returns the plans of those mints of a cohort that are not promoted, but recommended in chats. About a
 * hundred other mints of the cohort are never recommended, so their plans are not computed.
 */
const calledOthers = (market: Market, cohort: number): readonly MintPlan[] =>
  otherIdsOf(market, cohort)
    .filter((id) => createRandom(market.seed, id, 30).chance(calledShare))
    .flatMap((id) => planOf(market, id) ?? [])

function historyOf(
  plan: MintPlan,
  history: Pick<TokenHistory, 'callTimes' | 'prices'> & Readonly<{ isPromoted: boolean }>,
): TokenHistory {
  const { callTimes, prices, isPromoted } = history
  const bursts = isPromoted ? plan.bursts : []
  return {
    token: plan.key,
    fromSec: plan.launchedAtSec,
    untilSec: plan.endsAtSec,
    callTimes,
    prices,
    bursts: bursts.map(({ startSec, endSec, style }) => ({ startSec, endSec, isPrepared: style === 'bundles' })),
  }
}

function callTimesOfMint({ seed }: Market, plan: MintPlan): readonly CallTime[] {
  const { id, end, launchedAtSec: beginsAtSec, quietFromSec, bursts } = plan
  const random = createRandom(seed, id, 29)
  const calledFromSec = bursts.at(-1)?.endSec ?? null
  const isGraduating = end.kind === 'graduates'
  const graduatedAtSec = isGraduating ? (calledFromSec ?? beginsAtSec) + end.sec : null
  const endsAtSec = isGraduating ? plan.endsAtSec : quietFromSec
  return drawCallTimes(
    { beginsAtSec, endsAtSec, calledFromSec, liquidityPlan: unchangedLiquidity, graduatedAtSec },
    random,
  )
}
