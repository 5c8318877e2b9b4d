import { onAbort } from '../infra/on-abort.ts'

/**
 * Returns the result of the work. If the signal aborts first, the promise rejects at once with the signal's reason. The
 * work itself continues.
 */
export function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    const withdraw = onAbort(signal, abort)
    work.then(resolve, reject).finally(withdraw)
  })
}
