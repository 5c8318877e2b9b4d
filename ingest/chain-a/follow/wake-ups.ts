import { limited } from '../../../infra/limited.ts'
import type { DurationMs } from '../../../schemas/units.ts'
import type { Delay } from '../../delay.ts'

export type WakeUps = Readonly<{
  /** Reports that there may be a new block. Ends the current wait. If nobody waits, ends the next wait. */
  wake(): void
  /** Waits for `ms`, or until `wake` is called. */
  wait(ms: DurationMs, signal: AbortSignal): Promise<void>
}>

/**
 * Creates waits that announcements can end. There may be many announcements, so they end at most one wait per
 * `gapMs`. Waits that lasted their full time do not count. So a block that is announced right after such a
 * wait is read immediately.
 */
export function createWakeUps({ delay, gapMs }: Readonly<{ delay: Delay; gapMs: DurationMs }>): WakeUps {
  let isWoken = false
  let endWait: (() => void) | null = null
  let wokenMs = Number.NEGATIVE_INFINITY
  return {
    wake() {
      isWoken = true
      endWait?.()
    },
    async wait(ms, signal) {
      const waiting = limited([signal])
      endWait = waiting.abort
      if (!isWoken) await delay(ms, waiting.signal)
      waiting.release()
      endWait = null
      const leftMs = gapMs - (performance.now() - wokenMs)
      if (isWoken && leftMs > 0) await delay(leftMs, signal)
      if (isWoken) wokenMs = performance.now()
      isWoken = false
    },
  }
}
