/**
 * Calls back when a signal aborts. All callbacks of a signal share one listener. Thousands of calls may wait on the same signal, and Node
 * warns of more than ten listeners.
 */
type Waiting = Readonly<{ callbacks: Set<() => void>; listener: () => void }>

const waitingOn = new WeakMap<AbortSignal, Waiting>()

/**
 * Calls `callback` when the signal aborts. Returns a function that removes the callback. The caller must call
 * this function, because the signal may exist for a long time.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  const waiting = waitingOn.get(signal) ?? listenTo(signal)
  // Each call has its own entry, even if several calls pass the same `callback`.
  const entry = () => callback()
  waiting.callbacks.add(entry)
  return () => {
    waiting.callbacks.delete(entry)
    if (waiting.callbacks.size > 0 || waitingOn.get(signal) !== waiting) return
    waitingOn.delete(signal)
    signal.removeEventListener('abort', waiting.listener)
  }
}

function listenTo(signal: AbortSignal): Waiting {
  const callbacks = new Set<() => void>()
  const listener = () => {
    waitingOn.delete(signal)
    // A callback may remove other callbacks of this signal.
    for (const callback of [...callbacks]) if (callbacks.delete(callback)) callback()
  }
  const waiting = { callbacks, listener }
  waitingOn.set(signal, waiting)
  signal.addEventListener('abort', listener, { once: true })
  return waiting
}
