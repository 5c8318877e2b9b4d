import { beatEveryMs } from '../beats.ts'

export type Times = Readonly<{
  /** A quiet channel is asked about so often, in case a push was lost. */
  pollMs: number
  /** Two questions about a channel are so far apart. */
  againMs: number
  /** A channel that is refused is tried again after so long. */
  refusedMs: number
  /** After a failure. */
  pauseMs: number
  /** The longest wait for an answer. */
  callMs: number
  beatMs: number
  lostAfterMs: number
}>

export const timesDefault: Times = {
  ...{ pollMs: 60_000, againMs: 500, refusedMs: 600_000, pauseMs: 2_000, callMs: 20_000 },
  ...{ beatMs: beatEveryMs, lostAfterMs: 60_000 },
}
