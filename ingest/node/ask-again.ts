/** Retries a failed request to a node. Each request of a batch is retried separately. */
import { isOperationError, type OperationError } from '../../infra/errors.ts'
import type { DurationMs } from '../../schemas/units.ts'

/** The maximum number of tries of a request. The eight waits between nine tries take about 20 s in all. */
export const triesMaxDefault = 9
/**
 * The maximum number of tries that may end with a timeout. Each timeout takes the whole time limit, and a
 * large request may time out every time.
 */
const timeoutsMax = 3
const waitMsFirst = 100

/**
 * Waits `waitMs` before the next try of a request. Rejects when the signal aborts. `tryCount` is the number
 * of tries so far.
 */
export type Pause = (tryCount: number, waitMs: DurationMs, signal: AbortSignal) => Promise<void>

export type RetryOptions = Readonly<{
  signal: AbortSignal
  triesMax: number
  pause: Pause
  /**
   * Whether a later try may succeed after these failures. `last` is the newest of them. The number of tries
   * and timeouts is limited separately.
   */
  mayPass(failures: readonly OperationError[], last: OperationError): boolean
  onFailure(failure: OperationError, tryCount: number): void
}>

/**
 * Repeats a request until there is an answer, a failure that will not pass, or the maximum number of tries or timeouts. Throws the last
 * failure.
 */
export async function askAgain<Result>(ask: () => Promise<Result>, options: RetryOptions): Promise<Result> {
  const failures: OperationError[] = []
  while (true) {
    try {
      return await ask()
    } catch (error) {
      if (!isOperationError(error)) throw error
      failures.push(error)
      options.onFailure(error, failures.length)
      if (!mayAskAgain(failures, error, options)) throw error
      await options.pause(failures.length, waitMsOf(error, failures.length), options.signal)
    }
  }
}

function mayAskAgain(failures: readonly OperationError[], last: OperationError, options: RetryOptions): boolean {
  if (!options.mayPass(failures, last)) return false
  return failures.filter(isTimeout).length < timeoutsMax && failures.length < options.triesMax
}

const isTimeout = ({ context }: OperationError): boolean => context.kind === 'timeout'

/**
 * Returns the wait before the next try. The wait doubles each time, and up to half of it is subtracted at
 * random. The wait is never shorter than the pause that the node requests.
 */
function waitMsOf({ context }: OperationError, tryCount: number): DurationMs {
  const backoffMs = waitMsFirst * 2 ** (tryCount - 1) * (0.5 + Math.random() / 2)
  return Math.round(Math.max(backoffMs, Number(context.retryAfterMs ?? 0)))
}
