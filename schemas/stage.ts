/**
 * A stage turns the facts of one topic into the derived records of another topic, partition by partition. The runtime uses only
 * these parts of a stage: its topics, how facts form blocks, and how derived records form rows.
 */
import type { Tick } from './tick.ts'
import type { Topic } from './topics.ts'
import type { BlockHash, BlockNumber, EpochMs } from './units.ts'

/**
 * The deepest reorg that is supported by default, in blocks. These blocks take two minutes on the fastest chain and four hours on the
 * slowest.
 */
export const reorgBlocksMaxDefault = 1200

/** A record of a topic that holds several types. */
export type StageRecord = Readonly<{ type: string; data: object }>

/**
 * A block of facts: rules are judged at the end of a block. On a chain this is a block or a slot. In a chat each post is a block of its
 * own. Numbers rise, and times never fall. `hash` distinguishes blocks with the same number. It is `0x` if a number can have only one
 * block.
 */
export type Block = Readonly<{ number: BlockNumber; hash: BlockHash; atMs: EpochMs }>

/** The fields with which each fact of a chain identifies its block. */
export type BlockFields = Readonly<{ blockNumber: BlockNumber; blockHash: BlockHash; blockAtMs: EpochMs }>

/**
 * Identifies a row of a token: derived records with the same row key are versions of one row. Each stage adds the fields that distinguish
 * its rows. `atMs` is the instant of the row.
 */
export type RowKey = Readonly<{ recordType: string; atMs: EpochMs }>

/** Marks that the runtime publishes after a reorg. `Restated` comes right before the record that it announces. */
export type MarkRecord<Key extends RowKey = RowKey> =
  | Readonly<{ type: 'Withdrawn'; data: Key }>
  | Readonly<{ type: 'Restated'; data: Key & Readonly<{ supersedesAtMs: EpochMs | null }> }>

/** A tick as a record of a facts topic or derived topic. */
export type TickRecord = Readonly<{ type: 'Tick'; data: Tick }>

export const isTick = (record: StageRecord): record is TickRecord => record.type === 'Tick'

export const isMark = (record: StageRecord): record is MarkRecord =>
  record.type === 'Withdrawn' || record.type === 'Restated'

/** The record types of a stage. They are type parameters of its processors, lookups and projections. */
export type StageTypes = Readonly<{ fact: StageRecord; answer: StageRecord; derived: StageRecord; key: RowKey }>

/**
 * The definition of a stage. It has methods instead of function properties, so that every stage is assignable to `Stage`. `Readonly<…>` is
 * missing because TypeScript could then not infer the record types.
 */
export type Stage<Types extends StageTypes = StageTypes> = {
  /**
   * The name of the stage, which never changes because the log contains it. The names of tasks, writers, snapshots and the consumer group
   * contain this name, and so do cuts.
   */
  readonly name: string
  /** Both topics have the same number of partitions. */
  readonly factTopic: Topic
  readonly derivedTopic: Topic
  /** The version of the rules, which every tick contains. Raise it when the same facts give a different derived record. */
  readonly rulesVersion: string
  /** Whether the rules differ from the default. Forwarded ticks then contain `rulesVersion` instead of the version in the facts’ ticks. */
  readonly hasOtherRules?: boolean
  /**
   * Whether a record is an answer. Answers belong to no block. A stage processes them at the end of their tick. They stay valid after a
   * reorg.
   */
  isAnswer(record: Readonly<{ type: string }>): boolean
  /** Returns the number of the fact's block. Called for every fact, so it must be cheap. */
  blockNumberOf(fact: Types['fact']): BlockNumber
  blockOf(fact: Types['fact']): Block
  rowKeyOf(record: Types['derived']): Types['key']
  /** Returns a name that distinguishes rows of the same token, type and instant. A restatement orders these rows by name. */
  rowNameOf(key: Types['key']): string
  /**
   * The record types whose rows may get another instant in a reorg. `supersedesAtMs` of the new row is the instant of the withdrawn row
   * with the same token, type and name.
   */
  readonly movableTypes: readonly string[]
}

/** The functions of a stage whose facts have `BlockFields`. */
export const chainBlocks = {
  blockNumberOf: ({ data }: Readonly<{ data: BlockFields }>): BlockNumber => data.blockNumber,
  blockOf: ({ data }: Readonly<{ data: BlockFields }>): Block => ({
    number: data.blockNumber,
    hash: data.blockHash,
    atMs: data.blockAtMs,
  }),
} as const
