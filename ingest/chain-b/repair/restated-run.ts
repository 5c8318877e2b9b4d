/**
 * Limits how far back the log may be restated. After overlapping restatements, stages compute again from
 * before the earliest restated slot. So overlapping restatements share one limit. Otherwise each computation
 * could be longer than the previous one.
 */
import type { Block } from '../../../schemas/stage.ts'
import type { BlockNumber } from '../../../schemas/units.ts'

type Head = Pick<Block, 'number'>

export type RestatedRun = Readonly<{
  /** Whether the slots from `fromSlot` to the head may be restated. */
  allows(fromSlot: BlockNumber, head: Head): boolean
  /** Records that these slots are restated. */
  note(fromSlot: BlockNumber, head: Head): void
}>

export function createRestatedRun(slotsMax: number): RestatedRun {
  /** The first slot of the overlapping restatements, and the head of the last one. */
  let run = { fromSlot: Number.NEGATIVE_INFINITY, toSlot: Number.NEGATIVE_INFINITY }
  const startOf = (fromSlot: BlockNumber) => (fromSlot > run.toSlot ? fromSlot : Math.min(run.fromSlot, fromSlot))
  return {
    allows: (fromSlot, { number }) => number - startOf(fromSlot) < slotsMax,
    note(fromSlot, { number }) {
      run = { fromSlot: startOf(fromSlot), toSlot: number }
    },
  }
}
