import type { Hex } from '../../../schemas/units.ts'
import type { KnownAddresses } from '../types.ts'
import { curveLifeOf } from './curve-life.ts'
import { curvePlansOf } from './curve-plan.ts'
import type { World } from './identities.ts'
import { lifeOf, type Transaction } from './life.ts'
import { type Market, plansOf } from './plan.ts'

/** The life of one token, launched in a pool or on a curve. */
export type Story = Readonly<{
  id: number
  token: Hex
  createdAtSec: number
  endsAtSec: number
  /** Whether the book knows it. */
  isKnown(book: KnownAddresses): boolean
  transactions(): Generator<Transaction>
}>

const daySec = 86_400

/** The stories that begin in one hour. Promoted launches begin up to an hour before it. */
export function storiesOf(market: Market, cohort: number, world: World): readonly Story[] {
  const launches = plansOf(market, cohort).map((plan): Story => {
    const { id, token, createdAtSec, endsAtSec } = plan
    const isKnown = ({ pools }: KnownAddresses) => pools.has(plan.pool)
    return { id, token, createdAtSec, endsAtSec, isKnown, transactions: () => lifeOf(plan, world) }
  })
  const curves = curvePlansOf(market, cohort).map((plan): Story => {
    const { id, token, createdAtSec } = plan
    const isKnown = (book: KnownAddresses) => book.curves.has(plan.curve)
    // The pool of a graduated curve ends no later.
    const endsAtSec = createdAtSec + daySec
    return { id, token, createdAtSec, endsAtSec, isKnown, transactions: () => curveLifeOf(plan, world) }
  })
  return [...launches, ...curves]
}
