/**
 * The layout of a block in LMDB: magic number and checksum (`infra/checked-bytes.ts`) · u32 count · f64 timestamp · u8
 * flag · offset deltas (u32 each, only if the flag is 1) · packed records. Integers are big-endian. Older blocks have
 * no magic number and no checksum.
 */
import type { TopicName } from '../../../schemas/topics.ts'
import { checkedHeaderBytes, isSealed, seal, unseal } from '../../checked-bytes.ts'
import type { UnplacedBlock } from '../pack-blocks.ts'
import type { PackedBlock } from '../record-batch.ts'

const headerBytes = 13

export type BlockPlace = Readonly<{ topic: TopicName; partition: number; firstOffset: number }>

export function encodeBlock(place: BlockPlace, { bytes, count, timestampMs, offsetDeltas }: UnplacedBlock): Buffer {
  const deltasAt = checkedHeaderBytes + headerBytes
  const recordsAt = deltasAt + (offsetDeltas ? count * 4 : 0)
  const stored = Buffer.allocUnsafe(recordsAt + bytes.length)
  stored.writeUInt32BE(count, checkedHeaderBytes)
  stored.writeDoubleBE(timestampMs, checkedHeaderBytes + 4)
  stored.writeUInt8(offsetDeltas ? 1 : 0, checkedHeaderBytes + 12)
  offsetDeltas?.forEach((delta, index) => {
    stored.writeUInt32BE(delta, deltasAt + index * 4)
  })
  bytes.copy(stored, recordsAt)
  return seal(nameOf(place), stored)
}

/**
 * Returns the block without copying its records. Null if the block is damaged. Only an old block
 * (`mayLackSum`) may lack the checksum. Such a block begins with its record count (u32). The first two bytes
 * of the count are zero, because 256 KiB contain fewer than 65,536 records. The magic number of a new block
 * does not begin with two zero bytes, even if one bit has flipped.
 */
export function decodeBlock(place: BlockPlace, stored: Buffer, mayLackSum: boolean): PackedBlock | null {
  const { firstOffset } = place
  const isOld = mayLackSum && !isSealed(stored)
  if (!isOld) {
    const body = unseal(nameOf(place), stored)
    return body && readBlock(firstOffset, body)
  }
  const beginsAsOld = stored.length >= headerBytes && stored.readUInt16BE(0) === 0 && stored.readUInt16BE(2) > 0
  return beginsAsOld ? readBlock(firstOffset, stored) : null
}

function readBlock(firstOffset: number, body: Buffer): PackedBlock {
  const count = body.readUInt32BE(0)
  const timestampMs = body.readDoubleBE(4)
  if (body.readUInt8(12) === 0) return { bytes: body.subarray(headerBytes), count, firstOffset, timestampMs }
  const offsetDeltas = Uint32Array.from({ length: count }, (_, index) => body.readUInt32BE(headerBytes + index * 4))
  return { bytes: body.subarray(headerBytes + count * 4), count, firstOffset, timestampMs, offsetDeltas }
}

const nameOf = ({ topic, partition, firstOffset }: BlockPlace): string => `block/${topic}/${partition}/${firstOffset}`
