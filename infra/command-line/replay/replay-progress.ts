/**
 * Shows the progress of a replay on standard error. A terminal gets one line that is redrawn. A pipe gets
 * nothing.
 */
import { createLogUpdate } from 'log-update'
import type { ReplayProgress } from '../../replay/read-replay.ts'
import { timeText } from '../../replay/times.ts'

type Plan = Readonly<{
  to: number
  /**
   * The number of seconds of recorded time that the replay covers in 1 s of real time. Infinity if the replay
   * runs as fast as possible.
   */
  speed: number
}>

const redrawMs = 200

export function createReplayProgress(plan: Plan, stream: NodeJS.WriteStream) {
  const draw = stream.isTTY ? createLogUpdate(stream) : null
  const startedAtMs = performance.now()
  let drawnAtMs = Number.NEGATIVE_INFINITY
  let last: ReplayProgress | null = null
  const show = (position: ReplayProgress) => draw?.(progressText(plan, position, performance.now() - startedAtMs))
  return {
    say: (text: string) => void draw?.(text),
    reach(position: ReplayProgress) {
      last = position
      if (draw === null || performance.now() - drawnAtMs < redrawMs) return
      drawnAtMs = performance.now()
      show(position)
    },
    close() {
      if (last !== null) show(last)
      draw?.done()
    },
  }
}

/**
 * The progress of the replay as text. With a finite speed, the remaining time follows from that speed.
 * Otherwise, the remaining time is estimated from the elapsed time.
 */
export function progressText(
  { to, speed }: Plan,
  { knownAt, eventAt, records, share }: ReplayProgress,
  elapsedMs: number,
): string {
  const perSecond = elapsedMs > 0 ? Math.round((records * 1000) / elapsedMs) : 0
  const leftMs = Number.isFinite(speed) ? (to - knownAt) / speed : unpacedLeftMs(share, elapsedMs)
  const left =
    share >= 1 || knownAt >= to ? 'done' : leftMs === null ? 'time left unknown' : `${durationText(leftMs)} left`
  return [
    `${Math.floor(share * 100)} %`,
    `reached ${timeText(eventAt ?? knownAt)}`,
    `${records.toLocaleString('en')} records`,
    `${perSecond.toLocaleString('en')} a second`,
    left,
  ].join(', ')
}

/**
 * The estimated remaining time of a replay without a speed limit. Null while less than 1 % of the range has been read.
 */
const unpacedLeftMs = (share: number, elapsedMs: number): number | null =>
  share < 0.01 ? null : (elapsedMs * (1 - share)) / share

function durationText(durationMs: number): string {
  const seconds = Math.ceil(durationMs / 1000)
  const minutes = Math.floor(seconds / 60)
  if (minutes >= 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`
}
