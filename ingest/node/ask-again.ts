/** Retries a single request to a node that fails sometimes. Other answers of its batch are kept. */
import { isOperationError, type OperationError } from '../../infra/errors.ts'
import type { DurationMs } from '../../schemas/units.ts'

/** After this many tries, the failure counts. With the waits, that takes about twenty seconds. */
export const triesMaxDefault = 9
/** Each timeout costs the whole time limit, and a large request may time out every time. */
const timeoutsMax = 3
const waitMsFirst = 100

/** Waits before the next try of a request. Rejects when the signal aborts. `tryCount`: the number of tries so far. */
export type Pause = (tryCount: number, waitMs: DurationMs, signal: AbortSignal) => Promise<void>

export type Asking = Readonly<{
  signal: AbortSignal
  triesMax: number
  pause: Pause
  /** Whether the last of these failures may pass. Timeouts and tries are counted separately. */
  mayPass(failures: readonly OperationError[], last: OperationError): boolean
  onFailure(failure: OperationError, tryCount: number): void
}>

/** Tries until there is an answer, a failure that does not pass, or `triesMax` failures. Throws the last failure. */
export async function askAgain<Result>(ask: () => Promise<Result>, asking: Asking): Promise<Result> {
  const failures: OperationError[] = []
  while (true) {
    try {
      return await ask()
    } catch (error) {
      if (!isOperationError(error)) throw error
      failures.push(error)
      asking.onFailure(error, failures.length)
      if (!mayAskAgain(failures, error, asking)) throw error
      await asking.pause(failures.length, waitMsOf(error, failures.length), asking.signal)
    }
  }
}

function mayAskAgain(failures: readonly OperationError[], last: OperationError, asking: Asking): boolean {
  if (!asking.mayPass(failures, last)) return false
  return failures.filter(isTimeout).length < timeoutsMax && failures.length < asking.triesMax
}

const isTimeout = ({ context }: OperationError): boolean => context.kind === 'timeout'

/** Doubles each time, is shortened by up to half at random, and is never less than the node asks for. */
function waitMsOf({ context }: OperationError, tryCount: number): DurationMs {
  const backoffMs = waitMsFirst * 2 ** (tryCount - 1) * (0.5 + Math.random() / 2)
  return Math.round(Math.max(backoffMs, Number(context.retryAfterMs ?? 0)))
}
