/**
 * Limits how many slots may be restated (recorded again with missing facts). After a restatement, the
 * processors compute again from before the earliest restated slot. If restatements overlap, the earliest slot
 * stays the same. So overlapping restatements share one limit. Otherwise each computation could be longer
 * than the previous one.
 */
import type { Block } from '../../../schemas/stage.ts'
import type { BlockNumber } from '../../../schemas/units.ts'

type Head = Pick<Block, 'number'>

export type RestatedRun = Readonly<{
  /** Whether the slots from `fromSlot` to the last recorded slot (`head`) may be restated. */
  allows(fromSlot: BlockNumber, head: Head): boolean
  /** Records that these slots are restated. */
  note(fromSlot: BlockNumber, head: Head): void
}>

export function createRestatedRun(slotsMax: number): RestatedRun {
  /** The first slot of the overlapping restatements, and the last slot of the newest one. */
  let run = { fromSlot: Number.NEGATIVE_INFINITY, toSlot: Number.NEGATIVE_INFINITY }
  const startOf = (fromSlot: BlockNumber) => (fromSlot > run.toSlot ? fromSlot : Math.min(run.fromSlot, fromSlot))
  return {
    allows: (fromSlot, { number }) => number - startOf(fromSlot) < slotsMax,
    note(fromSlot, { number }) {
      run = { fromSlot: startOf(fromSlot), toSlot: number }
    },
  }
}
