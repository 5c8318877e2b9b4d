/** Divides a large append to the log into several produce requests, which are sent one after another. */
import type { PackedRecord } from '../../log/record-batch.ts'
import type { RecordGroup } from '../producer.ts'
import { batchSizeOf } from './encode-batch.ts'

/**
 * The target size of a batch, in bytes. A read returns whole batches, so only small batches keep the size of
 * a read near its limit `bytesMax`.
 */
const batchBytesMax = 256 * 1024

/**
 * Divides the records of each group into batches. A group has the records of one partition. Round 1 contains
 * the first batch of every partition, round 2 the next batch, and so on.
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
