/** The port to the outside world of one chain: a real node, a simulator or a recording. */
import type { Block, StageRecord, StageTypes } from '../schemas/stage.ts'
import type { CoinPrice, SourceKind } from '../schemas/tick.ts'
import type { BlockNumber } from '../schemas/units.ts'

/** The types of a chain: the records of its stage, the records of its address book, and the content of the book. */
export type ChainTypes = Readonly<{ stage: StageTypes; address: StageRecord; known: unknown }>

/** A fact and its key on the log, which chooses the partition. */
export type KeyedFact<Fact extends StageRecord = StageRecord> = Readonly<{ key: string; fact: Fact }>

/** All facts of the blocks `[fromBlock, head.number]`, complete and in chain order. */
export type FactRange<Types extends ChainTypes = ChainTypes> = Readonly<{
  /**
   * Facts of the blocks from this one on no longer count, and this range replaces them. Equal to `fromBlock`. Set after
   * a reorg, and when the node had left out a log. The head may be lower than the previous one.
   */
  revertedFrom?: number
  fromBlock: BlockNumber
  head: Block
  facts: readonly KeyedFact<Types['stage']['fact']>[]
  /** New entries of the address book, written before the facts. */
  newAddresses: readonly Types['address'][]
  /** Keys of entries that no longer hold, because on a new branch the same key may name something else. */
  staleAddresses?: readonly string[]
  /** The chain's newest block when the range was read, if the source knows it. */
  chainHeadNumber?: number
}>

/** What the log already holds of the chain. Facts that a reorg took back are left out. */
export type KnownChain<Known = unknown, Fact extends StageRecord = StageRecord> = Readonly<{
  /** The address book. It is updated with each publication. */
  book: Known
  /** The blocks that ticks closed, ascending: those from this number on, and the newest one before it. */
  blocksFrom(blockNumber: BlockNumber): Promise<readonly Block[]>
  /** The identities of the facts of each block from this number on. The caller owns the map. */
  factIdsFrom(blockNumber: BlockNumber): Promise<Map<number, Set<string>>>
  /**
   * The facts of the blocks from this number on that are wanted by type and key. Those of each key are in chain order.
   */
  factsFrom(
    blockNumber: BlockNumber,
    isWanted: (type: string, key: string) => boolean,
  ): Promise<readonly KeyedFact<Fact>[]>
}>

export type ChainSource<Types extends ChainTypes = ChainTypes> = Readonly<{
  kind: SourceKind
  /**
   * Ranges from the cursor on, without gaps: first the past as fast as the consumer reads, then live. A range with
   * `revertedFrom` goes back first. The consumer asks for the next range when the previous one is in the log. A null
   * cursor is a cold start, 24 h before now. Ends when the signal aborts. Fails with `chain_mismatch` if the node
   * serves another chain, and with `reorg_too_deep` if a deeper reorg than supported replaced the block in the log.
   */
  ranges(
    cursor: Block | null,
    known: KnownChain<Types['known'], Types['stage']['fact']>,
    signal: AbortSignal,
  ): AsyncIterable<FactRange<Types>>
}>

/** Asks a price feed once. Null if the feed failed. The last price then stays, with its age. */
export type PriceReader = (signal: AbortSignal) => Promise<CoinPrice | null>
