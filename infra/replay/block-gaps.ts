/**
 * Finds the times in which a stage learned of no new block. A tick alone does not show that the source works: while a
 * node does not answer, ingest repeats the tick of the last block every second.
 *
 *   known at   0 s    1 s    2 s    ...    90 s    91 s
 *   block      7      8      8      8      8       70
 *                     └──────── gap ───────────────┘
 */
import type { Tick } from '../../schemas/tick.ts'
import { type EpochMs, minuteMs } from '../../schemas/units.ts'

/** A span of knowledge times, in epoch ms: `[from, to)`. */
export type BlockGap = Readonly<{ from: EpochMs; to: EpochMs }>

/** The longest time without a new block that is not a gap, in ms. A source that works has a new block within seconds. */
export const quietMsMax = minuteMs

export type BlockGaps = Readonly<{
  /** Notes the next tick of the stage. */
  note(tick: Tick): void
  /** Ends the range, and returns its gaps, the oldest first. */
  until(toMs: EpochMs): readonly BlockGap[]
}>

/** The range begins at `fromMs`. The block of its first tick counts as new, although it may be older than the range. */
export function createBlockGaps(fromMs: EpochMs): BlockGaps {
  const gaps: BlockGap[] = []
  let newestAtMs = fromMs
  let last: Tick | null = null
  const reach = (atMs: EpochMs) => {
    if (atMs - newestAtMs > quietMsMax) gaps.push({ from: newestAtMs, to: atMs })
    newestAtMs = atMs
  }
  return {
    note(tick) {
      if (last === null || !isSameBlock(last, tick)) reach(tick.knownAtMs)
      last = tick
    },
    until(toMs) {
      reach(toMs)
      return gaps
    },
  }
}

const isSameBlock = (left: Tick, right: Tick): boolean =>
  left.blockNumber === right.blockNumber && left.blockHash === right.blockHash && left.blockAtMs === right.blockAtMs
