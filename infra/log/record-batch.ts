/**
 * Records packed in one buffer, as the embedded log stores them and every adapter hands them out: reading the log makes
 * no object per record, and whoever needs only some fields of a value decodes in place.
 *
 * Layout, repeated: u32 value length (0xffffffff: null) · u16 key length · key (UTF-8) · value. Big-endian.
 */
const headerBytes = 6
const nullLength = 0xffffffff

export type PackedRecord = Readonly<{ key: string; value: Buffer | null }>

export function packRecords(records: readonly PackedRecord[]): Buffer {
  let size = 0
  for (const { key, value } of records) size += headerBytes + Buffer.byteLength(key) + (value?.length ?? 0)
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

/** Records appended together: their packed bytes, the offset of the first, and when they were appended. */
export type PackedBlock = Readonly<{
  bytes: Buffer
  count: number
  firstOffset: number
  timestampMs: number
}>

export class RecordBatch {
  readonly count: number
  /** Where a reader goes on after this batch. */
  readonly nextOffset: number
  /** The packed buffer; valid as long as the batch is held. */
  readonly bytes: Buffer
  readonly #firstOffset: number
  readonly #timestampMs: number
  readonly #starts: Int32Array

  /** `block` describes the packed buffer; the batch leaves out what stands before `fromOffset`. */
  constructor(block: PackedBlock, fromOffset = block.firstOffset) {
    const skipped = Math.max(0, fromOffset - block.firstOffset)
    this.bytes = block.bytes
    this.count = block.count - skipped
    this.nextOffset = block.firstOffset + block.count
    this.#firstOffset = block.firstOffset + skipped
    this.#timestampMs = block.timestampMs
    this.#starts = startsOf(block).subarray(skipped)
  }

  offsetAt(index: number): number {
    return this.#firstOffset + index
  }

  /** When the record was appended, epoch ms: information, never an input of a rule. */
  timestampMsAt(_index: number): number {
    return this.#timestampMs
  }

  keyAt(index: number): string {
    const start = this.#start(index)
    return this.bytes.toString('latin1', start + headerBytes, start + headerBytes + this.bytes.readUInt16BE(start + 4))
  }

  /** A view into `bytes`, not a copy. */
  valueAt(index: number): Buffer | null {
    const start = this.#start(index)
    const length = this.bytes.readUInt32BE(start)
    if (length === nullLength) return null
    const valueStart = start + headerBytes + this.bytes.readUInt16BE(start + 4)
    return this.bytes.subarray(valueStart, valueStart + length)
  }

  #start(index: number): number {
    const start = this.#starts[index]
    if (start === undefined) throw new RangeError(`record ${index} of a batch of ${this.count}`)
    return start
  }
}

function startsOf({ bytes, count }: PackedBlock): Int32Array {
  const starts = new Int32Array(count)
  let at = 0
  for (let index = 0; index < count; index++) {
    starts[index] = at
    const length = bytes.readUInt32BE(at)
    at += headerBytes + bytes.readUInt16BE(at + 4) + (length === nullLength ? 0 : length)
  }
  return starts
}
