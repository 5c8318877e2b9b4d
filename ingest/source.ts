/** The port behind which the outside world stands: a real node, the simulator, a recording. */

import type { ChainAAddress, CurveAddress, PoolAddress } from '../schemas/chain-a/addresses.ts'
import type { ChainAFact } from '../schemas/chain-a/facts.ts'
import type { Hex } from '../schemas/units.ts'

export type BlockHeader = Readonly<{
  number: number
  hash: Hex
  atMs: number
}>

/** All that happened in blocks `[fromBlock, head.number]`, complete, in chain order (block, log index). */
export type FactRange = Readonly<{
  /**
   * What was told of blocks from this one on does not count any more, and this range, which begins with it, tells them
   * again: the chain was reverted, or the node had left out a log. Its head may lie before the last one.
   */
  revertedFrom?: number
  fromBlock: number
  head: BlockHeader
  facts: readonly TokenFact[]
  /** What the address book learns in this range; written to it before the facts. */
  newAddresses: readonly ChainAAddress[]
  /** Keys of the book that stand for something else by now: on a new branch a position NFT may be of another pool. */
  staleAddresses?: readonly string[]
  /** The chain's newest block when the range was read, where the source knows it: how far there is to go. */
  chainHeadNumber?: number
}>

/** A fact and the token whose partition it goes to, lower case. */
export type TokenFact = Readonly<{ token: Hex; fact: ChainAFact }>

export type KnownAddresses = Readonly<{
  pools: ReadonlyMap<string, PoolAddress>
  /** The pool of each position NFT, by its number. */
  positions: ReadonlyMap<string, Hex>
  curves: ReadonlyMap<string, CurveAddress>
}>

/** What the log already holds of the chain, without what reverts have taken back. */
export type KnownChain = Readonly<{
  /** The addresses whose logs are read; it follows what is published. */
  book: KnownAddresses
  /** The blocks that ticks closed, from a number on and the newest one before it, ascending. */
  blocksFrom(blockNumber: number): Promise<readonly BlockHeader[]>
  /** The identities (`factIdOf`) of the facts of each block from a number on; the caller's to keep. */
  factIdsFrom(blockNumber: number): Promise<Map<number, Set<string>>>
}>

/** What the outside world calls a fact; a find of a curve has the name of the log that it was made for. */
export const factIdOf = ({ blockHash, logIndex }: Readonly<{ blockHash: string; logIndex: number }>): string =>
  `${blockHash}:${logIndex}`

export type ChainSource = Readonly<{
  kind: 'chain' | 'simulated' | 'recorded'
  /**
   * Ranges from the cursor on, each following the last without gap: first the past, as fast as asked for, then live. One
   * with `revertedFrom` goes back first. The next one is asked for when the last is in the log.
   * `cursor` null: a cold start, from 24 h before now. Ends when the signal aborts.
   * Throws `chain_mismatch` when the node serves another chain, `revert_too_deep` when it left the one in the log too long ago.
   */
  ranges(cursor: BlockHeader | null, known: KnownChain, signal: AbortSignal): AsyncIterable<FactRange>
}>

/** Who sent these transactions. A hash the node does not know is missing from the answer. */
export type SenderReader = (txHashes: readonly Hex[], signal: AbortSignal) => Promise<ReadonlyMap<string, Hex>>

/** Position NFTs and the block at whose end it counts who owns them. */
type OwnersQuestion = Readonly<{ blockNumber: number; blockHash: Hex; positionIds: readonly Hex[] }>

/**
 * Who owned each; null where there was no such NFT. Fails with `node_unreachable`, and with `node_refused` where the node
 * does not have that block, or its state any more.
 */
export type OwnerReader = (question: OwnersQuestion, signal: AbortSignal) => Promise<ReadonlyMap<string, Hex | null>>

/** A price in USD and when its feed gave it. Null: the feed failed; the last value stays, with its age. */
export type PriceReader = (signal: AbortSignal) => Promise<Readonly<{ usd: number; atMs: number }> | null>
