/**
 * A stage turns the facts of one topic into the records of another, partition by partition. This is all that the runtime
 * knows of one: its topics, how its facts make blocks, and how its derived records make rows.
 */
import type { Tick } from './tick.ts'
import type { Topic } from './topics.ts'
import type { Hex } from './units.ts'

/** The deepest reorg that is supported unless configured, in blocks: two minutes of the fastest chain, four hours of the slowest. */
export const reorgBlocksMaxDefault = 1200

/** A record of a topic that holds several types. */
export type StageRecord = Readonly<{ type: string; data: object }>

/**
 * What facts are grouped by: rules are judged at its end. On a chain a block or a slot; a post of a chat is a block alone.
 * Numbers rise, times never fall. `hash` names the block among those of its number, and is `0x` where there is but one.
 */
export type Block = Readonly<{ number: number; hash: Hex; atMs: number }>

/** What every fact of a chain carries of its block. */
export type BlockFields = Readonly<{ blockNumber: number; blockHash: Hex; blockAtMs: number }>

/**
 * Names a row within its key of the log: two derived records with the same key are versions of one row. Stages add what
 * else tells their rows apart. `atMs` is the row's own instant.
 */
export type RowKey = Readonly<{ recordType: string; atMs: number }>

/** What the runtime publishes beside the processors' records after a reorg. `Restated` stands right before its record. */
export type MarkRecord<Key extends RowKey = RowKey> =
  | Readonly<{ type: 'Withdrawn'; data: Key }>
  | Readonly<{ type: 'Restated'; data: Key & Readonly<{ supersedesAtMs: number | null }> }>

/** The forwarded tick of a derived topic, and that of a fact topic. */
export type TickRecord = Readonly<{ type: 'Tick'; data: Tick }>

export const isTick = (record: StageRecord): record is TickRecord => record.type === 'Tick'

export const isMark = (record: StageRecord): record is MarkRecord =>
  record.type === 'Withdrawn' || record.type === 'Restated'

/** The record types of a stage: what its processors, lookups and projections are written in. */
export type StageTypes = Readonly<{ fact: StageRecord; answer: StageRecord; derived: StageRecord; key: RowKey }>

/**
 * Methods, not properties: a stage of particular types stands where the runtime wants any stage. No `Readonly<…>` around it:
 * TypeScript would not infer the types of a stage from the stage.
 */
export type Stage<Types extends StageTypes = StageTypes> = {
  /** Names its tasks, writers, snapshots and consumer group, and its part of a cut. Never changes: the log holds it. */
  readonly name: string
  /** Both have the same number of partitions. */
  readonly factTopic: Topic
  readonly derivedTopic: Topic
  /** Raised whenever a derived record would come out different for the same facts; carried by every tick. */
  readonly rulesVersion: string
  /** True of answers: they belong to no block, wait for the end of their tick and outlive a reorg. */
  isAnswer(record: Readonly<{ type: string }>): boolean
  /** The number of the fact's block. Asked of every fact: it must cost nothing. */
  blockNumberOf(fact: Types['fact']): number
  blockOf(fact: Types['fact']): Block
  rowKeyOf(record: Types['derived']): Types['key']
  /** What of a key tells rows apart that have the same log key, type and instant; also their order in a restatement. */
  rowNameOf(key: Types['key']): string
  /**
   * Types whose rows may move to another instant in a reorg: the row that takes a withdrawn one's place, under the same
   * log key and name, says which one it supersedes.
   */
  readonly movableTypes: readonly string[]
}

/** The facts of a chain name their block in these fields. */
export const chainBlocks = {
  blockNumberOf: ({ data }: Readonly<{ data: BlockFields }>): number => data.blockNumber,
  blockOf: ({ data }: Readonly<{ data: BlockFields }>): Block => ({
    number: data.blockNumber,
    hash: data.blockHash,
    atMs: data.blockAtMs,
  }),
} as const
