/**
 * A stage turns the facts of one topic into the derived records of another topic. It does this separately for
 * each partition. The runtime uses only three things of a stage: its topics, how facts form blocks, and how
 * derived records form rows.
 */
import type { Tick } from './tick.ts'
import type { Topic } from './topics.ts'
import type { BlockHash, BlockNumber, EpochMs } from './units.ts'

/**
 * The default for the deepest reorg that is supported, in blocks. This number of blocks takes two minutes on
 * the fastest chain and four hours on the slowest.
 */
export const reorgBlocksMaxDefault = 1200

/** A record of a topic with several record types. */
export type StageRecord = Readonly<{ type: string; data: object }>

/**
 * A block of facts. Rules are evaluated at the end of a block. On a chain this is a block or a slot. In a
 * chat each post is a separate block. Numbers rise, and times never fall. `hash` distinguishes blocks with
 * the same number. It is `0x` if a number can have only one block.
 */
export type Block = Readonly<{ number: BlockNumber; hash: BlockHash; atMs: EpochMs }>

/** The fields of a fact that identify its block. */
export type BlockFields = Readonly<{ blockNumber: BlockNumber; blockHash: BlockHash; blockAtMs: EpochMs }>

/**
 * Identifies a row of a token: derived records with the same row key are versions of one row. `atMs` is the
 * time in the key of the row. Each stage adds the fields that distinguish its rows.
 */
export type RowKey = Readonly<{ recordType: string; atMs: EpochMs }>

/**
 * The marks that the runtime publishes after a reorg. A mark names a row that the reorg changed or withdrew.
 * `Restated` comes directly before the new version of the row.
 */
export type MarkRecord<Key extends RowKey = RowKey> =
  | Readonly<{ type: 'Withdrawn'; data: Key }>
  | Readonly<{ type: 'Restated'; data: Key & Readonly<{ supersedesAtMs: EpochMs | null }> }>

/** A tick as a record of a facts topic or derived topic. */
export type TickRecord = Readonly<{ type: 'Tick'; data: Tick }>

export const isTick = (record: StageRecord): record is TickRecord => record.type === 'Tick'

export const isMark = (record: StageRecord): record is MarkRecord =>
  record.type === 'Withdrawn' || record.type === 'Restated'

/** The record types of a stage. Its processors, lookups and projections have them as type parameters. */
export type StageTypes = Readonly<{ fact: StageRecord; answer: StageRecord; derived: StageRecord; key: RowKey }>

/**
 * The definition of a stage. It has methods instead of function properties. So every stage is assignable to
 * `Stage`. The type is not `Readonly<…>`, because TypeScript could then not infer the record types.
 */
export type Stage<Types extends StageTypes = StageTypes> = {
  /**
   * The name of the stage. It must never change, because the log contains it. It is also part of the names of
   * tasks, writers, snapshots and the consumer group.
   */
  readonly name: string
  /** The topic of the facts. Both topics have the same number of partitions. */
  readonly factTopic: Topic
  readonly derivedTopic: Topic
  /**
   * The version of the rules, which is in every tick. Raise the version if a change of the rules makes the
   * same facts give a different derived record.
   */
  readonly rulesVersion: string
  /**
   * True if the rules differ from the default rules. The ticks that the stage copies to its derived topic
   * then contain `rulesVersion` instead of the version in the fact topic.
   */
  readonly hasOtherRules?: boolean
  /**
   * Returns whether a record is an answer: the result of a lookup, or another fact without a block. A stage
   * processes an answer at the next tick. Answers stay valid after a reorg.
   */
  isAnswer(record: Readonly<{ type: string }>): boolean
  /** Returns the number of the fact's block. This function is called for every fact, so it must be fast. */
  blockNumberOf(fact: Types['fact']): BlockNumber
  blockOf(fact: Types['fact']): Block
  rowKeyOf(record: Types['derived']): Types['key']
  /**
   * Returns a name that distinguishes rows with the same token, type and time. After a reorg, changed rows
   * are published in the order of these names.
   */
  rowNameOf(key: Types['key']): string
  /**
   * The record types whose rows can move to another time in a reorg. The row at the old time is then
   * withdrawn. The new row has the same token, type and name, and its `supersedesAtMs` is the old time.
   */
  readonly movableTypes: readonly string[]
}

/** Functions of `Stage` for facts that have `BlockFields`. */
export const chainBlocks = {
  blockNumberOf: ({ data }: Readonly<{ data: BlockFields }>): BlockNumber => data.blockNumber,
  blockOf: ({ data }: Readonly<{ data: BlockFields }>): Block => ({
    number: data.blockNumber,
    hash: data.blockHash,
    atMs: data.blockAtMs,
  }),
} as const
