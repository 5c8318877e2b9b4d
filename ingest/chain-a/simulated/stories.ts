import type { Address } from '../../../schemas/units.ts'
import { lifeSecMost } from '../../simulated/market/rates.ts'
import type { KnownAddresses } from '../types.ts'
import { curveLifeOf } from './curve-life.ts'
import { type CurvePlan, curvePlanOf, curvePlansOf, isCurveId } from './curve-plan.ts'
import { type Identities, idOfToken } from './identities.ts'
import { launchStoryOf } from './launch-story.ts'
import type { Transaction } from './life.ts'
import { type LaunchPlan, lastSecondOfToken, type Market, planOf, plansOf } from './plan.ts'

/** The complete history of one simulated token, which was launched in a pool or on a curve. */
export type Story = Readonly<{
  id: number
  token: Address
  createdAtSec: number
  endsAtSec: number
  /** Whether ingest's address book contains the token's first pool or its curve. */
  isKnown(book: KnownAddresses): boolean
  transactions(): Generator<Transaction>
}>

/**
 * Returns the histories of one cohort (the tokens launched in one hour). Promoted launches may begin up to an
 * hour before that hour.
 */
export const storiesOf = (market: Market, cohort: number, identities: Identities): readonly Story[] => [
  ...plansOf(market, cohort).map((plan) => storyOfLaunch(market, plan, identities)),
  ...curvePlansOf(market, cohort).map((plan) => storyOfCurve(plan, identities)),
]

/** Returns the history of a token. Returns null if no simulated token has this address. */
export function storyOf(market: Market, token: string, identities: Identities): Story | null {
  const id = idOfToken(token)
  const launch = isCurveId(id) ? null : planOf(market, id)
  const curve = launch === null ? curvePlanOf(market, id) : null
  const story = launch ? storyOfLaunch(market, launch, identities) : curve && storyOfCurve(curve, identities)
  return story?.token === token ? story : null
}

export function storyOfLaunch(market: Market, plan: LaunchPlan, identities: Identities): Story {
  const { id, token, createdAtSec } = plan
  return {
    id,
    token,
    createdAtSec,
    endsAtSec: lastSecondOfToken(market, plan),
    isKnown: ({ pools }) => pools.has(plan.pool),
    transactions: () => launchStoryOf(market, plan, identities),
  }
}

export function storyOfCurve(plan: CurvePlan, identities: Identities): Story {
  const { id, token, createdAtSec } = plan
  return {
    // If the curve graduates, the trading in the pool also ends by this time.
    id,
    token,
    createdAtSec,
    endsAtSec: createdAtSec + lifeSecMost,
    isKnown: ({ curves }) => curves.has(plan.curve),
    transactions: () => curveLifeOf(plan, identities),
  }
}
