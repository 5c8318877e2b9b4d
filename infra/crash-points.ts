/**
 * Named places where a test kills the process that runs them, as a power cut would: between two steps that must not
 * come apart. Inert unless the code of a test's child process arms one; nothing outside the process can.
 */

/** Each with what it stands between. */
export type CrashPointName =
  /** The source gave a range | anything of it is appended. */
  | 'ingest-before-append'
  /** The addresses of the range's pools are appended | its facts. */
  | 'ingest-after-addresses'
  /** The facts and their tick are appended | the cursor in memory has moved. */
  | 'ingest-after-append'
  /** The day's blocks are on disk | the new end offsets are written. */
  | 'log-days-written'
  /** All of an append is written (on the embedded log its new end offsets too), the transaction open | it is committed. */
  | 'log-before-commit'
  /** The append is committed | the writer and the waiting readers hear of it. */
  | 'log-after-commit'
  /** A task has ticks to commit | their append. */
  | 'stage-before-commit'
  /** Ticks are committed | the task goes on. */
  | 'stage-after-commit'
  /** A revert's rows are worked out, the snapshots of its blocks let go | the rows are committed. */
  | 'stage-restated'
  /** A chunk of a snapshot is appended | the next, or the manifest. */
  | 'snapshot-chunk-written'
  /** All chunks are appended | the manifest. */
  | 'snapshot-before-manifest'
  /** The manifest is appended | older snapshots are let go. */
  | 'snapshot-after-manifest'
  /** A batch is announced | its first rows. */
  | 'sink-planned'
  /** Rows of a batch are in a table | those of the next, or the confirmation. */
  | 'sink-table-written'
  /** All rows of a batch are in | it is confirmed. */
  | 'sink-before-done'
  /** A batch is confirmed | the next one. */
  | 'sink-after-done'
  /** A rebuilt table is exchanged | the next, or the end. */
  | 'rebuild-exchanged'
  /** The lookup knows an answer | its append. */
  | 'lookup-before-append'
  /** An answer is appended | the question is closed in memory. */
  | 'lookup-after-append'
  /** Some blocks of a partition are compacted, the transaction open | the others. */
  | 'compaction-block-replaced'
  /** The log has forgotten old days | their folders go. */
  | 'retention-days-forgotten'
  /** The ledger has `settling` | the payment is handed to the facilitator. */
  | 'payment-settling-recorded'
  /** The facilitator has answered | the ledger knows. */
  | 'payment-settled-unrecorded'
  /** The ledger knows the outcome | the buyer gets the answer. */
  | 'payment-settled-recorded'

type Armed = { readonly name: CrashPointName; hitsLeft: number }

let armed: Armed | null = null

/** Kills the process when a test armed this place; else does nothing. */
export function crashPoint(name: CrashPointName): void {
  if (armed !== null) strike(armed, name)
}

/** For a test's child process only: the `hit`-th time (from 1) that this thread passes the place is its last. */
export function armCrashPoint(name: CrashPointName, hit: number): void {
  armed = { name, hitsLeft: hit }
}

function strike(target: Armed, name: CrashPointName): void {
  if (name !== target.name) return
  target.hitsLeft--
  if (target.hitsLeft > 0) return
  process.kill(process.pid, 'SIGKILL')
  // The signal is on its way to the process as a whole; this thread must not take one more step.
  for (;;);
}
