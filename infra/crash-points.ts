/**
 * Named places between two steps that must not be separated. A test kills the process there, as a power cut would. They
 * only act if a test's child process arms one, and nothing outside the process can.
 */

/** Each comment says what happened before the place | what happens after it. */
export type CrashPointName =
  /** The source returned a range | it is appended. */
  | 'ingest-before-append'
  /** The addresses of the range's pools are appended | its facts are. */
  | 'ingest-after-addresses'
  /** The facts and their tick are appended | the cursor in memory moves. */
  | 'ingest-after-append'
  /** The day's blocks are on disk | the new end offsets are written. */
  | 'log-days-written'
  /** All of an append is written (in the embedded log its new end offsets too) | the transaction is committed. */
  | 'log-before-commit'
  /** The append is committed | the writer and the waiting readers learn of it. */
  | 'log-after-commit'
  /** A task has ticks to commit | they are appended. */
  | 'stage-before-commit'
  /** Ticks are committed | the task continues. */
  | 'stage-after-commit'
  /** The rows of a reorg are restated and the snapshots of its blocks removed | the rows are committed. */
  | 'stage-restated'
  /** A chunk of a snapshot is appended | the next one or the manifest is. */
  | 'snapshot-chunk-written'
  /** All chunks are appended | the manifest is. */
  | 'snapshot-before-manifest'
  /** The manifest is appended | older snapshots are removed. */
  | 'snapshot-after-manifest'
  /** A batch is announced | its first rows are inserted. */
  | 'sink-planned'
  /** Rows of a batch are in one table | those of the next one are inserted, or the batch is confirmed. */
  | 'sink-table-written'
  /** All rows of a batch are inserted | it is confirmed. */
  | 'sink-before-done'
  /** A batch is confirmed | the next one begins. */
  | 'sink-after-done'
  /** A rebuilt table is exchanged | the next one is, or the rebuild ends. */
  | 'rebuild-exchanged'
  /** The lookup has an answer | it is appended. */
  | 'lookup-before-append'
  /** An answer is appended | the question is closed in memory. */
  | 'lookup-after-append'
  /** Some blocks of a partition are compacted | the others are, and the transaction is committed. */
  | 'compaction-block-replaced'
  /** The index has dropped old days | their folders are removed. */
  | 'retention-days-forgotten'
  /** A payment is read and wanted | the facilitator is asked to verify it. */
  | 'payment-before-verify'
  /** The facilitator has verified it | its answer is made. */
  | 'payment-verified'
  /** The ledger has `settling` | the payment is sent to the facilitator. */
  | 'payment-settling-recorded'
  /** The facilitator has answered | the outcome is in the ledger. */
  | 'payment-settled-unrecorded'
  /** The outcome is in the ledger | the buyer gets the answer. */
  | 'payment-settled-recorded'
  /** The ledger has `delivered` | nothing more happens to the payment. */
  | 'payment-delivered-recorded'

type Armed = { readonly name: CrashPointName; hitsLeft: number }

let armed: Armed | null = null

/** Kills the process if a test has armed this place. */
export function crashPoint(name: CrashPointName): void {
  if (armed !== null) strike(armed, name)
}

/** For a test's child process only: kills it when this thread passes the place for the `hit`-th time, from 1. */
export function armCrashPoint(name: CrashPointName, hit: number): void {
  armed = { name, hitsLeft: hit }
}

function strike(target: Armed, name: CrashPointName): void {
  if (name !== target.name) return
  target.hitsLeft--
  if (target.hitsLeft > 0) return
  process.kill(process.pid, 'SIGKILL')
  // The signal takes a moment to arrive. Until then this thread must not continue.
  for (;;);
}
