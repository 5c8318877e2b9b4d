/**
 * Divides the records of an append into blocks. A block is a group of records that is stored and read as a
 * whole.
 */

import type { EpochMs } from '../../schemas/units.ts'
import { type PackedBlock, type PackedRecord, packedSizeOf, packRecords } from './record-batch.ts'

/**
 * The target size of a block in bytes. A read returns whole blocks, so only small blocks keep the size of a
 * read near its limit `bytesMax`. A block with a single record may be larger.
 */
const blockBytesMax = 256 * 1024

/** A block without its first offset, which is known only when the block is written. */
export type UnplacedBlock = Omit<PackedBlock, 'firstOffset'>

/** Divides the records of one append to one partition into blocks, in order. */
export function packBlocks(records: readonly PackedRecord[], timestampMs: EpochMs): UnplacedBlock[] {
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
