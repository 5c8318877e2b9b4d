/** Cuts a large append into requests. */
import type { PackedRecord } from '../../log/record-batch.ts'
import type { RecordGroup } from '../producer.ts'
import { batchSizeOf } from './encode-batch.ts'

/** The target size of a batch, so that a read can stop near its `bytesMax`. */
const batchBytesMax = 256 * 1024

/** Round n has the n-th batch of every partition that has one. */
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
