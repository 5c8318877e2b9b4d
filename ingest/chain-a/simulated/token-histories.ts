/** Lists the tokens that messages of the simulated chats recommend: all promoted tokens and some others. */

import { type CallTime, drawCallTimes } from '../../simulated/market/call-times.ts'
import { historiesByHour } from '../../simulated/market/histories-by-hour.ts'
import { unchangedLiquidity } from '../../simulated/market/liquidity-plan.ts'
import type { MarketRates } from '../../simulated/market/rates.ts'
import { type MarketStep, rememberSteps } from '../../simulated/market/steps.ts'
import { createRandom } from '../../simulated/random.ts'
import type { HistoriesOfHour, TokenHistory } from '../../simulated/token-history.ts'
import { type CurvePlan, curvePlansOf } from './curve-plan.ts'
import { createWallets } from './identities.ts'
import { type LaunchPlan, lastSecondOfToken, type Market, marketOf, plansOf, secondPlanOf } from './plan.ts'
import { stepsOf } from './steps.ts'
import { type Story, storyOfCurve, storyOfLaunch } from './stories.ts'

const hourSec = 3600
const stepsMax = 60_000

type TalesOptions = Readonly<{ seed: number; launchesPerDay?: number | undefined; rates?: Partial<MarketRates> }>

export function createTokenHistories(options: TalesOptions): HistoriesOfHour {
  const market = marketOf(options)
  const identities = { seed: options.seed, walletAt: createWallets(options.seed) }
  const play = rememberSteps((story: Story) => stepsOf(story.transactions()), stepsMax)
  return historiesByHour((cohort) => [
    ...plansOf(market, cohort).map((plan) =>
      historyOfLaunch(market, plan, { story: storyOfLaunch(market, plan, identities), play }),
    ),
    ...curvePlansOf(market, cohort).map((plan) =>
      historyOfCurve(market, plan, { story: storyOfCurve(plan, identities), play }),
    ),
  ])
}

type Played = Readonly<{ story: Story; play: (story: Story) => readonly MarketStep[] | null }>

const pricesOf = ({ story, play }: Played): readonly MarketStep[] => play(story) ?? []

/**
 * Returns the history of a launch, which the simulated chats are based on. Chats call a promoted token in its
 * bursts and in the bursts of its second pool. The creator pulls the liquidity of a pool only after the
 * pool's bursts.
 */
function historyOfLaunch(market: Market, plan: LaunchPlan, played: Played): TokenHistory {
  const isPromoted = plan.kind === 'promoted'
  const second = secondPlanOf(market, plan)
  const bursts = isPromoted ? [...plan.bursts, ...(second?.bursts ?? [])] : []
  const endsAtSec = lastSecondOfToken(market, plan)
  return {
    token: plan.token,
    fromSec: plan.createdAtSec,
    untilSec: endsAtSec,
    bursts: bursts.map(({ startSec, endSec, style }) => ({ startSec, endSec, isPrepared: style === 'scripted' })),
    callTimes: isPromoted ? callTimesOfPromoted(market, plan, endsAtSec) : callTimesOfOther(market, plan),
    prices: () => pricesOf(played),
  }
}

function callTimesOfPromoted({ seed }: Market, plan: LaunchPlan, endsAtSec: number): readonly CallTime[] {
  const calledFromSec = plan.bursts.find(({ tier }) => tier === 'main')?.endSec ?? null
  const life = {
    beginsAtSec: plan.createdAtSec,
    endsAtSec,
    calledFromSec,
    liquidityPlan: plan.liquidityPlan,
    graduatedAtSec: null,
  }
  return drawCallTimes(life, createRandom(seed, plan.id, 14))
}

/**
 * Draws the times at which chats recommend a token that is not promoted. Only a quarter of these tokens are
 * recommended.
 */
function callTimesOfOther({ seed }: Market, plan: LaunchPlan): readonly CallTime[] {
  const { createdAtSec, endsAtSec, liquidityPlan, kind } = plan
  const random = createRandom(seed, plan.id, 14)
  if (!random.chance(0.25)) return []
  if (kind !== 'organic')
    return drawCallTimes(
      { beginsAtSec: createdAtSec, endsAtSec, calledFromSec: null, liquidityPlan, graduatedAtSec: null },
      random,
    )
  return [{ kind: 'organic', atSec: random.whole(createdAtSec + 600, endsAtSec - 600) }]
}

/**
 * Returns the history of a token on a curve. Chats call only wanted tokens. The first call is within an hour of
 * the launch. The history also covers the trading in the pool of a graduated curve.
 */
function historyOfCurve({ seed }: Market, plan: CurvePlan, played: Played): TokenHistory {
  const { token, createdAtSec, isWanted } = plan
  const random = createRandom(seed, plan.id, 14)
  const { endsAtSec } = played.story
  const life = { beginsAtSec: createdAtSec, endsAtSec, calledFromSec: createdAtSec + 4 * hourSec, graduatedAtSec: null }
  const onCurve: CallTime = { kind: 'onCurve', atSec: createdAtSec + random.whole(300, hourSec) }
  return {
    token,
    fromSec: createdAtSec,
    untilSec: endsAtSec,
    bursts: [],
    callTimes: isWanted ? [onCurve, ...drawCallTimes({ ...life, liquidityPlan: unchangedLiquidity }, random)] : [],
    prices: () => pricesOf(played),
  }
}
