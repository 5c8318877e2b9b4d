/**
 * A clock that jumps from event to event. Minutes of a service take milliseconds, and the same seed gives the same steps.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'

export type Time = Readonly<{
  nowMs: () => number
  sleep: (durationMs: number) => Promise<void>
  /** Like `sleep`, but returns at once if no other work is pending. */
  pass: (durationMs: number) => Promise<void>
  /** Moves the clock until `work` is done. */
  drive: <Result>(work: Promise<Result>) => Promise<Result>
}>

/**
 * The work that a timer starts ends within this many turns of the event loop, if the work waits for no other
 * timer.
 */
const turnsPerEvent = 3

export function createVirtualTime(startMs: number): Time {
  let nowMs = startMs
  const timers: { atMs: number; wake: () => void }[] = []

  const wakeNext = (): void => {
    let earliest = 0
    for (let index = 1; index < timers.length; index++)
      if ((timers[index]?.atMs ?? 0) < (timers[earliest]?.atMs ?? 0)) earliest = index
    const [next] = timers.splice(earliest, 1)
    if (!next) throw new TypeError('nothing more is going to happen, and not all is done')
    nowMs = Math.max(nowMs, next.atMs)
    next.wake()
  }
  const sleep = (durationMs: number) =>
    new Promise<void>((wake) => {
      timers.push({ atMs: nowMs + durationMs, wake })
    })
  return {
    nowMs: () => nowMs,
    sleep,
    pass: sleep,
    drive: async (work) => {
      let isDone = false
      const ended = work.finally(() => {
        isDone = true
      })
      ended.catch(() => {})
      for (;;) {
        for (let turn = 0; turn < turnsPerEvent && !isDone; turn++) await nextTurn()
        if (isDone) return ended
        wakeNext()
      }
    },
  }
}

/** The clock for real chains. Minutes of the service take seconds. `pass` takes no time. */
export function createFastTime(factor: number): Time {
  const startMs = Date.now()
  let passedMs = 0
  return {
    nowMs: () => Math.floor(startMs + passedMs + (Date.now() - startMs) * factor),
    sleep: (durationMs) => new Promise((wake) => setTimeout(wake, durationMs / factor)),
    pass: async (durationMs) => {
      passedMs += durationMs
    },
    drive: (work) => work,
  }
}
