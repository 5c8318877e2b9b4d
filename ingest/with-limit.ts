import type { DurationMs } from '../schemas/units.ts'

/**
 * Gives a call a time limit. The call's signal aborts when the outer signal aborts, or when the time is up. Then the
 * call must fail. If the time was up, `onLimit` makes the error.
 * Thousands of questions use this function, so it must leave no timer or listener. The signals of `AbortSignal.timeout`
 * and `AbortSignal.any` stay in memory until their time is up, and longer.
 */
export async function withLimit<Result>(
  { limitMs, signal, onLimit }: Readonly<{ limitMs: DurationMs; signal: AbortSignal; onLimit: () => Error }>,
  call: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const stop = new AbortController()
  const abort = () => stop.abort(signal.reason)
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort, { once: true })
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
    signal.removeEventListener('abort', abort)
  }
}
