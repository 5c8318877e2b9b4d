/** Draws the faults of a fake node from a seed, and counts them. */
import { createRandom, type Random } from '../../../../ingest/simulated/random.ts'

const names = [
  ...['busy', 'failed', 'dropped', 'cut', 'silent', 'internal', 'behind', 'unlisted'],
  ...[
    'refusedSockets',
    'unanswered',
    'lostWithReply',
    'lostFrames',
    'repeated',
    'reordered',
    'delayed',
    'closed',
    'garbled',
  ],
] as const
type Fault = (typeof names)[number]
export type FaultCounts = Readonly<Record<Fault, number>>

export type Faults = Readonly<{
  /** Whether the fault happens now. */
  draw(fault: Fault, probability: number): boolean
  random: Random
  /** No faults happen after this call. */
  calm(): void
  counts: FaultCounts
}>

export function createFaults(seed: number): Faults {
  const random = createRandom(seed, 70)
  const counts = Object.fromEntries(names.map((name) => [name, 0])) as Record<Fault, number>
  let isCalm = false
  return {
    random,
    counts,
    draw(fault, probability) {
      if (isCalm || !random.chance(probability)) return false
      counts[fault]++
      return true
    },
    calm() {
      isCalm = true
    },
  }
}
