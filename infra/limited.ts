import type { DurationMs } from '../schemas/units.ts'
import { onAbort } from './on-abort.ts'

/** A signal that aborts with other signals, after a time, or by `abort`. `release` must be called at the end of the work. */
export type Limited = Readonly<{
  signal: AbortSignal
  abort: () => void
  /** Whether the time was up before anything else aborted the signal. */
  isOver: () => boolean
  /** Ends the limit of the time. */
  stopClock: () => void
  release: () => void
}>

/**
 * Limits one piece of work, for example a request. The signal has the reason of the source that aborted it.
 * `AbortSignal.any` must not be used for work that is done often. Node 20 keeps a part of each signal that it returns as
 * long as the oldest of its sources exists, which is often as long as the process runs.
 */
export function limited(sources: readonly AbortSignal[], limitMs?: DurationMs): Limited {
  const own = new AbortController()
  let isOver = false
  const abort = () => own.abort()
  for (const source of sources) if (source.aborted) own.abort(source.reason)
  const removals = sources.map((source) => onAbort(source, () => own.abort(source.reason)))
  const end = () => {
    isOver = !own.signal.aborted
    own.abort(new DOMException('the time was up', 'TimeoutError'))
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
