/**
 * The instants of hourly products, and when an edition can be made. Pure. An edition covers event time up to its instant. It can be
 * made once every input has passed the instant: a tick says that blocks are complete up to a later time.
 */

import { editionAgeMsMax } from '../schemas/hourly.ts'
import { type EpochMs, hourMs, minuteMs } from '../schemas/units.ts'

/** The progress of an input: the times of the first block that it ever closed, and of the newest. */
export type Reach = Readonly<{ firstBlockAtMs: EpochMs; newestBlockAtMs: EpochMs }>

export type EditionInstant = Readonly<{
  /** The edition covers events up to here. */
  toldAtMs: EpochMs
  /** When the last input passed that instant. The edition contains what was known by then. */
  knownAtMs: EpochMs
}>

/**
 * The newest whole hour that all inputs have passed. While no such hour is covered by all inputs, the newest whole minute. Null:
 * there is no such minute yet.
 */
export function newestInstant(inputs: readonly Reach[]): number | null {
  // The next block may carry the same time as the newest one.
  const completeAtMs = Math.min(...inputs.map(({ newestBlockAtMs }) => newestBlockAtMs)) - 1
  const sinceMs = Math.max(...inputs.map(({ firstBlockAtMs }) => firstBlockAtMs))
  const found = [hourMs, minuteMs].map((everyMs) => Math.floor(completeAtMs / everyMs) * everyMs)
  return found.find((atMs) => atMs >= sinceMs) ?? null
}

export type KnownBlock = Readonly<{ knownAtMs: EpochMs; blockAtMs: EpochMs }>

export type EditionsOfTicks = Readonly<{
  reach: Reach | null
  /** Ticks whose instant of knowledge may still get more ticks. */
  waiting: readonly KnownBlock[]
}>

/**
 * The editions of a product with one input that become due with ticks known before `toMs`, and the state to continue from. If one
 * instant of knowledge passes several, the newest counts. An edition that would be too old to be sold is left out.
 */
export function editionsBefore(
  toMs: EpochMs,
  { reach, waiting }: EditionsOfTicks,
): Readonly<{ due: readonly EditionInstant[]; next: EditionsOfTicks }> {
  const due: EditionInstant[] = []
  let reached = reach
  let toldAtMs = reached && newestInstant([reached])
  let index = 0
  for (; index < waiting.length; index++) {
    const { knownAtMs, blockAtMs } = waiting[index] as KnownBlock
    if (knownAtMs >= toMs) break
    reached = {
      firstBlockAtMs: reached?.firstBlockAtMs ?? blockAtMs,
      newestBlockAtMs: Math.max(reached?.newestBlockAtMs ?? blockAtMs, blockAtMs),
    }
    if (waiting[index + 1]?.knownAtMs === knownAtMs) continue
    const instant = newestInstant([reached])
    if (instant !== null && instant !== toldAtMs && knownAtMs - instant <= editionAgeMsMax)
      due.push({ toldAtMs: instant, knownAtMs })
    toldAtMs = instant
  }
  return { due, next: { reach: reached, waiting: waiting.slice(index) } }
}
