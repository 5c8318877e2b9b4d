/** One request to a node that fails now and then. It is asked again by itself: what was answered beside it is kept. */
import { isOperationError, type OperationError } from '../../infra/errors.ts'

/** Then its failure counts. With the waits that is about twenty seconds. */
export const triesMaxDefault = 9
/** Each costs the whole time limit, and a large question may take longer every time. */
const timeoutsMax = 3
const waitMsFirst = 100

/** Waits before the next try of a request, and rejects when the signal aborts. `tryCount`: tries so far. */
export type Pause = (tryCount: number, waitMs: number, signal: AbortSignal) => Promise<void>

export type Asking = Readonly<{
  signal: AbortSignal
  triesMax: number
  pause: Pause
  /** Whether the last of these failures may pass. Timeouts and tries are counted beside it. */
  mayPass(failures: readonly OperationError[], last: OperationError): boolean
  onFailure(failure: OperationError, tryCount: number): void
}>

/** Asks until there is an answer, a failure that does not pass, or `triesMax` failures. The last failure is thrown. */
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

/** Twice as long each time, less up to a half by chance, and never less than the node asks for. */
function waitMsOf({ context }: OperationError, tryCount: number): number {
  const backoffMs = waitMsFirst * 2 ** (tryCount - 1) * (0.5 + Math.random() / 2)
  return Math.round(Math.max(backoffMs, Number(context.retryAfterMs ?? 0)))
}
