import type { DurationMs } from '../schemas/units.ts'
import { onAbort } from './on-abort.ts'

/** A signal that aborts with other signals, after a time, or by `abort`. Call `release` when the work has ended. */
export type Limited = Readonly<{
  signal: AbortSignal
  abort: () => void
  /** Returns whether the time limit aborted the signal. */
  isOver: () => boolean
  /** Removes the time limit. The signal still aborts with the sources. */
  stopClock: () => void
  release: () => void
}>

/**
 * Returns a signal that limits one piece of work, such as a request. If a source aborts it, it has the reason of this
 * source. Do not use `AbortSignal.any` for work that is done often. Node 20 keeps a part of each signal that
 * `AbortSignal.any` returns as long as the oldest of its sources exists. That is often as long as the process runs.
 */
export function limited(sources: readonly AbortSignal[], limitMs?: DurationMs): Limited {
  const own = new AbortController()
  let isOver = false
  const abort = () => own.abort()
  for (const source of sources) if (source.aborted) own.abort(source.reason)
  const removals = sources.map((source) => onAbort(source, () => own.abort(source.reason)))
  const end = () => {
    isOver = !own.signal.aborted
    abort()
  }
  const timer = limitMs === undefined ? undefined : setTimeout(end, limitMs)
  const stopClock = () => clearTimeout(timer)
  return {
    ...{ signal: own.signal, abort, isOver: () => isOver, stopClock },
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
