/** Records of one append to one partition, cut into blocks, and the form in which a block is stored. */
import { type PackedBlock, type PackedRecord, packedSizeOf, packRecords } from '../record-batch.ts'

/** Big appends are cut about here, so that a read can stop near its `bytesMax`. One record may still be larger. */
const blockBytesMax = 256 * 1024

export type UnplacedBlock = Omit<PackedBlock, 'firstOffset'>

/** The blocks of an append in order. Their offsets are known only once the writer holds the partition. */
export function packBlocks(records: readonly PackedRecord[], timestampMs: number): UnplacedBlock[] {
  const blocks: UnplacedBlock[] = []
  let from = 0
  let size = 0
  const cut = (until: number) => {
    if (until === from) return
    blocks.push({ bytes: packRecords(records.slice(from, until)), count: until - from, timestampMs })
    from = until
    size = 0
  }
  records.forEach((record, index) => {
    const recordBytes = packedSizeOf(record)
    if (size + recordBytes > blockBytesMax) cut(index)
    size += recordBytes
  })
  cut(records.length)
  return blocks
}

export function countOf(blocks: readonly UnplacedBlock[]): number {
  return blocks.reduce((sum, { count }) => sum + count, 0)
}

/** u32 count · f64 timestamp · u8 1 where offset deltas follow (u32 each) · the packed records. Big-endian. */
const headerBytes = 13

export function encodeBlock({ bytes, count, timestampMs, offsetDeltas }: UnplacedBlock): Buffer {
  const bodyAt = headerBytes + (offsetDeltas ? count * 4 : 0)
  const stored = Buffer.allocUnsafe(bodyAt + bytes.length)
  stored.writeUInt32BE(count, 0)
  stored.writeDoubleBE(timestampMs, 4)
  stored.writeUInt8(offsetDeltas ? 1 : 0, 12)
  offsetDeltas?.forEach((delta, index) => {
    stored.writeUInt32BE(delta, headerBytes + index * 4)
  })
  bytes.copy(stored, bodyAt)
  return stored
}

export function decodeBlock(firstOffset: number, stored: Buffer): PackedBlock {
  const count = stored.readUInt32BE(0)
  const timestampMs = stored.readDoubleBE(4)
  if (stored.readUInt8(12) === 0) return { bytes: stored.subarray(headerBytes), count, firstOffset, timestampMs }
  const offsetDeltas = Uint32Array.from({ length: count }, (_, index) => stored.readUInt32BE(headerBytes + index * 4))
  return { bytes: stored.subarray(headerBytes + count * 4), count, firstOffset, timestampMs, offsetDeltas }
}
