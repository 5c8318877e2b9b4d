/** Returns the simulated tokens that the simulated chats name: all promoted tokens and some others. */
import { keptFate } from '../../simulated/market/fate.ts'
import { type Moment, momentsOf } from '../../simulated/market/moments.ts'
import type { MarketRates } from '../../simulated/market/rates.ts'
import { type MarketStep, rememberSteps } from '../../simulated/market/steps.ts'
import { talesByHour } from '../../simulated/market/tales-by-hour.ts'
import { createRandom } from '../../simulated/random.ts'
import type { Tale, TalesOfHour } from '../../simulated/tale.ts'
import { type CurvePlan, curvePlansOf } from './curve-plan.ts'
import { createWallets } from './identities.ts'
import { type LaunchPlan, lastSecondOfToken, type Market, marketOf, plansOf, secondPlanOf } from './plan.ts'
import { stepsOf } from './steps.ts'
import { type Story, storyOfCurve, storyOfLaunch } from './stories.ts'

const hourSec = 3600
const stepsMax = 150_000

type TalesOptions = Readonly<{ seed: number; launchesPerDay?: number | undefined; rates?: Partial<MarketRates> }>

export function createTales(options: TalesOptions): TalesOfHour {
  const market = marketOf(options)
  const world = { seed: options.seed, walletAt: createWallets(options.seed) }
  const play = rememberSteps((story: Story) => stepsOf(story.transactions()), stepsMax)
  return talesByHour((cohort) => [
    ...plansOf(market, cohort).map((plan) =>
      taleOfLaunch(market, plan, { story: storyOfLaunch(market, plan, world), play }),
    ),
    ...curvePlansOf(market, cohort).map((plan) =>
      taleOfCurve(market, plan, { story: storyOfCurve(plan, world), play }),
    ),
  ])
}

type Played = Readonly<{ story: Story; play: (story: Story) => readonly MarketStep[] | null }>

const pricesOf = ({ story, play }: Played): readonly MarketStep[] => play(story) ?? []

/**
 * Returns the tale of a launch, which the simulated chats are based on. Chats call a promoted token in its
 * bursts and in the bursts of its second pool. The creator pulls the liquidity of a pool only after the
 * pool's bursts.
 */
function taleOfLaunch(market: Market, plan: LaunchPlan, played: Played): Tale {
  const isPromoted = plan.kind === 'promoted'
  const second = secondPlanOf(market, plan)
  const bursts = isPromoted ? [...plan.bursts, ...(second?.bursts ?? [])] : []
  const endsAtSec = lastSecondOfToken(market, plan)
  return {
    ...{ token: plan.token, fromSec: plan.createdAtSec, untilSec: endsAtSec },
    bursts: bursts.map(({ startSec, endSec, style }) => ({ startSec, endSec, isPrepared: style === 'scripted' })),
    moments: isPromoted ? momentsOfPromoted(market, plan, endsAtSec) : momentsOfOther(market, plan),
    prices: () => pricesOf(played),
  }
}

function momentsOfPromoted({ seed }: Market, plan: LaunchPlan, endsAtSec: number): readonly Moment[] {
  const calledFromSec = plan.bursts.find(({ tier }) => tier === 'main')?.endSec ?? null
  const life = { beginsAtSec: plan.createdAtSec, endsAtSec, calledFromSec, fate: plan.fate, graduatedAtSec: null }
  return momentsOf(life, createRandom(seed, plan.id, 14))
}

/**
 * Draws the times at which chats call a token that is not promoted. Only a quarter of these tokens are
 * called.
 */
function momentsOfOther({ seed }: Market, plan: LaunchPlan): readonly Moment[] {
  const { createdAtSec, endsAtSec, fate, kind } = plan
  const random = createRandom(seed, plan.id, 14)
  if (!random.chance(0.25)) return []
  if (kind !== 'organic')
    return momentsOf({ beginsAtSec: createdAtSec, endsAtSec, calledFromSec: null, fate, graduatedAtSec: null }, random)
  return [{ kind: 'organic', atSec: random.whole(createdAtSec + 600, endsAtSec - 600) }]
}

/**
 * Returns the tale of a token on a curve. Chats call only wanted tokens. The first call is within an hour of
 * the launch. The tale also covers the trading in the pool of a graduated curve.
 */
function taleOfCurve({ seed }: Market, plan: CurvePlan, played: Played): Tale {
  const { token, createdAtSec, isWanted } = plan
  const random = createRandom(seed, plan.id, 14)
  const { endsAtSec } = played.story
  const life = { beginsAtSec: createdAtSec, endsAtSec, calledFromSec: createdAtSec + 4 * hourSec, graduatedAtSec: null }
  const onCurve: Moment = { kind: 'onCurve', atSec: createdAtSec + random.whole(300, hourSec) }
  return {
    ...{ token, fromSec: createdAtSec, untilSec: endsAtSec, bursts: [] },
    moments: isWanted ? [onCurve, ...momentsOf({ ...life, fate: keptFate }, random)] : [],
    prices: () => pricesOf(played),
  }
}
