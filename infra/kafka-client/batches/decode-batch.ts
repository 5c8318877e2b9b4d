/** Record batches as a broker hands them out: their headers, which of them are committed, and their records packed as ours. */
import { gunzipSync } from 'node:zlib'
import { OperationError } from '../../errors.ts'
import { keyBytesMax, type PackedBlock } from '../../log/record-batch.ts'
import { batchHeaderBytes } from './encode-batch.ts'

export type StoredBatch = Readonly<{
  firstOffset: number
  /** The one after its last, also where compaction has removed that record. */
  nextOffset: number
  timestampMs: number
  producerId: bigint
  isTransactional: boolean
  /** Of a control batch, else null: it ends a producer's transaction and holds no record of anyone's. */
  control: 'commit' | 'abort' | 'other' | null
  recordCount: number
  compression: number
  /** The records, as stored. A view: valid as long as the response is held. */
  body: Buffer
}>

/** The whole batches in a fetched record set; a part of one at the end, which a size limit leaves, is left out. */
export function* storedBatches(recordSet: Buffer): Generator<StoredBatch, void, undefined> {
  let at = 0
  while (at + batchHeaderBytes <= recordSet.length) {
    const end = at + 12 + recordSet.readInt32BE(at + 8)
    if (end > recordSet.length) return
    yield storedBatch(recordSet.subarray(at, end))
    at = end
  }
}

function storedBatch(bytes: Buffer): StoredBatch {
  const magic = bytes.readInt8(16)
  if (magic !== 2) throw corrupt(`a record batch of format ${magic}`)
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

/** The key of a control record is its version and its type. */
function controlOf(body: Buffer): 'commit' | 'abort' | 'other' {
  if (body.length === 0) return 'other'
  const cursor = { at: 0 }
  readVarint(body, cursor)
  cursor.at++
  skipVarint(body, cursor)
  readVarint(body, cursor)
  readVarint(body, cursor)
  const type = body.readInt16BE(cursor.at + 2)
  return type === 0 ? 'abort' : type === 1 ? 'commit' : 'other'
}

/**
 * The records of a data batch in our layout, copied out of the response; null where compaction left none. Copied as a whole
 * and then packed where they stand: two copies for each record would take longer than all else that is done here.
 */
export function packBatch(batch: StoredBatch): PackedBlock | null {
  const { firstOffset, timestampMs, recordCount, nextOffset } = batch
  if (recordCount === 0) return null
  const bytes = ownBody(batch)
  const deltas = new Uint32Array(recordCount)
  const read = { at: 0 }
  let written = 0
  for (let index = 0; index < recordCount; index++) {
    const length = readVarint(bytes, read)
    const end = read.at + length
    read.at++
    skipVarint(bytes, read)
    deltas[index] = readVarint(bytes, read)
    written = packRecord(bytes, read, written)
    read.at = end
  }
  const isDense = deltas[recordCount - 1] === recordCount - 1 && firstOffset + recordCount === nextOffset
  const packed = { bytes: bytes.subarray(0, written), count: recordCount, firstOffset, timestampMs }
  return isDense ? packed : { ...packed, offsetDeltas: deltas }
}

/**
 * A stored record has at least seven bytes around its key and value, a packed one six: what is written never reaches what
 * is still to be read, when key and value move before the head is written.
 */
function packRecord(bytes: Buffer, read: { at: number }, written: number): number {
  // A foreign record may have no key.
  const keyLength = Math.max(0, readVarint(bytes, read))
  if (keyLength > keyBytesMax) throw corrupt(`a key of ${keyLength} bytes`)
  const keyAt = read.at
  read.at += keyLength
  const valueLength = readVarint(bytes, read)
  const valueAt = written + 6 + keyLength
  bytes.copyWithin(written + 6, keyAt, keyAt + keyLength)
  if (valueLength > 0) bytes.copyWithin(valueAt, read.at, read.at + valueLength)
  bytes.writeUInt32BE(valueLength < 0 ? 0xffffffff : valueLength, written)
  bytes.writeUInt16BE(keyLength, written + 4)
  return valueAt + Math.max(0, valueLength)
}

/** We write uncompressed; a foreign writer may have used the one codec that Node brings along. */
function ownBody({ body, compression, firstOffset }: StoredBatch): Buffer {
  if (compression === 0) {
    const bytes = Buffer.allocUnsafeSlow(body.length)
    body.copy(bytes)
    return bytes
  }
  if (compression === 1) return gunzipSync(body)
  throw corrupt(`the batch at offset ${firstOffset} is compressed in a way (${compression}) that is not supported`)
}

function readVarint(bytes: Buffer, cursor: { at: number }): number {
  let value = 0
  for (let shift = 0; shift < 35; shift += 7) {
    const byte = bytes[cursor.at++]
    if (byte === undefined) throw corrupt('a record batch that ends inside a record')
    value |= (byte & 127) << shift
    if (byte < 128) return (value >>> 1) ^ -(value & 1)
  }
  throw corrupt('a record batch with a length that is none')
}

function skipVarint(bytes: Buffer, cursor: { at: number }): void {
  while ((bytes[cursor.at++] ?? 0) > 127);
}

const corrupt = (what: string): OperationError => new OperationError('record_corrupt', `the broker sent ${what}`)
