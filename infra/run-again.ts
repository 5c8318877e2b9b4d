/** Restarts work after failures that may pass, with growing pauses. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { DurationMs, EpochMs } from '../schemas/units.ts'
import { isOperationError, type OperationErrorCode } from './errors.ts'
import type { Logger } from './telemetry.ts'

export type RunAgainOptions = Readonly<{
  /** Names the work in the log, such as `partition 2`. */
  name: string
  signal: AbortSignal
  nowMs: () => EpochMs
  logger: Pick<Logger, 'warn'>
  /** The pause before the next try. Null if the failure must end the work. Default: `pauseIfPassing`. */
  pauseMsOf?: (error: unknown, failureCount: number) => number | null
  /** Must resolve early, and not reject, when the signal aborts. Default: the wall clock. */
  delay?: (durationMs: DurationMs, signal: AbortSignal) => Promise<void>
}>

const pauseMsMin = 250
const pauseMsMax = 15_000
/** After work has run for this long, the failure count starts from one again. */
const steadyMs = 60_000

const passingCodes: readonly OperationErrorCode[] = ['log_unavailable', 'registry_unreachable']

/** True if the failure may pass, by its code or by its context. */
const isPassing = (error: unknown): boolean =>
  isOperationError(error) && (passingCodes.includes(error.code) || error.context.isRetryable === true)

/** The pause doubles with each failure, up to 15 s. */
export const pauseIfPassing = (error: unknown, failureCount: number): number | null =>
  isPassing(error) ? Math.min(pauseMsMax, pauseMsMin * 2 ** (failureCount - 1)) : null

/**
 * Resolves when the work does or the signal aborts. Throws the first failure that does not pass. It must be safe to
 * restart `work`.
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
      // After a stop, the failure does not matter, because it would only cause a restart.
      if (signal.aborted) return
      logger.warn({ err: error, failureCount, pauseMs }, `${name} failed; it is restarted`)
      await delay(pauseMs, signal)
    }
  }
}

const realDelay = async (durationMs: DurationMs, signal: AbortSignal): Promise<void> => {
  await sleep(durationMs, undefined, { signal }).catch(() => {})
}
