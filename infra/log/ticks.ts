/**
 * Finds ticks and offsets in a partition. A tick is a record that closes a time step. Its `knownAtMs` is the
 * time at which the service knew the records before it.
 */
import type { Tick } from '../../schemas/tick.ts'
import { tickKey } from '../../schemas/topics.ts'
import type { EpochMs } from '../../schemas/units.ts'
import { type FoundRecord, type Matches, readFirst, readLast } from './read-back.ts'
import type { TypedPartition } from './scan.ts'

const isTick: Matches = (batch, index) => batch.keyAt(index) === tickKey

/** The last committed tick of a partition, or null. */
export async function readLastTick(source: TypedPartition): Promise<Tick | null> {
  return decodeTick(source, await readLast(source.log, source, isTick))
}

/** The first tick that is still kept, or null. */
export async function readFirstTick(source: TypedPartition): Promise<Tick | null> {
  const { log, topic, partition } = source
  const { startOffset: offset } = await log.bounds(topic, partition)
  return decodeTick(source, await readFirst(log, { topic, partition, offset }, isTick))
}

/**
 * The distance in offsets at which the binary search ends. At a smaller distance, each step would read the
 * same blocks again.
 */
const nearCount = 64

/**
 * Returns an offset before all ticks whose `knownAtMs` is this time or later. A binary search is possible,
 * because every partition has ticks and their `knownAtMs` never decreases.
 */
export async function offsetKnownAt(source: TypedPartition, knownAtMs: EpochMs): Promise<number> {
  const { log, topic, partition } = source
  const { startOffset, endOffset } = await log.bounds(topic, partition)
  let low = startOffset
  let high = endOffset
  while (high - low > nearCount) {
    const middle = Math.floor((low + high) / 2)
    const tick = await decodeTick(source, await readFirst(log, { topic, partition, offset: middle }, isTick))
    if (tick !== null && tick.knownAtMs < knownAtMs) low = middle
    else high = middle
  }
  return low
}

async function decodeTick({ codec }: TypedPartition, found: FoundRecord | null): Promise<Tick | null> {
  const value = found?.batch.valueAt(found.index)
  if (!value) return null
  await codec.load(value)
  return codec.decode(value).data as Tick
}
