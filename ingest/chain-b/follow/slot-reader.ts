/** How complete slots are had from a node. */
import type { NodeBlock } from '../node/reader.ts'
import type { EventTransaction } from './read-events.ts'

/** A slot of which nothing is missing, with its link to the one before it. */
export type LinkedSlot = Readonly<{ block: NodeBlock; transactions: readonly EventTransaction[] }>

/** Up to `blockCountMax` blocks from the first slot on, as far as the head allows. */
export type SlotRequest = Readonly<{ fromSlot: number; head: number; blockCountMax: number }>

/**
 * The pools whose transactions count, in base58: those that are followed, and those that a transaction opens. A reader that
 * reads by address asks for them.
 */
export type PoolsOf = (transactions: Iterable<EventTransaction>) => readonly string[]

export type SlotReader = Readonly<{
  /**
   * The next slots that are complete, in order and without a gap; none if the next is not complete yet. Fails as the reader of
   * the node does.
   */
  read(request: SlotRequest, poolsOf: PoolsOf, signal: AbortSignal): Promise<readonly LinkedSlot[]>
  /**
   * What was read is kept for another attempt at the same first slot. It is forgotten at another one, and here, when it
   * contradicts itself or the log.
   */
  forget(): void
  /** Blocks in one range: what is read at once is held in memory. */
  blockCountMax: number
  /** What goes on beside the reading, until the signal aborts. Never rejects. */
  run(signal: AbortSignal): Promise<void>
}>
