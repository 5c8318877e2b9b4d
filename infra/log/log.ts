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
   * packed batches, none of them empty. Offsets rise but may have holes (markers of transactions, aborted records,
   * compaction); go on from `nextOffset` of the last batch. No batch at all: no committed record stands there or behind.
   * An offset before `startOffset` reads from there: retention is not an error. Fails with `offset_out_of_range` past the end.
   * A log that cannot be reached is tried for more than a minute, then fails with `log_unavailable`; nothing is read once
   * the signal aborts.
   */
  read(
    position: ReadPosition,
    options?: Readonly<{ bytesMax?: number; signal?: AbortSignal }>,
  ): Promise<readonly RecordBatch[]>

  /**
   * The first offset still kept, and the one that the next committed record will get or exceed: what is committed below it
   * can be read at once. Right before either a hole may stand. Equal when nothing was ever appended.
   */
  bounds(topic: TopicName, partition: number): Promise<Readonly<{ startOffset: number; endOffset: number }>>

  /**
   * Resolves once a committed record stands at or after the position (a hole is none), or when the signal aborts (then
   * without an error).
   * Rejects with `log_closed` when the log is closed meanwhile. Never keeps the process alive by itself.
   */
  waitForAppend(position: ReadPosition, signal: AbortSignal): Promise<void>

  /**
   * Applies retention and compaction, as the topic table says. Records may go that were appended more than `retentionMs`
   * before now and before the newest one of their partition: what rests loses nothing. Offsets never change by it, and
   * the newest record of a partition always stays.
   */
  maintain(nowMs: number): Promise<void>

  close(): Promise<void>
}>

type WriterOptions = Readonly<{
  /**
   * False: appends of this writer stand outside any transaction, so that a dead writer never holds up a partition's
   * readers (lookups, payments): all records of one partition or none. Default true: every append is one transaction.
   */
  isTransactional?: boolean
}>

export type LogWriter = Readonly<{
  /**
   * Appends all records or none, over any topics and partitions, in the given order within each partition. Resolves when
   * they are durable and whoever reads through this log finds them; another process may find them a moment later. An
   * outcome that is not known (a lost connection) closes the writer: open it again.
   */
  append(records: readonly NewRecord[]): Promise<void>
  /** Fails with `writer_fenced` where another writer of the name was opened since; otherwise nothing changes. */
  confirm(): Promise<void>
  /**
   * A writer in the place of this one, which is fenced by it: what this one sent stands by then or never will. Unlike
   * `openWriter` it takes the name from nobody else: where another writer of it was opened since it fails with
   * `writer_fenced`. After any other failure it may be tried again.
   */
  reopen(): Promise<LogWriter>
  close(): Promise<void>
}>
