/** The age at which retention removes a record. */

type Age = Readonly<{
  nowMs: number
  /** When the newest record of the partition was appended. Undefined if the partition is empty. */
  newestAtMs: number | undefined
  retentionMs: number
}>

/**
 * Retention removes the records of a partition that were appended before this instant. Age is counted from the
 * partition's newest record, not from now, so a partition that is idle for longer than its retention loses nothing. Its
 * writer can still find its last record, and a task still finds the facts after its last snapshot.
 */
export const expiredBeforeMs = ({ nowMs, newestAtMs = nowMs, retentionMs }: Age): number =>
  Math.min(nowMs, newestAtMs) - retentionMs
