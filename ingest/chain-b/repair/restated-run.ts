/**
 * How far back the log may be restated. Stages fold again from before the first slot of all restatements that overlap, so
 * those are bounded together: else a loss that goes on for hours would make each fold longer than the one before.
 */
import type { Block } from '../../../schemas/stage.ts'

type Head = Pick<Block, 'number'>

export type RestatedRun = Readonly<{
  /** Whether the slots from this one up to the head may be restated. */
  allows(fromSlot: number, head: Head): boolean
  /** They are restated. */
  note(fromSlot: number, head: Head): void
}>

export function createRestatedRun(slotsMax: number): RestatedRun {
  /** The first slot of the restatements that overlap, and the head of the last one. */
  let run = { fromSlot: Number.NEGATIVE_INFINITY, toSlot: Number.NEGATIVE_INFINITY }
  const startOf = (fromSlot: number) => (fromSlot > run.toSlot ? fromSlot : Math.min(run.fromSlot, fromSlot))
  return {
    allows: (fromSlot, { number }) => number - startOf(fromSlot) < slotsMax,
    note(fromSlot, { number }) {
      run = { fromSlot: startOf(fromSlot), toSlot: number }
    },
  }
}
