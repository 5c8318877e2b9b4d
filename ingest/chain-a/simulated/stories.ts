import type { Address } from '../../../schemas/units.ts'
import { lifeSecMost } from '../../simulated/market/rates.ts'
import type { KnownAddresses } from '../types.ts'
import { curveLifeOf } from './curve-life.ts'
import { type CurvePlan, curvePlanOf, curvePlansOf, isCurveId } from './curve-plan.ts'
import { idOfToken, type World } from './identities.ts'
import { launchStoryOf } from './launch-story.ts'
import type { Transaction } from './life.ts'
import { type LaunchPlan, lastSecondOfToken, type Market, planOf, plansOf } from './plan.ts'

/** The complete history of one token, which was launched in a pool or on a curve. */
export type Story = Readonly<{
  id: number
  token: Address
  createdAtSec: number
  endsAtSec: number
  /** Whether the address book has the token's first pool or its curve. */
  isKnown(book: KnownAddresses): boolean
  transactions(): Generator<Transaction>
}>

/**
 * Returns the stories of one cohort, which is the launches of one hour. Promoted launches may begin up to an
 * hour before that hour.
 */
export const storiesOf = (market: Market, cohort: number, world: World): readonly Story[] => [
  ...plansOf(market, cohort).map((plan) => storyOfLaunch(market, plan, world)),
  ...curvePlansOf(market, cohort).map((plan) => storyOfCurve(plan, world)),
]

/** Returns the story of a token. Null if no simulated token has this address. */
export function storyOf(market: Market, token: string, world: World): Story | null {
  const id = idOfToken(token)
  const launch = isCurveId(id) ? null : planOf(market, id)
  const curve = launch === null ? curvePlanOf(market, id) : null
  const story = launch ? storyOfLaunch(market, launch, world) : curve && storyOfCurve(curve, world)
  return story?.token === token ? story : null
}

export function storyOfLaunch(market: Market, plan: LaunchPlan, world: World): Story {
  const { id, token, createdAtSec } = plan
  return {
    ...{ id, token, createdAtSec, endsAtSec: lastSecondOfToken(market, plan) },
    isKnown: ({ pools }) => pools.has(plan.pool),
    transactions: () => launchStoryOf(market, plan, world),
  }
}

export function storyOfCurve(plan: CurvePlan, world: World): Story {
  const { id, token, createdAtSec } = plan
  return {
    // If the curve graduates, the activity in its pool also ends by this time.
    ...{ id, token, createdAtSec, endsAtSec: createdAtSec + lifeSecMost },
    isKnown: ({ curves }) => curves.has(plan.curve),
    transactions: () => curveLifeOf(plan, world),
  }
}
