/**
 * Plays plans, each with its own clock, chains and log. Also finds the smallest plan that still breaks a
 * rule.
 */
import { createMemoryLog } from '../../../infra/log/memory/memory-log.ts'
import { createRandom, shuffled } from '../../../ingest/simulated/random.ts'
import { createEvmDouble } from './evm-double.ts'
import { createFaultyFacilitator } from './faulty-facilitator.ts'
import type { History } from './history.ts'
import type { LocalChains } from './local-chains.ts'
import type { Plan } from './plan.ts'
import { play, type World } from './play.ts'
import { createSvmDouble } from './svm-double.ts'
import { createFastTime, createVirtualTime } from './virtual-time.ts'

/** Plays a plan in this process, on simulated chains and in virtual time. */
export async function playAlone(plan: Plan, changes: Partial<World> = {}): Promise<History> {
  const time = createVirtualTime(Date.UTC(2026, 0, 1))
  const random = createRandom(plan.seed, 77)
  const both = [createEvmDouble(time, { aheadMs: plan.facilitatorAheadMs }), await createSvmDouble(time)]
  const chains = shuffled(both, random)
  const facilitator = createFaultyFacilitator({ time, random, chains })
  const log = createMemoryLog({ nowMs: time.nowMs })
  return time.drive(play(plan, { time, random, log, chains, facilitator, ...changes }))
}

/** Plays a plan on the local chains, with a faster clock. */
export async function playOnLocalChains(plan: Plan, openChains: LocalChains): Promise<History> {
  const time = createFastTime(localFactor)
  const random = createRandom(plan.seed, 78)
  const chains = shuffled(await openChains(time), random)
  const facilitator = createFaultyFacilitator({ time, random, chains })
  return play(plan, { time, random, log: createMemoryLog({ nowMs: time.nowMs }), chains, facilitator })
}

/**
 * A settlement takes about 50 ms of real time here. With this factor it takes two seconds of the service's
 * time, as on a real chain.
 */
const localFactor = 40

/** Removes steps from the plan as long as a rule is still broken. The plan that is left needs all its steps. */
export async function smallest(plan: Plan, promisesOf: (plan: Plan) => Promise<readonly string[]>): Promise<Plan> {
  for (let index = 0; index < plan.steps.length; index++) {
    const less = { ...plan, steps: plan.steps.toSpliced(index, 1) }
    if ((await promisesOf(less)).length > 0) return smallest(less, promisesOf)
  }
  return plan
}
