/**
 * Leaves out what was rolled back. A broker hands out aborted records too, up to the last stable offset, and lists the
 * aborted transactions beside them. Done here, by batch: the client's own filter lets aborted records through where two
 * aborted transactions overlap, where the list is not in order, and after a record whose key is four zero bytes.
 */
import type { StoredBatch } from './decode-batch.ts'

export type AbortedTransaction = Readonly<{ producerId: bigint; firstOffset: number }>

/** The data batches that are committed, in order. `aborted` may come in any order. */
export function* committedBatches(
  batches: Iterable<StoredBatch>,
  aborted: readonly AbortedTransaction[],
): Generator<StoredBatch, void, undefined> {
  const upcoming = [...aborted].sort((left, right) => left.firstOffset - right.firstOffset)
  const aborting = new Set<bigint>()
  for (const batch of batches) {
    let first = upcoming[0]
    while (first && first.firstOffset < batch.nextOffset) {
      aborting.add(first.producerId)
      upcoming.shift()
      first = upcoming[0]
    }
    if (batch.control !== null) {
      if (batch.control === 'abort') aborting.delete(batch.producerId)
    } else if (!batch.isTransactional || !aborting.has(batch.producerId)) yield batch
  }
}
