/**
 * Removes aborted batches from the answer to a fetch. A broker returns aborted records too, with a list of the aborted
 * transactions. The filter of kafkajs is not used, because it lets aborted records through in three cases:
 * - two aborted transactions overlap
 * - the list is not in order
 * - a record has a key of four zero bytes
 */
import type { StoredBatch } from './decode-batch.ts'

export type AbortedTransaction = Readonly<{ producerId: bigint; firstOffset: number }>

/** Yields the committed data batches in order. `aborted` may be in any order. */
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
