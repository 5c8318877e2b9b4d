/**
 * Named places in the code, each between two steps. A crash at such a place must do no harm. A test arms a
 * place in a child process, and the process kills itself there. In all other processes, a place does nothing.
 */

/** Each comment below describes the position of its place: first the finished step, then the next step. */
export type CrashPointName =
  /** After the source has returned a range of facts, before ingest appends them to the log. */
  | 'ingest-before-append'
  /**
   * After ingest has appended a range's changes of the address book, before it appends the facts of the
   * range.
   */
  | 'ingest-after-addresses'
  /**
   * After ingest has appended the facts of a range and their tick, before it updates the position of its last
   * tick in memory.
   */
  | 'ingest-after-append'
  /**
   * After the embedded log has written new blocks of records to the files of a day, before it writes the new
   * end offsets.
   */
  | 'log-days-written'
  /**
   * After the log has written the records of an append, before it commits the transaction. The embedded log
   * has then also written its new end offsets.
   */
  | 'log-before-commit'
  /** After the log has committed an append, before it notifies the writer and the waiting readers. */
  | 'log-after-commit'
  /** Before a task of a processing stage appends the ticks that it must commit. */
  | 'stage-before-commit'
  /** After a task of a processing stage has committed ticks, before the task continues. */
  | 'stage-after-commit'
  /**
   * After a reorg: a task has restated the rows of the replaced blocks and removed the snapshots of these
   * blocks, but has not yet committed the rows.
   */
  | 'stage-restated'
  /**
   * After a task has appended a chunk of a state snapshot, before it appends the next chunk or the manifest.
   */
  | 'snapshot-chunk-written'
  /** After a task has appended all chunks of a state snapshot, before it appends the manifest. */
  | 'snapshot-before-manifest'
  /** After a task has appended the manifest of a state snapshot, before it removes older snapshots. */
  | 'snapshot-after-manifest'
  /**
   * After the sink, which writes the tables, has announced a batch of rows, before it inserts the first rows
   * of the batch.
   */
  | 'sink-planned'
  /**
   * After the sink, which writes the tables, has inserted rows of a batch into one table, before it inserts
   * rows into the next table or confirms the batch.
   */
  | 'sink-table-written'
  /**
   * After the sink, which writes the tables, has inserted all rows of a batch, before it confirms the batch.
   */
  | 'sink-before-done'
  /** After the sink, which writes the tables, has confirmed a batch, before it begins the next batch. */
  | 'sink-after-done'
  /**
   * After a rebuild of the tables has exchanged one old table for the new one, before it exchanges the next
   * table or ends.
   */
  | 'rebuild-exchanged'
  /** After a lookup (a request to a node) has got its answer, before the answer is appended to the log. */
  | 'lookup-before-append'
  /** After the answer of a lookup is appended to the log, before the lookup is closed in memory. */
  | 'lookup-after-append'
  /**
   * After the log has compacted some blocks of a partition, before the log compacts the other blocks and
   * commits.
   */
  | 'compaction-block-replaced'
  /** After the log has removed old days from its index, before it removes the folders of these days. */
  | 'retention-days-forgotten'
  /**
   * After the service has read a payment and decided to take it, before the facilitator verifies the payment.
   */
  | 'payment-before-verify'
  /** After the facilitator has verified a payment, before the answer for the buyer is computed. */
  | 'payment-verified'
  /**
   * After the service has recorded the state `settling` in the payment ledger, before it sends the payment to
   * the facilitator.
   */
  | 'payment-settling-recorded'
  /**
   * After the facilitator has answered, before the service records the outcome of the payment in the payment
   * ledger.
   */
  | 'payment-settled-unrecorded'
  /** After the service has recorded the outcome of the payment in the payment ledger. The answer does not wait for this record. */
  | 'payment-settled-recorded'
  /** After the service has recorded the date of a pass in the payment ledger, before it sends the pass. */
  | 'payment-dated-recorded'
  /**
   * After the service has recorded the state `delivered` in the payment ledger. This is the last step of a
   * payment.
   */
  | 'payment-delivered-recorded'

type Armed = { readonly name: CrashPointName; hitsLeft: number }

let armed: Armed | null = null

/** Kills the process if a test has armed this place and the thread passes it for the armed number of times. */
export function crashPoint(name: CrashPointName): void {
  if (armed !== null) strike(armed, name)
}

/**
 * Makes this process kill itself when this thread passes the place for the `hit`-th time, counted from one.
 * Only the child process of a test may call this function.
 */
export function armCrashPoint(name: CrashPointName, hit: number): void {
  armed = { name, hitsLeft: hit }
}

function strike(target: Armed, name: CrashPointName): void {
  if (name !== target.name) return
  target.hitsLeft--
  if (target.hitsLeft > 0) return
  process.kill(process.pid, 'SIGKILL')
  // The signal takes a moment to arrive. This loop keeps the thread from continuing until then.
  for (;;);
}
