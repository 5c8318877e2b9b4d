/** Finding one's place in a partition by its ticks. */
import type { Tick } from '../../schemas/tick.ts'
import { tickKey } from '../../schemas/topics.ts'
import { type FoundRecord, type Matches, readFirst, readLast } from './read-back.ts'
import type { PartitionReader } from './scan.ts'

const isTick: Matches = (batch, index) => batch.keyAt(index) === tickKey

/** The last committed tick of a partition; null: it holds none. */
export async function readLastTick(reader: PartitionReader): Promise<Tick | null> {
  return decodeTick(reader, await readLast(reader.log, reader, isTick))
}

/** The first tick still kept; null: there is none. */
export async function readFirstTick(reader: PartitionReader): Promise<Tick | null> {
  const { log, topic, partition } = reader
  const { startOffset: offset } = await log.bounds(topic, partition)
  return decodeTick(reader, await readFirst(log, { topic, partition, offset }, isTick))
}

/** Offsets apart at which halving would read the same blocks again. */
const nearCount = 64

/**
 * An offset from which on all ticks known at or after the instant are found: ticks stand in every partition and their
 * `knownAtMs` never falls, so halving finds it without reading what is older.
 */
export async function offsetKnownAt(reader: PartitionReader, knownAtMs: number): Promise<number> {
  const { log, topic, partition } = reader
  const { startOffset, endOffset } = await log.bounds(topic, partition)
  let low = startOffset
  let high = endOffset
  while (high - low > nearCount) {
    const middle = Math.floor((low + high) / 2)
    const tick = await decodeTick(reader, await readFirst(log, { topic, partition, offset: middle }, isTick))
    if (tick !== null && tick.knownAtMs < knownAtMs) low = middle
    else high = middle
  }
  return low
}

async function decodeTick({ codec }: PartitionReader, found: FoundRecord | null): Promise<Tick | null> {
  const value = found?.batch.valueAt(found.index)
  if (!value) return null
  await codec.load(value)
  return codec.decode(value).data as Tick
}
