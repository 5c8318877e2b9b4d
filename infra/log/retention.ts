/** How old a record must be to go. */

type Age = Readonly<{
  nowMs: number
  /** When the newest record of the partition was appended; undefined: it holds none. */
  newestAtMs: number | undefined
  retentionMs: number
}>

/**
 * Records of a partition that were appended before this instant may go. Age counts back from the partition's newest
 * record: one that rests for longer than its retention loses nothing, so that its writer finds its place again, and a
 * task the facts behind its last snapshot.
 */
export const expiredBeforeMs = ({ nowMs, newestAtMs = nowMs, retentionMs }: Age): number =>
  Math.min(nowMs, newestAtMs) - retentionMs
