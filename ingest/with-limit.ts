import { onAbort } from '../infra/on-abort.ts'
import type { DurationMs } from '../schemas/units.ts'

/**
 * Runs `call` with a time limit. The signal passed to `call` aborts when the outer signal aborts or the time
 * is up. `call` must then reject. After a timeout, the error of `onLimit` is thrown. No timer or listener
 * stays behind, because this runs thousands of times. The signals of `AbortSignal.timeout` and
 * `AbortSignal.any` would stay in memory after the call.
 */
export async function withLimit<Result>(
  { limitMs, signal, onLimit }: Readonly<{ limitMs: DurationMs; signal: AbortSignal; onLimit: () => Error }>,
  call: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const stop = new AbortController()
  const abort = () => stop.abort(signal.reason)
  if (signal.aborted) abort()
  const withdraw = onAbort(signal, abort)
  let isOver = false
  const timer = setTimeout(() => {
    isOver = true
    stop.abort()
  }, limitMs)
  try {
    return await call(stop.signal)
  } catch (error) {
    throw isOver && !signal.aborted ? onLimit() : error
  } finally {
    clearTimeout(timer)
    withdraw()
  }
}
