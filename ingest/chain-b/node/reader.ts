/** The interface to a node of chain B, at commitment `confirmed`. Addresses and signatures are in base58. */
import type { Block } from '../../../schemas/stage.ts'
import type { BlockHash, BlockNumber, EpochMs, TokenRaw } from '../../../schemas/units.ts'
import type { WireTransaction } from '../decode/transaction/wire.ts'

/** A range of slots. Both ends are included. */
export type SlotRange = Readonly<{ fromSlot: BlockNumber; toSlot: BlockNumber }>

/** The block of a slot. If `parentSlot` is not the slot just before, the slots between have no block. */
export type NodeBlock = Block & Readonly<{ parentSlot: BlockNumber; parentHash: BlockHash }>

/**
 * A transaction in a node's list. `index` is the index of the transaction in its slot, or null if the node
 * does not give it.
 */
export type ListedTransaction = Readonly<{ signature: string; slot: BlockNumber; index: number | null }>
export type NodeTransaction = ListedTransaction & Readonly<{ wire: WireTransaction }>
type WholeBlock = Readonly<{ block: NodeBlock; transactions: readonly NodeTransaction[] }>

/** The state of an account at the end of `slot`. `owner` is the program that owns the account, in base58. */
export type NodeAccount = Readonly<{ slot: BlockNumber; owner: string; bytes: Buffer }>
type TokenAccountBalance = Readonly<{ account: string; tokenRaw: TokenRaw }>

/**
 * Reads the chain from a node. Every call can fail with one of these codes:
 * - `node_unreachable`: no answer in any try, but a later call may succeed.
 * - `node_refused`: the node answered with an error.
 * - `node_inconsistent`: the answer is impossible.
 *
 * If the signal aborts, every call rejects with the signal's reason.
 */
export type ChainBReader = Readonly<{
  /** The host of the node's URL. Logs and errors may show it. */
  host: string
  headSlot(signal: AbortSignal): Promise<number>
  /** Returns the slots of the range that have a block, in ascending order. */
  slotsWithBlocks(range: SlotRange, signal: AbortSignal): Promise<readonly number[]>
  /** Null if the slot has no block. */
  block(slot: BlockNumber, signal: AbortSignal): Promise<NodeBlock | null>
  /** Reads a block with all its transactions. Returns null if the slot has no block. */
  wholeBlock(slot: BlockNumber, signal: AbortSignal): Promise<WholeBlock | null>
  /**
   * Lists the successful transactions in these slots that contain the address. The list is in chain order, if
   * the node gives the indexes of transactions. If the node has not reached the end of the range, the list
   * ends earlier.
   */
  listOf(address: string, range: SlotRange, signal: AbortSignal): Promise<readonly ListedTransaction[]>
  /**
   * Lists the same transactions as `listOf`, with their contents. Fails if the node has not reached the end of the range.
   */
  transactionsOf(address: string, range: SlotRange, signal: AbortSignal): Promise<readonly NodeTransaction[]>
  /**
   * Reads one transaction. Returns null if the node does not have the transaction, or if the transaction
   * failed.
   */
  transaction(signature: string, signal: AbortSignal): Promise<NodeTransaction | null>
  /**
   * Returns the oldest successful transaction that contains the address. Returns null if there is none, or if
   * too many pages of newer transactions come before it in the node's list.
   */
  oldestOf(address: string, signal: AbortSignal): Promise<OldestTransaction | null>
  /** Returns the state of an account, or null if there is no such account. */
  account(address: string, signal: AbortSignal): Promise<NodeAccount | null>
  /**
   * Returns the states of the accounts in the order of the addresses, with null for an address that has no
   * account.
   */
  accounts(addresses: readonly string[], signal: AbortSignal): Promise<readonly (NodeAccount | null)[]>
  /** Returns the 20 largest token accounts of a mint, largest first. */
  largestTokenAccounts(mint: string, signal: AbortSignal): Promise<readonly TokenAccountBalance[]>
}>

export type OldestTransaction = Readonly<{ signature: string; slot: BlockNumber; atMs: EpochMs | null }>
