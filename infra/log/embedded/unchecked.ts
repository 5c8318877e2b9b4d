/** The notice to the operator about records that were written before blocks had checksums. */
import { readBounds } from './read.ts'
import type { IndexedStore } from './store.ts'

/**
 * The number of records whose blocks may have no checksum. Compaction adds a checksum to the blocks that it rewrites,
 * but their records are counted too.
 */
export function countUnchecked(store: IndexedStore): number {
  let count = 0
  for (const { name: topic, partitionCount } of Object.values(store.topicTable))
    for (let partition = 0; partition < partitionCount; partition++) {
      const { checkedFrom } = store.index.coverageOf(topic, partition)
      if (checkedFrom > 0) count += Math.max(0, checkedFrom - readBounds(store, topic, partition).startOffset)
    }
  return count
}

/** The text of the notice. Null if every record has a checksum. */
export const noticeOf = (count: number): string | null =>
  count === 0
    ? null
    : `${count.toLocaleString('en')} records of the log have no checksums, because an earlier version wrote them. The service does not detect damage to these records`
