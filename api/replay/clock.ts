/** The clock of a replay: it runs through a range of the past at a speed of its own, can be stopped, and never leaves the range. */

export type ReplayClock = Readonly<{
  /** Whole milliseconds. */
  nowMs: () => number
  state: () => ReplayState
  pause: () => void
  /** Goes on, at this speed from now on. Default: the one that it has. */
  run: (speed?: number) => void
  /** Moves on by so much, and leaves the rest as it is. Back it cannot go: the stream has no past. */
  step: (durationMs: number) => void
  /** Resolves once the clock is at or past the instant, or when the signal aborts. */
  reaches: (atMs: number, signal: AbortSignal) => Promise<void>
}>

export type ReplayState = Readonly<{
  atMs: number
  fromMs: number
  toMs: number
  /** Seconds of the past in a second. */
  speed: number
  isRunning: boolean
}>

type ClockOptions = Readonly<{
  fromMs: number
  toMs: number
  speed: number
  /** The clock of the machine: a number that only rises. */
  monotonicMs: () => number
  /** Resolves after so long, or when the signal aborts. */
  sleep: (durationMs: number, signal: AbortSignal) => Promise<void>
}>

/** Between two looks of those who wait for an instant: the clock may be stopped or moved meanwhile. */
const lookMsMax = 250

export function createReplayClock({ fromMs, toMs, speed: firstSpeed, monotonicMs, sleep }: ClockOptions): ReplayClock {
  let [speed, isRunning] = [firstSpeed, true]
  /** Where it stood when it was last set. */
  let set = { atMs: fromMs, monotonicMs: monotonicMs() }
  const nowMs = (): number => {
    const gone = isRunning ? (monotonicMs() - set.monotonicMs) * speed : 0
    return Math.min(toMs, Math.floor(set.atMs + gone))
  }
  const setTo = (atMs: number) => {
    set = { atMs: Math.min(toMs, atMs), monotonicMs: monotonicMs() }
  }
  return {
    nowMs,
    state: () => ({ atMs: nowMs(), fromMs, toMs, speed, isRunning: isRunning && nowMs() < toMs }),
    pause: () => {
      setTo(nowMs())
      isRunning = false
    },
    run: (wanted = speed) => {
      setTo(nowMs())
      speed = wanted
      isRunning = true
    },
    step: (durationMs) => setTo(nowMs() + durationMs),
    async reaches(atMs, signal) {
      while (nowMs() < atMs && !signal.aborted) {
        const leftMs = isRunning ? (atMs - nowMs()) / speed : lookMsMax
        await sleep(Math.min(lookMsMax, Math.max(1, leftMs)), signal)
      }
    },
  }
}
