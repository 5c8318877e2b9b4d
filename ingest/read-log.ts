/** Reading back what the log already holds: scans, the last tick, and where a time begins. */
import type { Log } from '../infra/log/log.ts'
import type { RecordBatch } from '../infra/log/record-batch.ts'
import type { SchemaCodec } from '../infra/schema-codec.ts'
import type { Tick } from '../schemas/chain-a/facts.ts'
import type { TopicName } from '../schemas/topics.ts'

type TopicCodec = SchemaCodec<{ type: string; data: object }>

export type PartitionReader = Readonly<{ log: Log; topic: TopicName; partition: number; codec: TopicCodec }>

type StoredRecord = Readonly<{ key: string; value: Buffer | null }>

type Visit = (record: StoredRecord) => 'stop' | undefined

/**
 * Calls `visit` for every committed record from the offset on, until it answers `stop`. Returns where to go on.
 * Schemas that an older version wrote are fetched before their first record is visited.
 */
export async function scan(reader: PartitionReader, fromOffset: number, visit: Visit): Promise<number> {
  const { log, topic, partition } = reader
  const loadedIds = new Set<number>()
  let offset = fromOffset
  for (;;) {
    const batches = await log.read({ topic, partition, offset })
    if (batches.length === 0) return offset
    for (const batch of batches) {
      await loadSchemas(reader, batch, loadedIds)
      for (let index = 0; index < batch.count; index++)
        if (visit({ key: batch.keyAt(index), value: batch.valueAt(index) }) === 'stop') return batch.offsetAt(index) + 1
      offset = batch.nextOffset
    }
  }
}

/** Ahead of the records, so that no record of millions is waited for alone. */
async function loadSchemas({ codec }: PartitionReader, batch: RecordBatch, loadedIds: Set<number>): Promise<void> {
  for (let index = 0; index < batch.count; index++) {
    const value = batch.valueAt(index)
    if (!value || value.length < schemaHeaderBytes) continue
    const id = value.readUInt32BE(1)
    if (loadedIds.has(id)) continue
    await codec.load(value)
    loadedIds.add(id)
  }
}

/** 0x00 and the schema id; a shorter value is refused when it is decoded. */
const schemaHeaderBytes = 5

/** The data of a record of this type. Null: it has no value or is of another type, which costs no decoding. */
export function dataOf<Data>({ codec }: PartitionReader, type: string, value: Buffer | null): Data | null {
  return value !== null && codec.typeOf(value) === type ? (codec.decode(value).data as Data) : null
}

/** Looks at this many records first, then four times as many, and so on: behind the last tick stand only answers. */
const lookBackCount = 64

/** The last committed tick of a partition; null: it holds none. */
export async function readLastTick(reader: PartitionReader): Promise<Tick | null> {
  const { startOffset, endOffset } = await reader.log.bounds(reader.topic, reader.partition)
  for (let count = lookBackCount; ; count *= 4) {
    const fromOffset = Math.max(startOffset, endOffset - count)
    let last: Tick | null = null
    await scan(reader, fromOffset, ({ value }) => {
      last = dataOf<Tick>(reader, 'Tick', value) ?? last
      return undefined
    })
    if (last !== null || fromOffset === startOffset) return last
  }
}

/**
 * An offset from which on all ticks known at or after the instant are found: ticks stand in every partition and their
 * `knownAtMs` never falls, so halving finds it without reading what is older.
 */
export async function offsetKnownAt(reader: PartitionReader, knownAtMs: number): Promise<number> {
  const { startOffset, endOffset } = await reader.log.bounds(reader.topic, reader.partition)
  let low = startOffset
  let high = endOffset
  while (high - low > lookBackCount) {
    const middle = Math.floor((low + high) / 2)
    const tick = await firstTick(reader, middle)
    if (tick !== null && tick.knownAtMs < knownAtMs) low = middle
    else high = middle
  }
  return low
}

async function firstTick(reader: PartitionReader, fromOffset: number): Promise<Tick | null> {
  let found: Tick | null = null
  await scan(reader, fromOffset, ({ value }) => {
    found = dataOf<Tick>(reader, 'Tick', value)
    return found ? 'stop' : undefined
  })
  return found
}
