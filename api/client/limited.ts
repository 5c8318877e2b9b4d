import { onAbort } from '../../infra/on-abort.ts'
import type { DurationMs } from '../../schemas/units.ts'

/** Work that ends with a signal of somebody else, after a time, or by `abort`. `release` must be called at its end. */
export type Limited = Readonly<{
  signal: AbortSignal
  abort: () => void
  /** Ends the limit of the time. */
  stopClock: () => void
  release: () => void
}>

/**
 * Limits one request. `AbortSignal.any` is not used, because Node 20 keeps each signal that it returns as long as the
 * oldest of its sources exists. A program that runs for long would lose two kilobytes with each request.
 */
export function limited(sources: readonly AbortSignal[], timeoutMs?: DurationMs): Limited {
  const own = new AbortController()
  const abort = () => own.abort()
  if (sources.some(({ aborted }) => aborted)) abort()
  const removals = sources.map((source) => onAbort(source, abort))
  const timer = timeoutMs === undefined ? undefined : setTimeout(abort, timeoutMs)
  const stopClock = () => clearTimeout(timer)
  return {
    ...{ signal: own.signal, abort, stopClock },
    release() {
      stopClock()
      for (const remove of removals) remove()
    },
  }
}

/** Resolves after the duration, or when the signal aborts. */
export function sleepUntilAborted(durationMs: DurationMs, signal: AbortSignal): Promise<void> {
  const limit = limited([signal], durationMs)
  return new Promise((resolve) => {
    const end = () => {
      limit.release()
      resolve()
    }
    if (limit.signal.aborted) end()
    else limit.signal.addEventListener('abort', end, { once: true })
  })
}
