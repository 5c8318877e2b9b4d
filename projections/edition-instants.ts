/**
 * Of which instants hourly products tell, and when they can: pure. An edition tells of event time up to its instant. It can be
 * made once every input has passed the instant: a tick says that blocks are complete up to a later time.
 */

import { editionAgeMsMax } from '../schemas/hourly.ts'
import { hourMs, minuteMs } from '../schemas/units.ts'

/** How far an input has come: the time of the first block that it ever closed, and of the newest. */
export type Reach = Readonly<{ firstBlockAtMs: number; newestBlockAtMs: number }>

export type EditionInstant = Readonly<{
  /** What happened up to here is told. */
  toldAtMs: number
  /** When the last input passed it: what was known by then is what the edition knows. */
  knownAtMs: number
}>

/**
 * The newest whole hour that all inputs have passed; until there is one that all of them tell of, the newest whole minute. Null:
 * there is no such minute yet.
 */
export function newestInstant(inputs: readonly Reach[]): number | null {
  // The next block may carry the same time as the newest one.
  const completeAtMs = Math.min(...inputs.map(({ newestBlockAtMs }) => newestBlockAtMs)) - 1
  const sinceMs = Math.max(...inputs.map(({ firstBlockAtMs }) => firstBlockAtMs))
  const found = [hourMs, minuteMs].map((everyMs) => Math.floor(completeAtMs / everyMs) * everyMs)
  return found.find((atMs) => atMs >= sinceMs) ?? null
}

export type KnownBlock = Readonly<{ knownAtMs: number; blockAtMs: number }>

export type EditionsOfTicks = Readonly<{
  reach: Reach | null
  /** Ticks whose instant of knowledge may still have more. */
  waiting: readonly KnownBlock[]
}>

/**
 * The editions of a product with one input that become possible with its ticks known before `toMs`, and what to go on from.
 * Several may pass with one instant of knowledge: the newest counts. One that would be too old to be sold is left out.
 */
export function editionsBefore(
  toMs: number,
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
