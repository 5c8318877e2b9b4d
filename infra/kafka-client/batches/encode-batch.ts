/**
 * Encodes records as one Kafka record batch (format 2), uncompressed. All records are written into one buffer, because
 * an encoder object for each record would cost ten times as much.
 */
import type { PackedRecord } from '../../log/record-batch.ts'
import { crc32c } from './crc32c.ts'

export type BatchOrigin = Readonly<{
  producerId: bigint
  producerEpoch: number
  /** The first record's sequence number within its partition and epoch. */
  firstSequence: number
  isTransactional: boolean
  timestampMs: number
}>

export const batchHeaderBytes = 61
const crcAt = 17
const attributesAt = 21
const transactionalFlag = 0x10

/** The maximum number of bytes that the record takes in a batch. */
export const batchSizeOf = ({ key, value }: PackedRecord): number =>
  // 24 bytes are enough for record length, attributes, two deltas, key length, value length and header count. A varint
  // takes at most 5 bytes.
  24 + Buffer.byteLength(key) + (value?.length ?? 0)

export function encodeBatch(records: readonly PackedRecord[], origin: BatchOrigin): Buffer {
  let sizeMax = batchHeaderBytes
  for (const record of records) sizeMax += batchSizeOf(record)
  const bytes = Buffer.allocUnsafe(sizeMax)
  let at = batchHeaderBytes
  for (let index = 0; index < records.length; index++)
    at = writeRecord(bytes, at, { ...(records[index] as PackedRecord), index })
  const batch = bytes.subarray(0, at)
  writeHeader(batch, records.length, origin)
  return batch
}

function writeHeader(batch: Buffer, count: number, origin: BatchOrigin): void {
  batch.writeBigInt64BE(0n, 0)
  batch.writeInt32BE(batch.length - 12, 8)
  batch.writeInt32BE(-1, 12)
  batch.writeInt8(2, 16)
  batch.writeInt16BE(origin.isTransactional ? transactionalFlag : 0, attributesAt)
  batch.writeInt32BE(count - 1, 23)
  batch.writeBigInt64BE(BigInt(origin.timestampMs), 27)
  batch.writeBigInt64BE(BigInt(origin.timestampMs), 35)
  batch.writeBigInt64BE(origin.producerId, 43)
  batch.writeInt16BE(origin.producerEpoch, 51)
  batch.writeInt32BE(origin.firstSequence, 53)
  batch.writeInt32BE(count, 57)
  batch.writeUInt32BE(crc32c(batch, attributesAt), crcAt)
}

function writeRecord(bytes: Buffer, at: number, record: PackedRecord & Readonly<{ index: number }>): number {
  const { key, value, index } = record
  const keyBytes = Buffer.byteLength(key)
  const valueBytes = value?.length ?? -1
  const bodyBytes =
    3 + varintBytes(index) + varintBytes(keyBytes) + keyBytes + varintBytes(valueBytes) + Math.max(0, valueBytes)
  let next = writeVarint(bytes, at, bodyBytes)
  // The record has no attributes, and it has the timestamp of the batch.
  bytes[next++] = 0
  bytes[next++] = 0
  next = writeVarint(bytes, next, index)
  next = writeVarint(bytes, next, keyBytes)
  next += bytes.write(key, next)
  next = writeVarint(bytes, next, valueBytes)
  if (value !== null) next += value.copy(bytes, next)
  // The record has no headers.
  bytes[next++] = 0
  return next
}

/** Writes a zigzag varint. The number must have at most 31 bits. */
function writeVarint(bytes: Buffer, at: number, value: number): number {
  let rest = ((value << 1) ^ (value >> 31)) >>> 0
  let next = at
  while (rest > 127) {
    bytes[next++] = (rest & 127) | 128
    rest >>>= 7
  }
  bytes[next++] = rest
  return next
}

function varintBytes(value: number): number {
  let rest = ((value << 1) ^ (value >> 31)) >>> 0
  let count = 1
  while (rest > 127) {
    count++
    rest >>>= 7
  }
  return count
}
