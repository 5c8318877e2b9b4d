import type { DurationMs } from '../schemas/units.ts'

/**
 * Gives a call a time limit. The call's signal aborts with the outer one, or when the time is up. Then the call, if it
 * obeys its signal, fails with the error of `onLimit`. Thousands of questions use this, so nothing may outlive a call.
 * The signals of `AbortSignal.timeout` and `AbortSignal.any` live until their time is up, and are collected even later.
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
