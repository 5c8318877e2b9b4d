/**
 * Decides which slots are complete when ingest reads slots by address. The node's list shows which
 * transactions of the launch program (pump) exist. Their contents come from the subscription or from the
 * node.
 */

import type { BlockNumber } from '../../../schemas/units.ts'
import { inconsistent } from '../node/failures.ts'
import type { ListedTransaction, NodeBlock } from '../node/reader.ts'
import type { PendingTransaction } from './pending-transactions.ts'
import type { EventTransaction } from './read-events.ts'
import type { LinkedSlot } from './slot-reader.ts'

/**
 * The distance from the newest slot at which the node's list of a slot counts as complete, in slots. 32 slots
 * take about 13 s. At this distance, the list is complete even if it contains no later slot.
 */
export const quietSlots = 32

/**
 * Returns the last slot whose list is complete. A node writes its list slot by slot, somewhat behind its
 * newest slot. So an entry of a later slot proves that the list of all earlier slots is complete.
 */
export function completeUpTo(listed: readonly ListedTransaction[], head: number): number {
  const newest = listed.reduce((latest, { slot }) => Math.max(latest, slot), 0)
  return Math.max(Math.min(newest, head) - 1, head - quietSlots)
}

export type Sorted = Readonly<{
  /** The listed transactions whose contents the subscription has sent. */
  sent: readonly SlottedTransaction[]
  /**
   * The listed transactions that the subscription did not send. After a fork of the chain, the subscription
   * may have sent them with another slot.
   */
  missing: readonly ListedTransaction[]
  /**
   * Transactions that the subscription sent, but the node's list lacks. Either a reorg replaced their block,
   * or the list is incomplete.
   */
  unlisted: readonly PendingTransaction[]
}>

export type SlottedTransaction = Readonly<{ slot: BlockNumber; transaction: EventTransaction }>

/**
 * Compares the node's list with the transactions that the subscription sent for the same slots. The index of
 * each transaction in its slot comes from the list.
 */
export function sortOut(listed: readonly ListedTransaction[], held: readonly PendingTransaction[]): Sorted {
  const heldBy = new Map(held.map((each) => [each.transaction.signature, each]))
  const sent: SlottedTransaction[] = []
  const missing: ListedTransaction[] = []
  for (const each of listed) {
    const found = heldBy.get(each.signature)
    heldBy.delete(each.signature)
    if (found?.slot === each.slot) sent.push({ slot: each.slot, transaction: numbered(found.transaction, each.index) })
    else missing.push(each)
  }
  return { sent, missing, unlisted: [...heldBy.values()] }
}

export const numbered = (transaction: EventTransaction, index: number | null): EventTransaction =>
  index === null ? transaction : { ...transaction, index }

/**
 * Groups the transactions by slot. If a signature occurs several times, the last of these transactions is
 * kept.
 */
export function toSlots(
  blocks: readonly NodeBlock[],
  transactions: readonly SlottedTransaction[],
): readonly LinkedSlot[] {
  const slots = new Map(blocks.map((block) => [block.number, new Map<string, EventTransaction>()]))
  for (const { slot, transaction } of transactions) {
    const inSlot = slots.get(slot)
    if (!inSlot) throw inconsistent(`the node listed a transaction of slot ${slot}, which has no block`)
    inSlot.set(transaction.signature, transaction)
  }
  return blocks.map((block) => ({ block, transactions: [...(slots.get(block.number)?.values() ?? [])] }))
}
