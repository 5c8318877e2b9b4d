/**
 * Replaces `Date.now` and the global timers by a clock that only the test moves. `restore` undoes the
 * replacement. Timers of `node:timers/promises` are not replaced.
 */
type Timer = { readonly run: () => void; readonly everyMs: number | null; atMs: number; isHolding: boolean }

export function createManualTimers(startMs = 1_000_000) {
  const { setTimeout, setInterval, clearTimeout, clearInterval } = globalThis
  const { now } = Date
  const timers = new Map<object, Timer>()
  let nowMs = startMs
  const set = (run: () => void, ms: number, isRepeated: boolean) => {
    const timer: Timer = { run, everyMs: isRepeated ? ms : null, atMs: nowMs + ms, isHolding: true }
    const handle = {
      ref() {
        timer.isHolding = true
        return handle
      },
      unref() {
        timer.isHolding = false
        return handle
      },
    }
    timers.set(handle, timer)
    return handle
  }
  const clear = (handle: object) => void timers.delete(handle)
  Object.assign(globalThis, {
    setTimeout: (run: () => void, ms: number) => set(run, ms, false),
    setInterval: (run: () => void, ms: number) => set(run, ms, true),
    ...{ clearTimeout: clear, clearInterval: clear },
  })
  Date.now = () => nowMs

  return {
    /** Moves the clock, and runs each due timer one time. */
    move(ms: number) {
      nowMs += ms
      for (const [handle, timer] of [...timers]) {
        if (timer.atMs > nowMs) continue
        if (timer.everyMs === null) timers.delete(handle)
        else timer.atMs = nowMs + timer.everyMs
        timer.run()
      }
    },
    /** Returns the number of all timers, and the number of timers that keep the process alive. */
    counts: () => ({ all: timers.size, holding: [...timers.values()].filter(({ isHolding }) => isHolding).length }),
    restore() {
      Object.assign(globalThis, { setTimeout, setInterval, clearTimeout, clearInterval })
      Date.now = now
    },
  }
}
