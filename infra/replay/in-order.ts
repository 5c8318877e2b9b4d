/**
 * The total order of records, in which causes come before results. Records are ordered by:
 * - the time at which the service knew them
 * - kind: facts, then derived records, then the tick
 * - block, and position in the block
 * - topic, partition and offset
 */

import type { BlockNumber, EpochMs } from '../../schemas/units.ts'
import type { Instant } from './instants.ts'
import type { ReplayedRecord } from './replayed-record.ts'

/**
 * The block of a fact, and the place of the fact in that block. Records without a block and derived records
 * have `noPlace`. They stay in the order of their partition.
 */
export type Place = readonly [blockAtMs: EpochMs, blockNumber: BlockNumber, txIndex: number, logIndex: number]

export const noPlace: Place = [Number.MAX_SAFE_INTEGER, 0, 0, 0]

export type RankedRecord = Readonly<{ record: ReplayedRecord; rank: 0 | 1 | 2; place: Place }>

/** Orders two records of the same instant. */
export function compareInInstant(left: RankedRecord, right: RankedRecord): number {
  return (
    left.rank - right.rank ||
    comparePlaces(left.place, right.place) ||
    compareText(left.record.topic, right.record.topic) ||
    left.record.partition - right.record.partition ||
    left.record.offset - right.record.offset
  )
}

function comparePlaces(left: Place, right: Place): number {
  for (const [index, value] of left.entries()) {
    const difference = value - (right[index] as number)
    if (difference !== 0) return difference
  }
  return 0
}

const compareText = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0)

/**
 * A partition with its next instant (the records that became known at the same time). The instant is null
 * after the last one.
 */
type Head<Source> = { readonly source: Source; readonly instants: AsyncIterator<Instant>; next: Instant | null }

export type InstantOf<Source> = Readonly<{ source: Source; instant: Instant }>

/**
 * Merges the instants of all partitions, oldest first. An instant is the group of records that became known
 * at the same time. Keeps one instant of each partition in memory. At its end, the merge also ends the
 * readers of all partitions.
 */
export async function* mergeInstants<Source>(
  parts: readonly Readonly<{ source: Source; instants: AsyncIterator<Instant> }>[],
): AsyncGenerator<readonly InstantOf<Source>[]> {
  const heads: Head<Source>[] = parts.map((part) => ({ ...part, next: null }))
  const advance = async (head: Head<Source>) => {
    const { done, value } = await head.instants.next()
    head.next = done ? null : value
  }
  try {
    await Promise.all(heads.map(advance))
    for (;;) {
      const knownAt = Math.min(...heads.map(({ next }) => next?.knownAt ?? Number.POSITIVE_INFINITY))
      if (knownAt === Number.POSITIVE_INFINITY) return
      const due = heads.filter(({ next }) => next?.knownAt === knownAt)
      yield due.map(({ source, next }) => ({ source, instant: next as Instant }))
      await Promise.all(due.map(advance))
    }
  } finally {
    await Promise.all(heads.map(({ instants }) => instants.return?.()))
  }
}
