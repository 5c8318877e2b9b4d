/**
 * The numbers of copy trading, for processors, projections and the `method` of answers. In words: `rules.ts`. Ratios are of
 * prices, and an instant equal to a limit has reached it.
 */
import { lamportsPerSol } from './units.ts'

const minuteMs = 60_000

/** Which buys are followed, and for how long. */
export const shadowRules = {
  lamportsMin: 0.2 * lamportsPerSol,
  /** Buys of at least this are replayed through the copy exit. */
  bigLamportsMin: lamportsPerSol,
  windowMs: 60 * minuteMs,
  hitRatio: 1.35,
  missRatio: 0.8,
  /** Marks of `CopyClosed.path`, in seconds after the buy. The last one is the end of the window. */
  pathSec: [10, 30, 60, 120, 180, 300, 600, 900, 1200, 1800, 2700, 3600],
} as const

/** The copy: what it spends, fees left out, and its one exit. */
export const copyRules = {
  stakeLamports: 0.25 * lamportsPerSol,
  stopRatio: 0.8,
  /** The trail is active once the highest price since the entry is this high. */
  trailFromRatio: 1.35,
  trailRatio: 0.8,
  takeProfitRatio: 2,
  /** After the leader’s buy. */
  timeStopMs: 30 * minuteMs,
} as const

/** The list of leaders, over the newest big buys of each wallet. */
export const leaderRules = {
  /** Buys that are looked back for. */
  windowMs: 14 * 24 * 60 * minuteMs,
  /** Most wallets on the list. */
  listMax: 50,
  bigBuysMax: 60,
  /** Cap of a return in `evRaw` and `evShrunk`. */
  retMax: 1,
  /** Pseudo-buys with the pooled mean. */
  shrinkK: 10,
  replaysMin: 5,
  /** A sale within so many seconds of the buy is quick: `soldWithin60sShare`. */
  quickSaleSec: 60,
} as const

/** Most buys that the answer about one wallet lists. */
export const listedBuysMax = 100
