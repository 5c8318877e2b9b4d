/** Work that stands on something that can go away for a while: it begins anew, later and later, until it lasts again. */
import { setTimeout as sleep } from 'node:timers/promises'
import { isOperationError, type OperationErrorCode } from './errors.ts'
import type { Logger } from './telemetry.ts'

export type RunAgainOptions = Readonly<{
  /** Of what, for the log: `partition 2`. */
  name: string
  signal: AbortSignal
  nowMs: () => number
  logger: Pick<Logger, 'warn'>
  /** How long to wait before the next try; null: this failure ends the work. Default: `pauseIfPassing`. */
  pauseMsOf?: (error: unknown, failureCount: number) => number | null
  /** Default: the wall clock. Resolves early, and never rejects, when the signal aborts. */
  delay?: (durationMs: number, signal: AbortSignal) => Promise<void>
}>

const pauseMsMin = 250
const pauseMsMax = 15_000
/** Work that ran so long was well: its next failure is a first one. */
const steadyMs = 60_000

const passingCodes: readonly OperationErrorCode[] = ['log_unavailable', 'registry_unreachable']

/** The world failing in a way that may pass, by its code or because whoever threw it says so. */
const isPassing = (error: unknown): boolean =>
  isOperationError(error) && (passingCodes.includes(error.code) || error.context.isRetryable === true)

/** Twice as long each time, up to a quarter of a minute. */
export const pauseIfPassing = (error: unknown, failureCount: number): number | null =>
  isPassing(error) ? Math.min(pauseMsMax, pauseMsMin * 2 ** (failureCount - 1)) : null

/** Resolves when the work does or the signal aborts; throws the first failure that does not pass. `work` must be safe to begin again. */
export async function runAgain(work: () => Promise<void>, options: RunAgainOptions): Promise<void> {
  const { name, signal, nowMs, logger, pauseMsOf = pauseIfPassing, delay = realDelay } = options
  for (let failureCount = 1; !signal.aborted; failureCount++) {
    const startedAtMs = nowMs()
    try {
      return await work()
    } catch (error) {
      if (nowMs() - startedAtMs >= steadyMs) failureCount = 1
      const pauseMs = pauseMsOf(error, failureCount)
      if (pauseMs === null) throw error
      // What would begin again has nothing more to say once it is stopped.
      if (signal.aborted) return
      logger.warn({ err: error, failureCount, pauseMs }, `${name} failed; it begins again`)
      await delay(pauseMs, signal)
    }
  }
}

const realDelay = async (durationMs: number, signal: AbortSignal): Promise<void> => {
  await sleep(durationMs, undefined, { signal }).catch(() => {})
}
