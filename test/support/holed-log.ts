/** A log in memory whose offsets have holes as a broker's have: none, one or a few behind each append, seeded. */
import type { Log } from '../../infra/log/log.ts'
import { createMemoryLog } from '../../infra/log/memory/memory-log.ts'
import { createRandom } from './chain-a-node/random.ts'

const holeMax = 3

export function createHoledLog({ nowMs, seed = 1 }: Readonly<{ nowMs: () => number; seed?: number }>): Log {
  const chance = createRandom(seed)
  return createMemoryLog({ nowMs, gapAfter: () => Math.floor(chance() * (holeMax + 1)) })
}
