/** The interface through which ingest reads complete slots from a node. */

import type { BlockNumber } from '../../../schemas/units.ts'
import type { NodeBlock } from '../node/reader.ts'
import type { EventTransaction } from './read-events.ts'

/**
 * A slot with those of its transactions that have events of the pump and PumpSwap programs. `block` has the
 * hash of the previous block.
 */
export type LinkedSlot = Readonly<{ block: NodeBlock; transactions: readonly EventTransaction[] }>

/** A request for up to `blockCountMax` blocks from `fromSlot` on, but none after the newest slot `head`. */
export type SlotRequest = Readonly<{ fromSlot: BlockNumber; head: number; blockCountMax: number }>

/**
 * Returns the pools whose trades ingest records, in base58: the followed pools, and the pools that one of the
 * given transactions opens. If slots are read by address, the reader must request the transactions of each of
 * these pools.
 */
export type PoolsOf = (transactions: Iterable<EventTransaction>) => readonly string[]

export type SlotReader = Readonly<{
  /**
   * Returns the next complete slots, in order and without a gap. Returns an empty list if the next slot is
   * not complete yet. Fails as `ChainBReader` does.
   */
  read(request: SlotRequest, poolsOf: PoolsOf, signal: AbortSignal): Promise<readonly LinkedSlot[]>
  /**
   * Forgets the cached reads. Call this if the reads contradict each other or the recorded slots. Otherwise,
   * the next attempt from the same slot uses the cached reads again.
   */
  forget(): void
  /** The maximum number of blocks that are read at a time. All of them are held in memory. */
  blockCountMax: number
  /** Runs the reader's background work, such as a subscription, until the signal aborts. Never rejects. */
  run(signal: AbortSignal): Promise<void>
}>
