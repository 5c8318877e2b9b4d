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
  /** The chain was reverted: what was told of blocks from this one on did not happen, and this range begins with it. */
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

export type ChainSource = Readonly<{
  kind: 'chain' | 'simulated' | 'recorded'
  /**
   * Ranges from the cursor on, each following the last without gap: first the past, as fast as asked for, then live.
   * `cursor` null: a cold start, from 24 h before now. Ends when the signal aborts.
   * Throws `chain_mismatch` when the node's block at the cursor is not the one the log knows.
   */
  ranges(
    cursor: BlockHeader | null,
    book: ReadonlyMap<string, PoolAddress>,
    signal: AbortSignal,
  ): AsyncIterable<FactRange>
}>

/** Who sent these transactions. A hash the node does not know is missing from the answer. */
export type SenderReader = (
  txHashes: readonly `0x${string}`[],
  signal: AbortSignal,
) => Promise<ReadonlyMap<string, `0x${string}`>>

/** A price in USD and when its feed gave it. Null: the feed failed; the last value stays, with its age. */
export type PriceReader = (signal: AbortSignal) => Promise<Readonly<{ usd: number; atMs: number }> | null>
