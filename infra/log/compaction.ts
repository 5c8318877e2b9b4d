/**
 * Compaction: keeps only the newest record of each key. If the newest record has no value, no record of the key is
 * kept. Offsets do not change.
 */
import { type PackedBlock, type PackedRecord, packRecords, RecordBatch } from './record-batch.ts'

export type Compaction = Readonly<{
  /**
   * Returns the block with its remaining records. Returns the same block if all records remain, and null if
   * no record remains.
   */
  compact(block: PackedBlock): PackedBlock | null
}>

/**
 * Plans the compaction of a partition from all its blocks, oldest first. The last record of the partition always stays,
 * even without a value. So a reader at any offset before the end finds a record and does not wait.
 */
export function planCompaction(blocks: Iterable<PackedBlock>): Compaction {
  const newest = new Map<string, number>()
  let lastOffset = -1
  for (const block of blocks) {
    const batch = new RecordBatch(block)
    for (let index = 0; index < batch.count; index++) {
      lastOffset = batch.offsetAt(index)
      newest.set(batch.keyAt(index), lastOffset)
    }
  }
  const stays = (offset: number, { key, value }: PackedRecord) =>
    offset === lastOffset || (value !== null && newest.get(key) === offset)
  return { compact: (block) => keepOf(block, stays) }
}

function keepOf(block: PackedBlock, stays: (offset: number, record: PackedRecord) => boolean): PackedBlock | null {
  const batch = new RecordBatch(block)
  const kept: PackedRecord[] = []
  const deltas: number[] = []
  for (let index = 0; index < batch.count; index++) {
    const offset = batch.offsetAt(index)
    const record = { key: batch.keyAt(index), value: batch.valueAt(index) }
    if (!stays(offset, record)) continue
    kept.push(record)
    deltas.push(offset - block.firstOffset)
  }
  if (kept.length === batch.count) return block
  if (kept.length === 0) return null
  const { firstOffset, timestampMs } = block
  const offsetDeltas = Uint32Array.from(deltas)
  return { bytes: packRecords(kept), count: kept.length, firstOffset, timestampMs, offsetDeltas }
}
