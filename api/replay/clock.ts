/**
 * The clock of a replay. It runs through a past range of time at its own speed and can be paused. It never
 * leaves the range.
 */

import type { DurationMs, EpochMs } from '../../schemas/units.ts'

export type ReplayClock = Readonly<{
  /** The replayed time in whole milliseconds. */
  nowMs: () => EpochMs
  state: () => ReplayState
  pause: () => void
  /** Continues at this speed. Default: the speed stays as it is. */
  run: (speed?: number) => void
  /**
   * Moves the clock forward without a change of its speed or pause. The clock cannot move back, because the
   * stream cannot withdraw events that were sent.
   */
  step: (durationMs: DurationMs) => void
  /** Resolves when the replayed time is at or past `atMs`, or when the signal aborts. */
  reaches: (atMs: EpochMs, signal: AbortSignal) => Promise<void>
}>

export type ReplayState = Readonly<{
  atMs: EpochMs
  fromMs: EpochMs
  toMs: EpochMs
  /** Replayed seconds per second. */
  speed: number
  isRunning: boolean
}>

type ClockOptions = Readonly<{
  fromMs: EpochMs
  toMs: EpochMs
  speed: number
  monotonicMs: () => number
  /** Resolves after the duration, or when the signal aborts. */
  sleep: (durationMs: DurationMs, signal: AbortSignal) => Promise<void>
}>

/**
 * The maximum time between two checks of the clock while `reaches` waits, in ms. The clock must be checked
 * again, because it may be paused or moved.
 */
const lookMsMax = 250

export function createReplayClock({ fromMs, toMs, speed: firstSpeed, monotonicMs, sleep }: ClockOptions): ReplayClock {
  let [speed, isRunning] = [firstSpeed, true]
  /** The replayed time and the monotonic time at the last change of the clock. */
  let set = { atMs: fromMs, monotonicMs: monotonicMs() }
  const nowMs = (): EpochMs => {
    const gone = isRunning ? (monotonicMs() - set.monotonicMs) * speed : 0
    return Math.min(toMs, Math.floor(set.atMs + gone))
  }
  const setTo = (atMs: EpochMs) => {
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
