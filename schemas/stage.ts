/**
 * A stage turns the facts of one topic into the derived records of another, partition by partition. This file is all that
 * the runtime knows of a stage: its topics, how facts form blocks, and how derived records form rows.
 */
import type { Tick } from './tick.ts'
import type { Topic } from './topics.ts'
import type { BlockHash, BlockNumber, EpochMs } from './units.ts'

/** The deepest reorg we support by default, in blocks: two minutes of the fastest chain, four hours of the slowest. */
export const reorgBlocksMaxDefault = 1200

/** A record of a topic that holds several types. */
export type StageRecord = Readonly<{ type: string; data: object }>

/**
 * Facts are grouped in blocks, and rules are judged at the end of a block. On a chain it is a block or a slot; each post of
 * a chat is a block of its own. Numbers rise and times never fall. `hash` tells blocks of the same number apart; it is `0x`
 * where a number has only one.
 */
export type Block = Readonly<{ number: BlockNumber; hash: BlockHash; atMs: EpochMs }>

/** The block, as each fact of a chain carries it. */
export type BlockFields = Readonly<{ blockNumber: BlockNumber; blockHash: BlockHash; blockAtMs: EpochMs }>

/**
 * Identifies a row within its token: derived records with the same row key are versions of one row. A stage adds the other
 * fields that tell its rows apart. `atMs` is the row's own instant.
 */
export type RowKey = Readonly<{ recordType: string; atMs: EpochMs }>

/** Marks that the runtime publishes after a reorg. `Restated` comes right before the record that it announces. */
export type MarkRecord<Key extends RowKey = RowKey> =
  | Readonly<{ type: 'Withdrawn'; data: Key }>
  | Readonly<{ type: 'Restated'; data: Key & Readonly<{ supersedesAtMs: EpochMs | null }> }>

/** A tick, as facts and derived topics hold it. */
export type TickRecord = Readonly<{ type: 'Tick'; data: Tick }>

export const isTick = (record: StageRecord): record is TickRecord => record.type === 'Tick'

export const isMark = (record: StageRecord): record is MarkRecord =>
  record.type === 'Withdrawn' || record.type === 'Restated'

/** The record types of a stage. Its processors, lookups and projections are typed by them. */
export type StageTypes = Readonly<{ fact: StageRecord; answer: StageRecord; derived: StageRecord; key: RowKey }>

/**
 * Methods, not properties, so that a stage of particular types can be used as any stage. No `Readonly<…>` around it:
 * TypeScript would not infer the types of a stage from the stage.
 */
export type Stage<Types extends StageTypes = StageTypes> = {
  /** Part of the names of its tasks, writers, snapshots and consumer group, and of cuts. It never changes, because the log holds it. */
  readonly name: string
  /** Both have the same number of partitions. */
  readonly factTopic: Topic
  readonly derivedTopic: Topic
  /** Raise it when the same facts give a different derived record. Every tick carries it. */
  readonly rulesVersion: string
  /** Whether the rules are not the default ones. The ticks that it forwards then carry its own version, whatever the facts say. */
  readonly hasOtherRules?: boolean
  /** Whether a record is an answer. Answers belong to no block, wait for the end of their tick, and stay valid after a reorg. */
  isAnswer(record: Readonly<{ type: string }>): boolean
  /** The number of the fact's block. Called for every fact, so it must be cheap. */
  blockNumberOf(fact: Types['fact']): BlockNumber
  blockOf(fact: Types['fact']): Block
  rowKeyOf(record: Types['derived']): Types['key']
  /** Tells rows of the same token, type and instant apart, and orders them in a restatement. */
  rowNameOf(key: Types['key']): string
  /**
   * Types whose rows may move to another instant in a reorg. Such a new row says which withdrawn row of the same token, type
   * and name it supersedes.
   */
  readonly movableTypes: readonly string[]
}

/** For stages whose facts carry `BlockFields`. */
export const chainBlocks = {
  blockNumberOf: ({ data }: Readonly<{ data: BlockFields }>): BlockNumber => data.blockNumber,
  blockOf: ({ data }: Readonly<{ data: BlockFields }>): Block => ({
    number: data.blockNumber,
    hash: data.blockHash,
    atMs: data.blockAtMs,
  }),
} as const
