/** The port that reads complete slots from a node. */

import type { BlockNumber } from '../../../schemas/units.ts'
import type { NodeBlock } from '../node/reader.ts'
import type { EventTransaction } from './read-events.ts'

/** A slot with all its transactions, linked to the previous block. */
export type LinkedSlot = Readonly<{ block: NodeBlock; transactions: readonly EventTransaction[] }>

/** Asks for up to `blockCountMax` blocks from the first slot on, at most up to the head. */
export type SlotRequest = Readonly<{ fromSlot: BlockNumber; head: number; blockCountMax: number }>

/**
 * The pools whose transactions count, in base58: the followed ones, and those that a transaction opens. A reader by
 * address must ask for each.
 */
export type PoolsOf = (transactions: Iterable<EventTransaction>) => readonly string[]

export type SlotReader = Readonly<{
  /**
   * The next complete slots, in order and without a gap. None if the next slot is not complete yet. Fails as the node's
   * reader does.
   */
  read(request: SlotRequest, poolsOf: PoolsOf, signal: AbortSignal): Promise<readonly LinkedSlot[]>
  /**
   * Forgets the kept reads, which contradict themselves or the log. Otherwise they serve another attempt at the same
   * first slot. An attempt at another slot forgets them too.
   */
  forget(): void
  /** Blocks in one range. One range is held in memory. */
  blockCountMax: number
  /** The work beside the reads, until the signal aborts. Never rejects. */
  run(signal: AbortSignal): Promise<void>
}>
