/**
 * Computes the whole hours or minutes up to which results are computed (editions). An edition can be made as
 * soon as every input has passed this time. A tick with a later block time shows that all earlier blocks are
 * complete. The functions are pure.
 */

import { editionAgeMsMax } from '../schemas/hourly.ts'
import { type EpochMs, hourMs, minuteMs } from '../schemas/units.ts'

/** The progress of an input: the block times of its first and newest ticks. */
export type Reach = Readonly<{ firstBlockAtMs: EpochMs; newestBlockAtMs: EpochMs }>

export type EditionInstant = Readonly<{
  /** The edition covers events up to this block time. */
  coveredUntilMs: EpochMs
  /**
   * The time at which the service knew that the last input had passed `coveredUntilMs`. The edition contains
   * what was known at that time.
   */
  knownAtMs: EpochMs
}>

/**
 * Returns the newest whole hour that all inputs have passed. If this hour is before the first block of an
 * input, the result is the newest whole minute. Returns null if this minute is also before that block.
 */
export function newestInstant(inputs: readonly Reach[]): number | null {
  // The next block may have the same time as the newest block, so only earlier times are complete.
  const completeAtMs = Math.min(...inputs.map(({ newestBlockAtMs }) => newestBlockAtMs)) - 1
  const sinceMs = Math.max(...inputs.map(({ firstBlockAtMs }) => firstBlockAtMs))
  const found = [hourMs, minuteMs].map((everyMs) => Math.floor(completeAtMs / everyMs) * everyMs)
  return found.find((atMs) => atMs >= sinceMs) ?? null
}

export type KnownBlock = Readonly<{ knownAtMs: EpochMs; blockAtMs: EpochMs }>

export type EditionsOfTicks = Readonly<{
  reach: Reach | null
  /** The ticks that are not yet part of `reach`, because not all partitions have reached them. */
  waiting: readonly KnownBlock[]
}>

/**
 * Computes which editions (hourly results) of one input are due with the ticks known until `untilMs`. Also
 * returns the state for the next call. If ticks with the same `knownAtMs` pass several hours, only the newest
 * hour gets an edition. An edition that is already too old to be sold is left out.
 */
export function editionsUntil(
  untilMs: EpochMs,
  { reach, waiting }: EditionsOfTicks,
): Readonly<{ due: readonly EditionInstant[]; next: EditionsOfTicks }> {
  const due: EditionInstant[] = []
  let reached = reach
  let coveredUntilMs = reached && newestInstant([reached])
  let index = 0
  for (; index < waiting.length; index++) {
    const { knownAtMs, blockAtMs } = waiting[index] as KnownBlock
    if (knownAtMs > untilMs) break
    reached = {
      firstBlockAtMs: reached?.firstBlockAtMs ?? blockAtMs,
      newestBlockAtMs: Math.max(reached?.newestBlockAtMs ?? blockAtMs, blockAtMs),
    }
    if (waiting[index + 1]?.knownAtMs === knownAtMs) continue
    const instant = newestInstant([reached])
    if (instant !== null && instant !== coveredUntilMs && knownAtMs - instant <= editionAgeMsMax)
      due.push({ coveredUntilMs: instant, knownAtMs })
    coveredUntilMs = instant
  }
  return { due, next: { reach: reached, waiting: waiting.slice(index) } }
}
