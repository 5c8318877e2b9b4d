/**
 * Creates a log in memory whose offsets have gaps, like those of a broker. After each append, the gap is 0 to
 * 3 offsets, drawn from a seed.
 */
import type { Log } from '../../../infra/log/log.ts'
import { createMemoryLog } from '../../../infra/log/memory/memory-log.ts'
import type { TopicTable } from '../../../schemas/topics.ts'
import { createRandom } from '../chain-a-node/random.ts'

const holeMax = 3

type HoledLogOptions = Readonly<{ nowMs: () => number; seed?: number; topicTable?: TopicTable }>

export function createHoledLog({ seed = 1, ...options }: HoledLogOptions): Log {
  const chance = createRandom(seed)
  return createMemoryLog({ ...options, gapAfter: () => Math.floor(chance() * (holeMax + 1)) })
}
