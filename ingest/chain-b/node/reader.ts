/** The port to a node of chain B, at commitment `confirmed`. Addresses and signatures are in base58. */
import type { Block } from '../../../schemas/stage.ts'
import type { Hex } from '../../../schemas/units.ts'
import type { WireTransaction } from '../decode/transaction/wire.ts'

/** Both ends included. */
export type SlotRange = Readonly<{ fromSlot: number; toSlot: number }>

/** The block of a slot. Slots without a block are between it and its parent. */
export type NodeBlock = Block & Readonly<{ parentSlot: number; parentHash: Hex }>

/** `index`: its place in the slot; null where the node does not say it. */
export type ListedTransaction = Readonly<{ signature: string; slot: number; index: number | null }>
export type NodeTransaction = ListedTransaction & Readonly<{ wire: WireTransaction }>
type WholeBlock = Readonly<{ block: NodeBlock; transactions: readonly NodeTransaction[] }>

/** As of the end of that slot. */
export type NodeAccount = Readonly<{ slot: number; owner: string; bytes: Buffer }>
type TokenAccountBalance = Readonly<{ account: string; tokenRaw: bigint }>

/**
 * Every call fails with `node_unreachable` (away, slow or busy in all tries: it may succeed later), `node_refused` (answered
 * with an error) or `node_inconsistent` (an answer that cannot be), and rejects with the signal's reason when it aborts.
 */
export type ChainBReader = Readonly<{
  /** The hosts of its URLs, which may be shown. */
  host: string
  headSlot(signal: AbortSignal): Promise<number>
  /** The slots of the range that have a block, ascending. */
  slotsWithBlocks(range: SlotRange, signal: AbortSignal): Promise<readonly number[]>
  /** Null: the slot has no block. */
  block(slot: number, signal: AbortSignal): Promise<NodeBlock | null>
  /** With all its transactions that succeeded. */
  wholeBlock(slot: number, signal: AbortSignal): Promise<WholeBlock | null>
  /**
   * The transactions of the slots that name the address and succeeded, in chain order as far as the node says it. A node that
   * has not come to the end of the range lists what it has.
   */
  listOf(address: string, range: SlotRange, signal: AbortSignal): Promise<readonly ListedTransaction[]>
  /** The same with their contents, from a node that has come to the end of the range. */
  transactionsOf(address: string, range: SlotRange, signal: AbortSignal): Promise<readonly NodeTransaction[]>
  /** Null: the node has no such transaction, or it failed. */
  transaction(signature: string, signal: AbortSignal): Promise<NodeTransaction | null>
  /** The first that names the address and succeeded. Null: none, or more lie before it than a node is asked for. */
  oldestOf(address: string, signal: AbortSignal): Promise<OldestTransaction | null>
  /** Null: there is no such account. */
  account(address: string, signal: AbortSignal): Promise<NodeAccount | null>
  /** In the order of the addresses. */
  accounts(addresses: readonly string[], signal: AbortSignal): Promise<readonly (NodeAccount | null)[]>
  /** The 20 largest of a mint, largest first. */
  largestTokenAccounts(mint: string, signal: AbortSignal): Promise<readonly TokenAccountBalance[]>
}>

export type OldestTransaction = Readonly<{ signature: string; slot: number; atMs: number | null }>
