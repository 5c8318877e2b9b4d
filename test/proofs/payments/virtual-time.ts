/** Time that jumps from one event to the next, so that minutes of a service take milliseconds and the same seed the same steps. */
import { setImmediate as nextTurn } from 'node:timers/promises'

export type Time = Readonly<{
  nowMs: () => number
  sleep: (durationMs: number) => Promise<void>
  /** Lets time pass until this is done. */
  drive: <Result>(work: Promise<Result>) => Promise<Result>
}>

/** What one event sets in motion without waiting for another is over after so many turns of the event loop. */
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
  return {
    nowMs: () => nowMs,
    sleep: (durationMs) =>
      new Promise((wake) => {
        timers.push({ atMs: nowMs + durationMs, wake })
      }),
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
