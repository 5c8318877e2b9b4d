/**
 * Records packed in one buffer. The embedded log stores records in this form, and every adapter returns this
 * form. Reading creates no object for each record. A reader that needs only some fields of a value decodes
 * these fields in place.
 *
 * The layout of each record: u32 value length (0xffffffff: null) · u16 key length · key (UTF-8) · value.
 * Integers are big-endian.
 */

import type { EpochMs } from '../../schemas/units.ts'
import { TextCache } from '../codec/avro/text-cache.ts'

const headerBytes = 6
const nullLength = 0xffffffff

/** The maximum length of a key in bytes, which is stored in 16 bits. */
export const keyBytesMax = 0xffff

export type PackedRecord = Readonly<{ key: string; value: Buffer | null }>

export const packedSizeOf = ({ key, value }: PackedRecord): number =>
  headerBytes + Buffer.byteLength(key) + (value?.length ?? 0)

export function packRecords(records: readonly PackedRecord[]): Buffer {
  let size = 0
  for (const record of records) size += packedSizeOf(record)
  const bytes = Buffer.allocUnsafe(size)
  let at = 0
  for (const { key, value } of records) {
    const keyLength = bytes.write(key, at + headerBytes)
    bytes.writeUInt32BE(value === null ? nullLength : value.length, at)
    bytes.writeUInt16BE(keyLength, at + 4)
    at += headerBytes + keyLength
    if (value !== null) at += value.copy(bytes, at)
  }
  return bytes
}

/** Records that were appended together. */
export type PackedBlock = Readonly<{
  bytes: Buffer
  count: number
  firstOffset: number
  timestampMs: EpochMs
  /** The offset of each record minus `firstOffset`, rising. Present if the offsets have gaps. */
  offsetDeltas?: Uint32Array
}>

export class RecordBatch {
  readonly count: number
  /** The offset at which the next read continues. */
  readonly nextOffset: number
  /** The packed buffer. A reference to it keeps all records of the batch in memory. */
  readonly bytes: Buffer
  readonly view: DataView
  readonly #block: PackedBlock
  readonly #fromOffset: number
  readonly #firstIndex: number
  readonly #starts: Int32Array

  /** Creates a batch with those records of the block whose offsets are in `[fromOffset, untilOffset)`. */
  constructor(block: PackedBlock, fromOffset = block.firstOffset, untilOffset = Number.POSITIVE_INFINITY) {
    this.#block = block
    this.#fromOffset = fromOffset
    this.#firstIndex = indexOfOffset(block, fromOffset)
    this.bytes = block.bytes
    this.count = Math.max(0, indexOfOffset(block, untilOffset) - this.#firstIndex)
    this.nextOffset = Math.min(untilOffset, offsetAfter(block))
    this.view = new DataView(this.bytes.buffer, this.bytes.byteOffset, this.bytes.length)
    this.#starts = startsOf(this.view, block.count)
  }

  offsetAt(index: number): number {
    const { firstOffset, offsetDeltas } = this.#block
    const blockIndex = this.#firstIndex + index
    return firstOffset + (offsetDeltas ? (offsetDeltas[blockIndex] ?? 0) : blockIndex)
  }

  /**
   * The time at which the record was appended, in epoch ms. It is for information only, and no rule may depend on it.
   */
  timestampMsAt(_index: number): EpochMs {
    return this.#block.timestampMs
  }

  keyAt(index: number): string {
    const start = this.#start(index) + headerBytes
    return keys.textOf(this, start, this.valueStartAt(index))
  }

  /** The value as a part of `bytes`, without a copy. Null if the record has no value. */
  valueAt(index: number): Buffer | null {
    return this.isNullAt(index) ? null : this.bytes.subarray(this.valueStartAt(index), this.valueEndAt(index))
  }

  isNullAt(index: number): boolean {
    return this.view.getUint32(this.#start(index)) === nullLength
  }

  /** The offset in `bytes` at which the value begins, for code that reads the value in place. */
  valueStartAt(index: number): number {
    const start = this.#start(index)
    return start + headerBytes + this.view.getUint16(start + 4)
  }

  /** The offset in `bytes` at which the value ends and the next record begins. */
  valueEndAt(index: number): number {
    const length = this.view.getUint32(this.#start(index))
    return this.valueStartAt(index) + (length === nullLength ? 0 : length)
  }

  /** The batch without the records at and after an offset. */
  before(untilOffset: number): RecordBatch {
    return untilOffset >= this.nextOffset ? this : new RecordBatch(this.#block, this.#fromOffset, untilOffset)
  }

  #start(index: number): number {
    const start = index < this.count ? this.#starts[this.#firstIndex + index] : undefined
    if (start === undefined) throw new RangeError(`there is no record ${index}: the batch has ${this.count} records`)
    return start
  }
}

export function offsetAfter({ firstOffset, count, offsetDeltas }: PackedBlock): number {
  return firstOffset + (offsetDeltas ? (offsetDeltas[count - 1] ?? -1) + 1 : count)
}

/** The index of the first record at or after the offset. It is `count` if all records are before the offset. */
function indexOfOffset({ firstOffset, count, offsetDeltas }: PackedBlock, offset: number): number {
  if (!offsetDeltas) return Math.min(count, Math.max(0, offset - firstOffset))
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >>> 1
    if (firstOffset + (offsetDeltas[middle] ?? 0) < offset) low = middle + 1
    else high = middle
  }
  return low
}

function startsOf(view: DataView, count: number): Int32Array {
  const starts = new Int32Array(count)
  let at = 0
  for (let index = 0; index < count; index++) {
    starts[index] = at
    const length = view.getUint32(at)
    at += headerBytes + view.getUint16(at + 4) + (length === nullLength ? 0 : length)
  }
  return starts
}

/** The texts of keys are cached, because most records have the key of one of a few tokens. */
const keys = new TextCache((bytes, start, end) => bytes.toString('utf8', start, end))
