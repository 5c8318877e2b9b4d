/**
 * A block as bytes in LMDB: u32 count · f64 timestamp · u8 1 if offset deltas follow (u32 each) · packed records.
 * Big-endian.
 */
import type { UnplacedBlock } from '../pack-blocks.ts'
import type { PackedBlock } from '../record-batch.ts'

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
