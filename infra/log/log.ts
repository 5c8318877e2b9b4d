/** The log port. Adapters: memory (tests), embedded (LMDB), Kafka. One contract suite holds all of them to what is said here. */
import type { TopicName } from '../../schemas/topics.ts'
import type { RecordBatch } from './record-batch.ts'

/** A value over this is refused with `value_too_large`, on every adapter. */
export const valueBytesMax = 1_048_576

export type NewRecord = Readonly<{
  topic: TopicName
  partition: number
  key: string
  /** Null only on a compacted topic: removes the key. */
  value: Buffer | null
}>

export type ReadPosition = Readonly<{
  topic: TopicName
  partition: number
  offset: number
}>

export type Log = Readonly<{
  /**
   * Becomes the writer of this name. Whoever held the name before is fenced: its next append fails with `writer_fenced`
   * and what it had not committed never becomes readable.
   */
  openWriter(writerId: string, options?: WriterOptions): Promise<LogWriter>

  /**
   * Committed records from an offset on, oldest first, about `bytesMax` of them (at least one where there is one), in
   * packed batches. Empty at the end. Offsets rise but may have holes; go on from `nextOffset` of the last batch.
   * An offset before `startOffset` reads from there: retention is not an error. Fails with `offset_out_of_range` past the end.
   */
  read(position: ReadPosition, options?: Readonly<{ bytesMax?: number }>): Promise<readonly RecordBatch[]>

  /** The first offset still kept, and the one that the next committed record will get or exceed. Equal when empty. */
  bounds(topic: TopicName, partition: number): Promise<Readonly<{ startOffset: number; endOffset: number }>>

  /**
   * Resolves once a committed record stands at or after the position, or when the signal aborts (then without an error).
   * Rejects with `log_closed` when the log is closed meanwhile. Never keeps the process alive by itself.
   */
  waitForAppend(position: ReadPosition, signal: AbortSignal): Promise<void>

  /**
   * Applies retention (records appended before `nowMs - retentionMs` may go) and compaction, as the topic table says.
   * Offsets never change by it, and the newest record of a compacted partition always stays.
   */
  maintain(nowMs: number): Promise<void>

  close(): Promise<void>
}>

type WriterOptions = Readonly<{
  /**
   * False: appends of this writer are single idempotent records outside any transaction, so that a dead writer never
   * holds up a partition's readers (lookups, payments). Default true: every append is one transaction.
   */
  isTransactional?: boolean
}>

export type LogWriter = Readonly<{
  /**
   * Appends all records or none, over any topics and partitions, in the given order within each partition. Resolves when
   * they are durable and readable. An outcome that is not known (a lost connection) closes the writer: open it again.
   */
  append(records: readonly NewRecord[]): Promise<void>
  close(): Promise<void>
}>
