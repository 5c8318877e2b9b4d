/**
 * The interface of the log, which all programs use. It has three adapters: memory (tests), embedded (LMDB)
 * and Kafka. One test suite tests every adapter against this file.
 */
import type { TopicName } from '../../schemas/topics.ts'
import type { EpochMs } from '../../schemas/units.ts'
import type { RecordBatch } from './record-batch.ts'

/** The maximum size of a value, in bytes. Every adapter refuses a larger value with `value_too_large`. */
export const valueBytesMax = 1_048_576

export type NewRecord = Readonly<{
  topic: TopicName
  partition: number
  key: string
  /** The value of the record. Null removes the key, which is allowed on compacted topics only. */
  value: Buffer | null
}>

export type LogOffset = Readonly<{
  topic: TopicName
  partition: number
  offset: number
}>

export type Log = Readonly<{
  /**
   * Opens the writer of this name and fences the previous writer. The next append of the previous writer fails with
   * `writer_fenced`, and its uncommitted records never become readable.
   */
  openWriter(writerId: string, options?: WriterOptions): Promise<LogWriter>

  /**
   * Reads committed records from an offset on, oldest first, in packed batches that are never empty. Returns about `bytesMax` bytes, and at
   * least one record if there is one.
   * - Offsets rise but may have gaps (transaction markers, aborted records, compaction). Continue at `nextOffset` of the last batch.
   * - No batch means that there is no committed record at or after the offset, or that the signal has aborted.
   * - An offset before `startOffset` reads from `startOffset`, because retention is not an error.
   * - Fails with `offset_out_of_range` if the offset is past the end.
   * - Fails with `log_unavailable` if the log cannot be reached for more than a minute of retries.
   * - Fails with `log_corrupt` if an adapter that stores records itself finds damaged records.
   */
  read(
    from: LogOffset,
    options?: Readonly<{ bytesMax?: number; signal?: AbortSignal }>,
  ): Promise<readonly RecordBatch[]>

  /**
   * `startOffset` is the first offset that is still kept. A reader whose next offset is `startOffset` or
   * higher has missed no record. For this reason, retention keeps the unused offsets after the last record
   * that it removes. The next committed record gets `endOffset` or a higher offset. Every committed record
   * below `endOffset` can be read immediately. The offsets right before `endOffset` may have no records.
   * `startOffset` and `endOffset` are equal if nothing was ever appended.
   */
  bounds(topic: TopicName, partition: number): Promise<Readonly<{ startOffset: number; endOffset: number }>>

  /**
   * Resolves when there is a committed record at or after the offset, or when the signal aborts. A gap does not count
   * as a record. Rejects with `log_closed` if the log is closed in the meantime. Does not keep the process alive.
   */
  waitForAppend(from: LogOffset, signal: AbortSignal): Promise<void>

  /**
   * Applies the retention and compaction of the topic table. A record is removed if it is more than
   * `retentionMs` older than now, and more than `retentionMs` older than the newest record of its partition.
   * So an idle partition loses nothing. Offsets do not change, and the newest record of a partition always
   * stays.
   */
  maintain(nowMs: EpochMs): Promise<void>

  close(): Promise<void>
}>

/** A log that is only read. Another process may write it at the same time. */
export type LogReader = Pick<Log, 'read' | 'bounds' | 'waitForAppend' | 'close'>

type WriterOptions = Readonly<{
  /**
   * Whether every append is one transaction. Default: true. If false, an append is atomic only within each
   * partition. A writer outside transactions never blocks the readers of a partition when its process dies.
   * Lookups and payments use such a writer.
   */
  isTransactional?: boolean
}>

export type LogWriter = Readonly<{
  /**
   * Appends all records or none, to any topics and partitions, in the given order within each partition. Resolves when
   * the records are durable and readable through this log. Another process may see them a moment later. If the outcome
   * is unknown (a lost connection), the writer is closed and must be opened again.
   */
  append(records: readonly NewRecord[]): Promise<void>
  /** Fails with `writer_fenced` if a later writer of this name was opened. Changes nothing. */
  confirm(): Promise<void>
  /**
   * Opens a successor of this writer and fences this writer. After the promise has resolved, a record that
   * this writer sent is either readable or never becomes readable. Unlike `openWriter`, `reopen` fails with
   * `writer_fenced` if a later writer of this name was opened. After any other failure, `reopen` may be
   * called again.
   */
  reopen(): Promise<LogWriter>
  close(): Promise<void>
}>
