/**
 * Named places between two steps that must not be separated. A test kills the process at such a place, as a power cut
 * would. A place acts only if a test's child process arms it. Nothing outside the process can arm a place.
 */

/** Each comment names the step before the place and the step after it. */
export type CrashPointName =
  /** After the source has returned a range, before ingest appends the range. */
  | 'ingest-before-append'
  /** After ingest has appended the addresses of a range's pools, before it appends the facts of the range. */
  | 'ingest-after-addresses'
  /** After ingest has appended the facts and their tick, before it moves its cursor in memory. */
  | 'ingest-after-append'
  /** After the blocks of a day are on disk, before the log writes the new end offsets. */
  | 'log-days-written'
  /** After an append is written (in the embedded log with its new end offsets), before its transaction is committed. */
  | 'log-before-commit'
  /** After an append is committed, before the writer and the waiting readers are notified. */
  | 'log-after-commit'
  /** When a task has ticks to commit, before it appends them. */
  | 'stage-before-commit'
  /** After a task has committed ticks, before it continues. */
  | 'stage-after-commit'
  /**
   * After the rows of a reorg are restated and the snapshots of its blocks are removed, before the rows are committed.
   */
  | 'stage-restated'
  /** After a chunk of a snapshot is appended, before the next chunk or the manifest is appended. */
  | 'snapshot-chunk-written'
  /** After all chunks of a snapshot are appended, before its manifest is appended. */
  | 'snapshot-before-manifest'
  /** After the manifest of a snapshot is appended, before older snapshots are removed. */
  | 'snapshot-after-manifest'
  /** After the sink has announced a batch, before it inserts the first rows of the batch. */
  | 'sink-planned'
  /** After rows of a batch are in one table, before the sink inserts rows into the next table or confirms the batch. */
  | 'sink-table-written'
  /** After all rows of a batch are inserted, before the sink confirms the batch. */
  | 'sink-before-done'
  /** After the sink has confirmed a batch, before it begins the next batch. */
  | 'sink-after-done'
  /** After a rebuilt table is exchanged, before the next table is exchanged or the rebuild ends. */
  | 'rebuild-exchanged'
  /** After a lookup has an answer, before the answer is appended. */
  | 'lookup-before-append'
  /** After the answer of a lookup is appended, before the lookup is closed in memory. */
  | 'lookup-after-append'
  /**
   * After some blocks of a partition are compacted, before the other blocks are compacted and the transaction is
   * committed.
   */
  | 'compaction-block-replaced'
  /** After the index has dropped old days, before the folders of these days are removed. */
  | 'retention-days-forgotten'
  /** After the service has read a payment and decided to take it, before it calls the facilitator to verify it. */
  | 'payment-before-verify'
  /** After the facilitator has verified a payment, before the answer for the buyer is computed. */
  | 'payment-verified'
  /** After the ledger contains `settling`, before the payment is sent to the facilitator. */
  | 'payment-settling-recorded'
  /** After the facilitator has answered, before the outcome of the payment is in the ledger. */
  | 'payment-settled-unrecorded'
  /** After the outcome of the payment is in the ledger, before the buyer gets the answer. */
  | 'payment-settled-recorded'
  /** After the ledger contains `delivered`, which is the last step of a payment. */
  | 'payment-delivered-recorded'

type Armed = { readonly name: CrashPointName; hitsLeft: number }

let armed: Armed | null = null

/** Kills the process if a test has armed this place and this is the armed hit. */
export function crashPoint(name: CrashPointName): void {
  if (armed !== null) strike(armed, name)
}

/**
 * Only for a test's child process: kills it when this thread passes the place for the `hit`-th time. The first time is
 * 1.
 */
export function armCrashPoint(name: CrashPointName, hit: number): void {
  armed = { name, hitsLeft: hit }
}

function strike(target: Armed, name: CrashPointName): void {
  if (name !== target.name) return
  target.hitsLeft--
  if (target.hitsLeft > 0) return
  process.kill(process.pid, 'SIGKILL')
  // The signal takes a moment to arrive. This thread must not continue until then.
  for (;;);
}
