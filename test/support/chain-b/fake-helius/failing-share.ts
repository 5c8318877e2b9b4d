import { createRandom } from '../../../../ingest/simulated/random.ts'
import type { Faults } from './faults.ts'

/** The kinds of failures, and the share that each kind has of all failures. */
const parts = { silent: 0.1, dropped: 0.3, busy: 0.3, failed: 0.3 } as const

type Failure = keyof typeof parts
const isFailure = (fault: string): fault is Failure => fault in parts

/**
 * Makes a share of all requests fail. `share` is between 0 and 1. A tenth of the failures get no answer at
 * all. All other answers are right.
 */
export function failingShare(seed: number, share: number): Faults {
  const random = createRandom(seed, 72)
  const counts = new Map<string, number>()
  let isCalm = false
  return {
    random,
    counts: new Proxy({} as Faults['counts'], { get: (_, name) => counts.get(String(name)) ?? 0 }),
    draw(fault) {
      if (isCalm || !isFailure(fault) || !random.chance(chanceOf(fault, share))) return false
      counts.set(fault, (counts.get(fault) ?? 0) + 1)
      return true
    },
    calm() {
      isCalm = true
    },
  }
}

/**
 * Returns the probability of a failure. The server draws the failures in order, so each probability is
 * relative to the requests that have not failed yet.
 */
function chanceOf(fault: Failure, share: number): number {
  let before = 0
  for (const [name, part] of Object.entries(parts)) {
    if (name === fault) return (part * share) / (1 - before * share)
    before += part
  }
  return 0
}
