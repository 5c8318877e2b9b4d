/** The interface between ingest and the source of one chain: a real node, a simulator or a recording. */
import type { Block, StageRecord, StageTypes } from '../schemas/stage.ts'
import type { CoinPrice, SourceKind } from '../schemas/tick.ts'
import type { BlockNumber } from '../schemas/units.ts'

/** The types of a chain: the records of its stage, the records of its address book, and the content of the book. */
export type ChainTypes = Readonly<{ stage: StageTypes; address: StageRecord; known: unknown }>

/** A fact and its key on the log. The key determines the partition. */
export type KeyedFact<Fact extends StageRecord = StageRecord> = Readonly<{ key: string; fact: Fact }>

/** A range of blocks. It has all facts of the blocks `[fromBlock, head.number]`, in chain order. */
export type FactRange<Types extends ChainTypes = ChainTypes> = Readonly<{
  /**
   * The first block that the range replaces, equal to `fromBlock`. All published facts from this block on are removed. `revertedFrom` is
   * set after a reorg, and when a fact was missing in the node's first answer. The head of the range may be lower than the previous head.
   */
  revertedFrom?: number
  fromBlock: BlockNumber
  head: Block
  facts: readonly KeyedFact<Types['stage']['fact']>[]
  /** New entries of the address book, written before the facts. */
  newAddresses: readonly Types['address'][]
  /** The keys of entries to remove. After a reorg, the same key may name something else on the new branch. */
  staleAddresses?: readonly string[]
  /** The number of the chain's newest block when the range was read. Unset if the source does not have it. */
  chainHeadNumber?: number
}>

/** The part of the chain that is in the log, without facts that a reorg removed. */
export type KnownChain<Known = unknown, Fact extends StageRecord = StageRecord> = Readonly<{
  /** The address book, which each publication updates. */
  book: Known
  /**
   * Returns the blocks of ticks in ascending order. The result has all blocks from this number on, and the
   * newest block before this number.
   */
  blocksFrom(blockNumber: BlockNumber): Promise<readonly Block[]>
  /** Returns the ids of the facts of each block from this number on. The caller may change the map. */
  factIdsFrom(blockNumber: BlockNumber): Promise<Map<number, Set<string>>>
  /**
   * Returns the wanted facts of the blocks from this number on. `isWanted` decides by the type and key of a fact. The facts of each key are
   * in chain order.
   */
  factsFrom(
    blockNumber: BlockNumber,
    isWanted: (type: string, key: string) => boolean,
  ): Promise<readonly KeyedFact<Fact>[]>
}>

export type ChainSource<Types extends ChainTypes = ChainTypes> = Readonly<{
  kind: SourceKind
  /**
   * Yields the ranges after the cursor, without gaps. Past ranges come as fast as the consumer reads them.
   * Then live ranges follow. A range with `revertedFrom` replaces earlier blocks. The consumer requests the
   * next range when the previous range is in the log.
   * A null cursor starts a new log, which begins 24 h before now by default. Ends when the signal aborts.
   * Fails with `chain_mismatch` if the node serves another chain. Fails with `reorg_too_deep` if a reorg
   * replaced the cursor's block and was deeper than supported.
   */
  ranges(
    cursor: Block | null,
    known: KnownChain<Types['known'], Types['stage']['fact']>,
    signal: AbortSignal,
  ): AsyncIterable<FactRange<Types>>
}>

/**
 * Reads a price feed one time. Returns null if the feed failed. The caller then keeps the last price and the
 * time of the last price.
 */
export type PriceReader = (signal: AbortSignal) => Promise<CoinPrice | null>
