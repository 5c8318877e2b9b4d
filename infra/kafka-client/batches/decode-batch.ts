/**
 * Decodes the record batches of a fetch response, and packs their records in the layout that the log uses
 * (`PackedBlock`).
 */
import { gunzipSync } from 'node:zlib'
import { OperationError } from '../../errors.ts'
import { keyBytesMax, type PackedBlock } from '../../log/record-batch.ts'
import { batchHeaderBytes } from './encode-batch.ts'

export type StoredBatch = Readonly<{
  firstOffset: number
  /** The offset after the last record of the batch, even if compaction has removed that record. */
  nextOffset: number
  timestampMs: number
  producerId: bigint
  isTransactional: boolean
  /** The type of a control batch, which ends a transaction and has no data. Null for a data batch. */
  control: 'commit' | 'abort' | 'other' | null
  recordCount: number
  compression: number
  /** The records as the broker stores them. This buffer is a part of the response. */
  body: Buffer
}>

/**
 * Yields the complete batches of a fetched record set. Skips a partial batch at the end, because a size limit
 * may cut the set.
 */
export function* storedBatches(recordSet: Buffer): Generator<StoredBatch, void, undefined> {
  let at = 0
  while (at + batchHeaderBytes <= recordSet.length) {
    const end = at + 12 + recordSet.readInt32BE(at + 8)
    if (end > recordSet.length) return
    if (end - at < batchHeaderBytes)
      throw corrupt(`has ${end - at} bytes, but its header alone has ${batchHeaderBytes}`)
    yield storedBatch(recordSet.subarray(at, end))
    at = end
  }
}

function storedBatch(bytes: Buffer): StoredBatch {
  const magic = bytes.readInt8(16)
  if (magic !== 2) throw corrupt(`has the format ${magic}, but only format 2 is supported`)
  const attributes = bytes.readInt16BE(21)
  const firstOffset = Number(bytes.readBigInt64BE(0))
  const body = bytes.subarray(batchHeaderBytes)
  return {
    firstOffset,
    nextOffset: firstOffset + bytes.readInt32BE(23) + 1,
    timestampMs: Number(bytes.readBigInt64BE(35)),
    producerId: bytes.readBigInt64BE(43),
    isTransactional: (attributes & 0x10) !== 0,
    control: (attributes & 0x20) === 0 ? null : controlOf(body),
    recordCount: bytes.readInt32BE(57),
    compression: attributes & 7,
    body,
  }
}

/**
 * Returns the type of a control batch. The key of its record has two bytes for a version and two bytes for the type.
 */
function controlOf(body: Buffer): 'commit' | 'abort' | 'other' {
  if (body.length === 0) return 'other'
  const cursor = { at: 0 }
  readVarint(body, cursor)
  cursor.at++
  skipVarint(body, cursor)
  readVarint(body, cursor)
  readVarint(body, cursor)
  if (cursor.at + 4 > body.length) throw corrupt('has a control record without a type')
  const type = body.readInt16BE(cursor.at + 2)
  return type === 0 ? 'abort' : type === 1 ? 'commit' : 'other'
}

/**
 * The minimum size of a record in bytes: one byte each for length, attributes, timestamp, offset, key length, value
 * length and header count.
 */
const recordBytesMin = 7

/**
 * Returns the records of a data batch as a `PackedBlock`. Null if compaction left no record. Copies the whole
 * batch out of the response one time, and packs the records inside that copy. A second copy of each record
 * would take longer than the rest of the decoding.
 */
export function packBatch(batch: StoredBatch): PackedBlock | null {
  const { firstOffset, timestampMs, recordCount, nextOffset } = batch
  if (recordCount === 0) return null
  const bytes = ownBody(batch)
  if (recordCount < 0 || recordCount * recordBytesMin > bytes.length)
    throw corrupt(`has ${bytes.length} bytes, which do not fit its ${recordCount} records`)
  const deltas = new Uint32Array(recordCount)
  const read = { at: 0, end: 0 }
  let written = 0
  for (let index = 0; index < recordCount; index++) {
    const length = readVarint(bytes, read)
    read.end = read.at + length
    if (length < 0 || read.end > bytes.length) throw corrupt(`has a record with the wrong length of ${length} bytes`)
    read.at++
    skipVarint(bytes, read)
    deltas[index] = readVarint(bytes, read)
    written = packRecord(bytes, read, written)
    read.at = read.end
  }
  const isDense = deltas[recordCount - 1] === recordCount - 1 && firstOffset + recordCount === nextOffset
  const packed = { bytes: bytes.subarray(0, written), count: recordCount, firstOffset, timestampMs }
  return isDense ? packed : { ...packed, offsetDeltas: deltas }
}

/**
 * Packs one record at `written`, and returns the end of the packed record. Apart from key and value, a stored
 * record has at least seven bytes, and a packed record has six. So packing never overwrites records that are
 * still to be read. The header is written last, because it can overwrite the old place of the key.
 */
function packRecord(bytes: Buffer, read: { at: number; end: number }, written: number): number {
  // A record of another producer may have no key.
  const keyLength = Math.max(0, readVarint(bytes, read))
  if (keyLength > keyBytesMax)
    throw corrupt(`has a key of ${keyLength} bytes, which is over the limit of ${keyBytesMax} bytes`)
  const keyAt = read.at
  read.at += keyLength
  const valueLength = readVarint(bytes, read)
  if (read.at + Math.max(0, valueLength) >= read.end)
    throw corrupt('has a record that is shorter than its key and value')
  const valueAt = written + 6 + keyLength
  bytes.copyWithin(written + 6, keyAt, keyAt + keyLength)
  if (valueLength > 0) bytes.copyWithin(valueAt, read.at, read.at + valueLength)
  bytes.writeUInt32BE(valueLength < 0 ? 0xffffffff : valueLength, written)
  bytes.writeUInt16BE(keyLength, written + 4)
  return valueAt + Math.max(0, valueLength)
}

/**
 * The uncompressed records of a batch in a separate buffer. Our producers do not compress. Other producers may
 * compress, and only gzip is supported.
 */
function ownBody({ body, compression, firstOffset }: StoredBatch): Buffer {
  if (compression === 0) {
    const bytes = Buffer.allocUnsafeSlow(body.length)
    body.copy(bytes)
    return bytes
  }
  if (compression === 1) return unzipped(body)
  throw corrupt(`at offset ${firstOffset} has the compression codec ${compression}. Only gzip (codec 1) is supported`)
}

/**
 * The maximum size of an uncompressed batch in bytes, which is far above the size of real batches. Without a limit, an
 * answer could unpack to a thousand times its size.
 */
const unzippedBytesMax = 64 << 20

function unzipped(body: Buffer): Buffer {
  try {
    return gunzipSync(body, { maxOutputLength: unzippedBytesMax })
  } catch (error) {
    throw corrupt(`cannot be unpacked: ${error instanceof Error ? error.message : error}`)
  }
}

function readVarint(bytes: Buffer, cursor: { at: number }): number {
  let value = 0
  for (let shift = 0; shift < 35; shift += 7) {
    const byte = bytes[cursor.at++]
    if (byte === undefined) throw corrupt('ends in the middle of a record')
    value |= (byte & 127) << shift
    if (byte < 128) return (value >>> 1) ^ -(value & 1)
  }
  throw corrupt('has an invalid length field')
}

function skipVarint(bytes: Buffer, cursor: { at: number }): void {
  while ((bytes[cursor.at++] ?? 0) > 127);
}

const corrupt = (what: string): OperationError =>
  new OperationError('record_corrupt', `a record batch from the broker ${what}`)
