/** The whole life of a launched token: its pool, and for some a second one after the first was pulled. */
import type { World } from './identities.ts'
import { openLaunch } from './launch.ts'
import { lifeOf, type Transaction, tradelessLifeOf } from './life.ts'
import { type LaunchPlan, type Market, secondPlanOf } from './plan.ts'

/** All transactions in time order. */
export function* launchStoryOf(market: Market, plan: LaunchPlan, world: World): Generator<Transaction> {
  const first = openLaunch(plan, world)
  const second = secondPlanOf(market, plan)
  if (second === null) yield* lifeOf(first)
  else yield* inTurn(lifeOf(first), { fromSec: second.createdAtSec, open: () => lifeOf(openLaunch(second, world)) })
}

/** The same story without trades, as far as it does not depend on them. */
export function* tradelessStoryOf(market: Market, plan: LaunchPlan, world: World): Generator<Transaction> {
  const second = secondPlanOf(market, plan)
  yield* tradelessLifeOf(openLaunch(plan, world))
  if (second !== null) yield* tradelessLifeOf(openLaunch(second, world))
}

type Later = Readonly<{ fromSec: number; open(): Generator<Transaction> }>

/** Merges two lives by time. The later one opens when its time comes. */
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
