/** The tables, which can be down, and the answers that are made from them. */
import type { Random } from '../../../ingest/simulated/random.ts'
import type { Time } from './virtual-time.ts'

type Surroundings = Readonly<{
  time: Time
  random: Random
  /** By default, a request gets the same bytes whenever the cut time is the same. */
  bytesAt?: (requestId: string, cutAtMs: number) => Buffer
  /** Whether an answer gets its date when it is first sent, like a pass. */
  isDated: (requestId: string) => boolean
}>

export type Tables = ReturnType<typeof createTables>

/** A bit longer than the service tries to build the answer of a settled payment, in milliseconds. */
const lateReadMs = 11_000

/** The tables, which can be down. Each new answer has its own cut. */
export function createTables({ time, random, bytesAt = plainBytes, isDated }: Surroundings) {
  let downUntilMs = 0
  let cuts = 0
  const read = async (requestId: string, cutAtMs: number) => {
    await time.sleep(random.whole(0, 100))
    if (time.nowMs() < downUntilMs) throw new TypeError('the tables are away')
    return bytesAt(requestId, cutAtMs)
  }
  return {
    failFor: (durationMs: number) => {
      downUntilMs = time.nowMs() + durationMs
    },
    repair: () => {
      downUntilMs = Math.min(downUntilMs, time.nowMs())
    },
    wereDownLately: () => time.nowMs() < downUntilMs + lateReadMs,
    readersOf: (requestId: string) => ({
      buildBody: async () => {
        const cutAtMs = ++cuts
        return { bytes: await read(requestId, cutAtMs), cutAtMs }
      },
      rebuildBody: (cutAtMs: number) => read(requestId, cutAtMs),
      ...(isDated(requestId) && { dateWhenSent: time.nowMs }),
    }),
  }
}

const plainBytes = (requestId: string, cutAtMs: number): Buffer => Buffer.from(`{"${requestId}":${cutAtMs}}`)
