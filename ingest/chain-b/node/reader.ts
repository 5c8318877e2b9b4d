/** The port to a node of chain B, at commitment `confirmed`. Addresses and signatures are in base58. */
import type { Block } from '../../../schemas/stage.ts'
import type { BlockHash, BlockNumber, EpochMs, TokenRaw } from '../../../schemas/units.ts'
import type { WireTransaction } from '../decode/transaction/wire.ts'

/** Both ends are included. */
export type SlotRange = Readonly<{ fromSlot: BlockNumber; toSlot: BlockNumber }>

/** The block of a slot. Slots without a block are between it and its parent. */
export type NodeBlock = Block & Readonly<{ parentSlot: BlockNumber; parentHash: BlockHash }>

/** `index`: its index in the slot. Null if the node does not give it. */
export type ListedTransaction = Readonly<{ signature: string; slot: BlockNumber; index: number | null }>
export type NodeTransaction = ListedTransaction & Readonly<{ wire: WireTransaction }>
type WholeBlock = Readonly<{ block: NodeBlock; transactions: readonly NodeTransaction[] }>

/** The state at the end of that slot. */
export type NodeAccount = Readonly<{ slot: BlockNumber; owner: string; bytes: Buffer }>
type TokenAccountBalance = Readonly<{ account: string; tokenRaw: TokenRaw }>

/**
 * Every call fails with `node_unreachable` (away, slow or busy in all tries: it may succeed later), `node_refused`
 * (answered with an error) or `node_inconsistent` (an impossible answer). Rejects with the signal's reason when it
 * aborts.
 */
export type ChainBReader = Readonly<{
  /** The hosts of its URLs, which may be shown. */
  host: string
  headSlot(signal: AbortSignal): Promise<number>
  /** The slots of the range that have a block, ascending. */
  slotsWithBlocks(range: SlotRange, signal: AbortSignal): Promise<readonly number[]>
  /** Null if the slot has no block. */
  block(slot: BlockNumber, signal: AbortSignal): Promise<NodeBlock | null>
  /** The block with all its transactions that succeeded. Null if the slot has no block. */
  wholeBlock(slot: BlockNumber, signal: AbortSignal): Promise<WholeBlock | null>
  /**
   * The successful transactions in these slots that name the address, in chain order as far as the node gives it. A
   * node that has not reached the end of the range lists what it has.
   */
  listOf(address: string, range: SlotRange, signal: AbortSignal): Promise<readonly ListedTransaction[]>
  /** The same with their contents, from a node that has reached the end of the range. */
  transactionsOf(address: string, range: SlotRange, signal: AbortSignal): Promise<readonly NodeTransaction[]>
  /** Null if the node has no such transaction, or it failed. */
  transaction(signature: string, signal: AbortSignal): Promise<NodeTransaction | null>
  /**
   * The first successful transaction that names the address. Null if there is none, or too many pages lie before it.
   */
  oldestOf(address: string, signal: AbortSignal): Promise<OldestTransaction | null>
  /** Null if there is no such account. */
  account(address: string, signal: AbortSignal): Promise<NodeAccount | null>
  /** In the order of the addresses. */
  accounts(addresses: readonly string[], signal: AbortSignal): Promise<readonly (NodeAccount | null)[]>
  /** The 20 largest accounts of a mint, largest first. */
  largestTokenAccounts(mint: string, signal: AbortSignal): Promise<readonly TokenAccountBalance[]>
}>

export type OldestTransaction = Readonly<{ signature: string; slot: BlockNumber; atMs: EpochMs | null }>
