/** Paces the reads of all catch-ups together, so that they do not delay the live events or the answers. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { RecordBatch } from '../../infra/log/record-batch.ts'
import type { DurationMs } from '../../schemas/units.ts'

export type PacedReads = Readonly<{
  /** Reads after all reads that were asked for earlier, and after their pauses. */
  take(read: () => Promise<readonly RecordBatch[]>): Promise<readonly RecordBatch[]>
}>

/** The number of bytes of the log that all catch-ups together may read in a millisecond. */
const bytesPerMs = 32 * 1024
/** A read counts as at least this many bytes. */
const readBytesMin = 4 * 1024

/** `delay`: waits for this duration. Default: a wait by the wall clock. */
export function createPacedReads(delay: (durationMs: DurationMs) => Promise<void> = sleep): PacedReads {
  let last: Promise<void> = Promise.resolve()
  /** The bytes that were read since the last pause. */
  let unpausedBytes = 0
  const pause = async () => {
    const pauseMs = Math.floor(unpausedBytes / bytesPerMs)
    if (pauseMs < 1) return
    unpausedBytes -= pauseMs * bytesPerMs
    await delay(pauseMs)
  }
  return {
    take(read) {
      const mine = last.then(async () => {
        const page = await read()
        const bytes = page.reduce((sum, batch) => sum + batch.bytes.length, 0)
        unpausedBytes += Math.max(bytes, readBytesMin)
        return page
      })
      last = mine.then(pause, () => {})
      return mine
    },
  }
}
