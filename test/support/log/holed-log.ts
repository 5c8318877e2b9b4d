/** A log in memory whose offsets have holes as a broker's have: none, one or a few behind each append, seeded. */
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
