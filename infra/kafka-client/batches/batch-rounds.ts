/** Cuts a large append into requests. */
import type { PartitionGroup } from '../../log/append.ts'
import type { NewRecord } from '../../log/log.ts'
import { batchSizeOf } from './encode-batch.ts'

/** An append is cut into batches of about this, so that a read can stop near its `bytesMax`. */
const batchBytesMax = 256 * 1024

/** The n-th batch of each partition goes with the n-th of the others. */
export function* roundsOf(groups: readonly PartitionGroup[]): Generator<readonly PartitionGroup[]> {
  let rest = groups
  while (rest.length > 0) {
    const next: PartitionGroup[] = []
    yield rest.map((group) => {
      const count = countOfBatch(group.records)
      if (count === group.records.length) return group
      next.push({ ...group, records: group.records.slice(count) })
      return { ...group, records: group.records.slice(0, count) }
    })
    rest = next
  }
}

function countOfBatch(records: readonly NewRecord[]): number {
  let bytes = 0
  for (const [index, record] of records.entries()) {
    bytes += batchSizeOf(record)
    if (bytes > batchBytesMax && index > 0) return index
  }
  return records.length
}
