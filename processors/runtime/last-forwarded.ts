/** The output partition is its own commit record: its last committed tick says how far the task got. */
import { OperationError } from '../../infra/errors.ts'
import type { Log } from '../../infra/log/log.ts'
import type { RecordBatch } from '../../infra/log/record-batch.ts'
import type { SchemaCodec } from '../../infra/schema-codec.ts'
import type { ChainADerivedRecord } from '../../schemas/chain-a/derived.ts'
import type { Tick } from '../../schemas/chain-a/facts.ts'
import { decodeForeign, decodeKnown } from './decode-record.ts'
import { derivedTopic } from './task.ts'

/** Null: the task never committed. Fails with `record_corrupt` when the partition does not end with a tick, as every commit does. */
export async function lastForwardedTick(
  log: Log,
  codec: SchemaCodec<ChainADerivedRecord>,
  partition: number,
): Promise<Tick | null> {
  const last = await lastRecord(log, partition)
  if (last === null) return null
  const position = { topic: derivedTopic, partition, offset: last.offset } as const
  const record =
    decodeKnown(codec, last.value, position) ?? (await decodeForeign(codec, last.value as Buffer, position))
  if (record.type === 'Tick') return record.data
  throw new OperationError('record_corrupt', `${derivedTopic}/${partition} ends with a ${record.type}, not a tick`, {
    context: { topic: derivedTopic, partition, offset: last.offset },
  })
}

type LastRecord = Readonly<{ value: Buffer | null; offset: number }>

/** Steps back from the end by growing distances: offsets can have holes, so the last record may stand anywhere before it. */
async function lastRecord(log: Log, partition: number): Promise<LastRecord | null> {
  const { startOffset, endOffset } = await log.bounds(derivedTopic, partition)
  for (let distance = 1; ; distance *= 64) {
    const from = Math.max(startOffset, endOffset - distance)
    const found = await lastFrom(log, partition, from)
    if (found !== null || from === startOffset) return found
  }
}

async function lastFrom(log: Log, partition: number, from: number): Promise<LastRecord | null> {
  let last: LastRecord | null = null
  let offset = from
  for (;;) {
    const batches = await log.read({ topic: derivedTopic, partition, offset })
    if (batches.length === 0) return last
    for (const batch of batches) last = lastOf(batch) ?? last
    offset = (batches.at(-1) as RecordBatch).nextOffset
  }
}

const lastOf = (batch: RecordBatch): LastRecord | null =>
  batch.count === 0 ? null : { value: batch.valueAt(batch.count - 1), offset: batch.offsetAt(batch.count - 1) }
