/** The port behind which the outside world stands: a real node, the simulator, a recording. */

import type { PoolAddress } from '../schemas/addresses.ts'
import type { ChainAFact } from '../schemas/chain-a/facts.ts'

export type BlockHeader = Readonly<{
  number: number
  hash: `0x${string}`
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
  /** Pools first seen in this range; written to the address book before the facts. */
  newPools: readonly PoolAddress[]
  /** The chain's newest block when the range was read, where the source knows it: how far there is to go. */
  chainHeadNumber?: number
}>

/** A fact and the token whose partition it goes to, lower case. */
export type TokenFact = Readonly<{ token: `0x${string}`; fact: ChainAFact }>

/** What the log already holds of the chain, without what reverts have taken back. */
export type KnownChain = Readonly<{
  /** The pools whose logs are read; it follows what is published. */
  book: ReadonlyMap<string, PoolAddress>
  /** The blocks that ticks closed, from a number on and the newest one before it, ascending. */
  blocksFrom(blockNumber: number): Promise<readonly BlockHeader[]>
  /** The identities (`factIdOf`) of the facts of each block from a number on; the caller's to keep. */
  factIdsFrom(blockNumber: number): Promise<Map<number, Set<string>>>
}>

/** What the outside world calls a fact. */
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
export type SenderReader = (
  txHashes: readonly `0x${string}`[],
  signal: AbortSignal,
) => Promise<ReadonlyMap<string, `0x${string}`>>

/** A price in USD and when its feed gave it. Null: the feed failed; the last value stays, with its age. */
export type PriceReader = (signal: AbortSignal) => Promise<Readonly<{ usd: number; atMs: number }> | null>
