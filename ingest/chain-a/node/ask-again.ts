/**
 * One request to a node that fails now and then. It is asked again by itself: what was answered before it, or beside it
 * in the same batch, is not asked for a second time.
 */
import { isOperationError, type OperationError } from '../../../infra/errors.ts'
import type { Pauses } from './pauses.ts'

/** Then its failure counts. With the waits that is about twenty seconds. */
export const triesMaxDefault = 9
/** Each costs the whole timeout, and a large range may time out every time. */
const timeoutsMax = 3
/** `internal error` may also be how a node refuses a range or a call. */
const internalErrorsMax = 3
const internalErrorCode = -32_603
const waitMsFirst = 100

const isRefusable = (method: string): boolean => method === 'eth_getLogs' || method === 'eth_call'

export type Asking = Readonly<{
  method: string
  signal: AbortSignal
  triesMax: number
  pause: Pauses
  onFailure(failure: OperationError, tryCount: number): void
}>

/** Asks until there is an answer, a refusal or `triesMax` failures. The last failure is thrown. */
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

function mayAskAgain(failures: readonly OperationError[], last: OperationError, { method, triesMax }: Asking): boolean {
  if (last.code === 'node_refused' && !isInternalError(last)) return false
  if (isRefusable(method) && failures.filter(isInternalError).length >= internalErrorsMax) return false
  return failures.filter(isTimeout).length < timeoutsMax && failures.length < triesMax
}

const isTimeout = ({ context }: OperationError): boolean => context.kind === 'timeout'

/** A call that reverts comes with this code from some nodes, and would revert again. */
const isInternalError = (error: OperationError): boolean =>
  error.context.code === internalErrorCode && !/revert/i.test(error.message)

/** Twice as long each time, less up to a half by chance, and never less than the node asks for. */
function waitMsOf({ context }: OperationError, tryCount: number): number {
  const backoffMs = waitMsFirst * 2 ** (tryCount - 1) * (0.5 + Math.random() / 2)
  return Math.round(Math.max(backoffMs, Number(context.retryAfterMs ?? 0)))
}
