/**
 * Simulates a launched token: its pool and, for some tokens, a second pool. The second pool opens after the
 * creator has pulled the liquidity of the first.
 */
import type { Identities } from './identities.ts'
import { openLaunch } from './launch.ts'
import { lifeOf, type Transaction, tradelessLifeOf } from './life.ts'
import { type LaunchPlan, type Market, secondPlanOf } from './plan.ts'

/** Yields all transactions of the token in time order. */
export function* launchStoryOf(market: Market, plan: LaunchPlan, identities: Identities): Generator<Transaction> {
  const first = openLaunch(plan, identities)
  const second = secondPlanOf(market, plan)
  if (second === null) yield* lifeOf(first)
  else
    yield* inTurn(lifeOf(first), { fromSec: second.createdAtSec, open: () => lifeOf(openLaunch(second, identities)) })
}

/** Yields the token's transactions that are not trades and do not depend on trades. */
export function* tradelessStoryOf(market: Market, plan: LaunchPlan, identities: Identities): Generator<Transaction> {
  const second = secondPlanOf(market, plan)
  yield* tradelessLifeOf(openLaunch(plan, identities))
  if (second !== null) yield* tradelessLifeOf(openLaunch(second, identities))
}

type Later = Readonly<{ fromSec: number; open(): Generator<Transaction> }>

/**
 * Merges the transactions of two pools by time. `open` begins the transactions of the later pool at
 * `fromSec`.
 */
function* inTurn(early: Generator<Transaction>, { fromSec, open }: Later): Generator<Transaction> {
  let one = early.next()
  for (; !one.done && one.value.second < fromSec; one = early.next()) yield one.value
  const late = open()
  let other = late.next()
  while (!one.done || !other.done) {
    if (!one.done && (other.done || one.value.second <= other.value.second)) {
      yield one.value
      one = early.next()
    } else if (!other.done) {
      yield other.value
      other = late.next()
    }
  }
}
