/** The interface between ingest and the source of one chain: a real node, a simulator or a recording. */
import type { Block, StageRecord, StageTypes } from '../schemas/stage.ts'
import type { CoinPrice, SourceKind } from '../schemas/tick.ts'
import type { BlockNumber } from '../schemas/units.ts'

/**
 * The types of a chain. `stage`: the records of its facts and rows. `address`: the records of its address
 * book (the list of followed addresses). `known`: the content of the address book in memory.
 */
export type ChainTypes = Readonly<{ stage: StageTypes; address: StageRecord; known: unknown }>

/** A fact and its key in the log. The key determines the partition. */
export type KeyedFact<Fact extends StageRecord = StageRecord> = Readonly<{ key: string; fact: Fact }>

/** A range of blocks with all facts of the blocks `[fromBlock, head.number]`, in chain order. */
export type FactRange<Types extends ChainTypes = ChainTypes> = Readonly<{
  /**
   * Set if the range replaces facts that are already in the log, and then equal to `fromBlock`. All facts
   * from this block on are removed. The causes are a reorg, or a fact that was missing in the node's first
   * answer. The head of the range may be lower than the previous head.
   */
  revertedFrom?: number
  fromBlock: BlockNumber
  head: Block
  facts: readonly KeyedFact<Types['stage']['fact']>[]
  /** New entries of the address book (the list of followed addresses). They are written before the facts. */
  newAddresses: readonly Types['address'][]
  /**
   * The keys of entries to remove from the address book. After a reorg, the same key may name something else
   * on the new branch.
   */
  staleAddresses?: readonly string[]
  /** The number of the chain's newest block when the range was read. Unset if the source does not have it. */
  chainHeadNumber?: number
}>

/** The part of the chain that is in the log, without facts that a reorg removed. */
export type KnownChain<Known = unknown, Fact extends StageRecord = StageRecord> = Readonly<{
  /** The address book (the list of followed addresses). Each publication of a range updates it. */
  book: Known
  /**
   * Returns the blocks that end a range in the log, in ascending order. The result has all such blocks from
   * this number on, and the newest one before it.
   */
  blocksFrom(blockNumber: BlockNumber): Promise<readonly Block[]>
  /** Returns for each block from this number on the ids of its facts. The caller may change the map. */
  factIdsFrom(blockNumber: BlockNumber): Promise<Map<number, Set<string>>>
  /**
   * Returns the facts of the blocks from this number on for which `isWanted` returns true. The facts of each
   * key are in chain order.
   */
  factsFrom(
    blockNumber: BlockNumber,
    isWanted: (type: string, key: string) => boolean,
  ): Promise<readonly KeyedFact<Fact>[]>
}>

export type ChainSource<Types extends ChainTypes = ChainTypes> = Readonly<{
  kind: SourceKind
  /**
   * Yields the ranges of blocks after the cursor (the last block in the log), without gaps. Old ranges come
   * as fast as the consumer reads them, then live ranges follow. The consumer requests the next range when
   * the previous range is in the log. A null cursor starts a new log, which begins 24 h before now by
   * default. Ends when the signal aborts. Fails with `chain_mismatch` if the node serves another chain. Fails
   * with `reorg_too_deep` if a reorg replaced more blocks than supported.
   */
  ranges(
    cursor: Block | null,
    known: KnownChain<Types['known'], Types['stage']['fact']>,
    signal: AbortSignal,
  ): AsyncIterable<FactRange<Types>>
}>

/**
 * Reads the price of the chain's coin from a feed, one time. Returns null if the feed failed. The caller then
 * keeps the last price with its time.
 */
export type PriceReader = (signal: AbortSignal) => Promise<CoinPrice | null>
