/** Compaction of a partition: of each key only the newest record stays, and none where that has no value. Offsets stay. */
import { type PackedBlock, type PackedRecord, packRecords, RecordBatch } from './record-batch.ts'

export type Compaction = Readonly<{
  /** The block with what stays of it: itself when all does, null when nothing does. */
  compact(block: PackedBlock): PackedBlock | null
}>

/**
 * Goes once over all blocks of a partition, oldest first. The partition's last record always stays, even without a
 * value: a reader at any offset before the end finds a record, so it never waits for one that stood there already.
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
