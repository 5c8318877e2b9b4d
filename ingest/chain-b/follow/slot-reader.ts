/** The port that reads complete slots from a node. */

import type { BlockNumber } from '../../../schemas/units.ts'
import type { NodeBlock } from '../node/reader.ts'
import type { EventTransaction } from './read-events.ts'

/** A slot with its transactions that have events of our programs. `block` has the hash of the previous block. */
export type LinkedSlot = Readonly<{ block: NodeBlock; transactions: readonly EventTransaction[] }>

/** Requests up to `blockCountMax` blocks from `fromSlot` on, but none after `head`. */
export type SlotRequest = Readonly<{ fromSlot: BlockNumber; head: number; blockCountMax: number }>

/**
 * Returns the pools whose transactions count, in base58. These are the followed pools, and the pools that one
 * of the given transactions opens. If slots are read by address, the transactions of each of these pools must
 * be requested.
 */
export type PoolsOf = (transactions: Iterable<EventTransaction>) => readonly string[]

export type SlotReader = Readonly<{
  /**
   * Returns the next complete slots, in order and without a gap. Empty if the next slot is not complete yet. Fails as
   * `ChainBReader` does.
   */
  read(request: SlotRequest, poolsOf: PoolsOf, signal: AbortSignal): Promise<readonly LinkedSlot[]>
  /**
   * Forgets the cached reads. Call this if the reads contradict each other or the log. Without this call, the
   * next attempt from the same slot uses the cached reads again.
   */
  forget(): void
  /** The maximum number of blocks in one range. A whole range is held in memory. */
  blockCountMax: number
  /** Runs the reader's background work, such as a subscription, until the signal aborts. Never rejects. */
  run(signal: AbortSignal): Promise<void>
}>
