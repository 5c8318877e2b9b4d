/** Cuts a large append into several requests, which are sent one after another. */
import type { PackedRecord } from '../../log/record-batch.ts'
import type { RecordGroup } from '../producer.ts'
import { batchSizeOf } from './encode-batch.ts'

/**
 * The target size of a batch, in bytes. A read returns whole batches, so with small batches a read can stop near its
 * `bytesMax`.
 */
const batchBytesMax = 256 * 1024

/**
 * Cuts the records of each group into batches. Round n contains the n-th batch of every partition with at least n
 * batches.
 */
export function* roundsOf(groups: readonly RecordGroup[]): Generator<readonly RecordGroup[]> {
  let rest = groups
  while (rest.length > 0) {
    const next: RecordGroup[] = []
    yield rest.map((group) => {
      const count = countOfBatch(group.records)
      if (count === group.records.length) return group
      next.push({ ...group, records: group.records.slice(count) })
      return { ...group, records: group.records.slice(0, count) }
    })
    rest = next
  }
}

function countOfBatch(records: readonly PackedRecord[]): number {
  let bytes = 0
  for (const [index, record] of records.entries()) {
    bytes += batchSizeOf(record)
    if (bytes > batchBytesMax && index > 0) return index
  }
  return records.length
}
