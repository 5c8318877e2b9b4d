/** Starts work again after temporary failures, with growing pauses. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { DurationMs, EpochMs } from '../schemas/units.ts'
import { isOperationError, type OperationErrorCode } from './errors.ts'
import type { Logger } from './telemetry.ts'

export type RunAgainOptions = Readonly<{
  /** The name of the work in log lines, such as `partition 2`. */
  name: string
  signal: AbortSignal
  nowMs: () => EpochMs
  logger: Pick<Logger, 'warn'>
  /**
   * The pause before the next try, in milliseconds. Null if the failure must end the work. Default: `pauseIfPassing`.
   */
  pauseMsOf?: (error: unknown, failureCount: number) => number | null
  /**
   * Waits for this duration. It must resolve early, without rejecting, when the signal aborts. Default: a wait by the
   * wall clock.
   */
  delay?: (durationMs: DurationMs, signal: AbortSignal) => Promise<void>
}>

const pauseMsMin = 250
const pauseMsMax = 15_000
/**
 * If work has run for at least this time, in milliseconds, its next failure counts as the first failure
 * again.
 */
const steadyMs = 60_000

const passingCodes: readonly OperationErrorCode[] = ['log_unavailable', 'registry_unreachable']

/** Whether a retry may succeed, by the code or the context of the failure. */
const isPassing = (error: unknown): boolean =>
  isOperationError(error) && (passingCodes.includes(error.code) || error.context.isRetryable === true)

/**
 * The pause before the next try, in milliseconds. The pause doubles with each failure, up to 15,000. Null if
 * a retry would not help.
 */
export const pauseIfPassing = (error: unknown, failureCount: number): number | null =>
  isPassing(error) ? Math.min(pauseMsMax, pauseMsMin * 2 ** (failureCount - 1)) : null

/**
 * Runs `work` until it resolves or the signal aborts. Throws the first failure after which a retry would not help. It
 * must be safe to start `work` again.
 */
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
      // After a stop, the work must not start again. So this failure has no effect.
      if (signal.aborted) return
      logger.warn({ err: error, failureCount, pauseMs }, `${name} failed. It starts again in ${pauseMs / 1000} s`)
      await delay(pauseMs, signal)
    }
  }
}

const realDelay = async (durationMs: DurationMs, signal: AbortSignal): Promise<void> => {
  await sleep(durationMs, undefined, { signal }).catch(() => {})
}
